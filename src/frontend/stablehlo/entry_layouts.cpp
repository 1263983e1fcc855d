// The orders in which arrays lie in memory at the border of the program: what `main` names for its arguments and results
// (mhlo.layout_mode) becomes the module's entry layout. Where `main` leaves the choice to the compiler, arguments lie row major,
// and a result that is a transposed array lies as that array does, so that nothing moves.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "frontend/stablehlo/importer.h"

namespace stead::frontend {

namespace {

constexpr std::string_view kDefaultMode = "default";
constexpr std::string_view kChooseMode = "auto";

// "{0,1}" as the numbers in it; nothing where it is no order of the dimensions.
std::optional<std::vector<int64_t>> ReadOrder(std::string_view text, int64_t rank) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
  std::vector<int64_t> order;
  const char* const end = text.data() + text.size() - 1;
  for (const char* cursor = text.data() + 1; cursor < end;) {
    int64_t dimension = 0;
    const auto [next, error] = std::from_chars(cursor, end, dimension);
    if (error != std::errc() || (next != end && *next != ',')) return std::nullopt;
    order.push_back(dimension);
    cursor = next == end ? end : next + 1;
  }
  std::vector<int64_t> sorted = order, every_dimension(static_cast<size_t>(rank));
  std::ranges::sort(sorted);
  std::iota(every_dimension.begin(), every_dimension.end(), 0);
  return sorted == every_dimension ? std::optional(order) : std::nullopt;
}

Result<ir::Shape> WithMode(ir::Shape shape, std::string_view mode, std::string_view what) {
  if (mode == kDefaultMode || mode == kChooseMode || !shape.is_array()) return shape;
  std::optional<std::vector<int64_t>> order = ReadOrder(mode, shape.rank());
  if (!order)
    return Unimplemented(fmt::format("{} demands the layout {}, not just an order of dimensions", what, mode));
  shape.layout.minor_to_major = *std::move(order);
  if (shape.is_row_major()) shape.layout = {};
  return shape;
}

// The order in which the value lies where nothing is moved for it: other arrays inside the program lie row major, but
// parameters as the border has them, and a transposed array is the same bytes under other dimensions.
ir::Layout NaturalLayout(const ir::Module& module, ir::InstrId value, const ir::ProgramShape& border) {
  std::vector<ir::InstrId> transposes;
  while (module.instruction(value).opcode == ir::Opcode::kTranspose) {
    transposes.push_back(value);
    value = module.operand(value, 0);
  }
  const std::vector<ir::InstrId>& parameters = module.entry_computation().parameters;
  const auto parameter = std::ranges::find(parameters, value);
  const bool is_parameter = parameter != parameters.end();
  const ir::Shape& shape = is_parameter ? border.parameters[parameter - parameters.begin()] : module.shape(value);
  std::vector<int64_t> order = shape.layout.minor_to_major;
  if (order.empty()) {
    order.resize(shape.dimensions.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  for (; !transposes.empty(); transposes.pop_back()) {
    const ir::Dimensions& moved = module.instruction(transposes.back()).As<ir::DimensionsAttributes>().dimensions;
    for (int64_t& dimension : order) dimension = std::ranges::find(moved, dimension) - moved.begin();
  }
  return {.minor_to_major = std::move(order)};
}

// The mode of each value that the attribute of `main` describes; the others have the default.
Result<std::vector<std::string_view>> LayoutModes(const mlir::ParsedModule& source, const mlir::Operation& main,
                                                  std::string_view attribute, size_t count) {
  std::vector<std::string_view> modes(count, kDefaultMode);
  TRY(std::optional<mlir::ArrayAttribute> values, source.Find<mlir::ArrayAttribute>(main, attribute));
  if (!values) return modes;
  for (size_t number = 0; number < std::min(count, values->items.size()); ++number) {
    TRY(mlir::DictionaryAttribute attributes, source.pool.Get<mlir::DictionaryAttribute>(values->items[number]));
    for (const mlir::DictionaryAttribute::Entry& entry : attributes.entries) {
      if (entry.name != "mhlo.layout_mode") continue;
      TRY(mlir::StringAttribute mode, source.pool.Get<mlir::StringAttribute>(entry.value));
      modes[number] = mode.text;
    }
  }
  return modes;
}

bool IsRowMajor(const ir::Shape& shape) { return !shape.is_array() || shape.is_row_major(); }

}  // namespace

// REQUIRES: a result of several values is a `tuple` instruction.
Status Importer::ImportEntryLayouts(const mlir::Operation& main) {
  const ir::Computation& entry = module_.entry_computation();
  ir::ProgramShape border;
  TRY(const std::vector<std::string_view> argument_modes,
      LayoutModes(source_, main, "arg_attrs", entry.parameters.size()));
  for (size_t number = 0; number < entry.parameters.size(); ++number) {
    TRY(ir::Shape shape,
        WithMode(module_.shape(entry.parameters[number]), argument_modes[number], fmt::format("argument {}", number)));
    border.parameters.push_back(std::move(shape));
  }

  border.result = module_.shape(entry.root);
  const bool is_tuple = border.result.is_tuple();
  const std::span<ir::Shape> results = is_tuple ? std::span(border.result.elements) : std::span(&border.result, 1);
  TRY(const std::vector<std::string_view> result_modes, LayoutModes(source_, main, "res_attrs", results.size()));
  for (size_t number = 0; number < results.size(); ++number) {
    TRY(results[number], WithMode(results[number], result_modes[number], fmt::format("result {}", number)));
    if (result_modes[number] != kChooseMode || !results[number].is_array()) continue;
    const ir::InstrId value = is_tuple ? module_.operand(entry.root, number) : entry.root;
    results[number].layout = NaturalLayout(module_, value, border);
    if (results[number].is_row_major()) results[number].layout = {};
  }
  if (!std::ranges::all_of(border.parameters, IsRowMajor) || !std::ranges::all_of(results, IsRowMajor))
    module_.entry_layout = std::move(border);
  return {};
}

}  // namespace stead::frontend
