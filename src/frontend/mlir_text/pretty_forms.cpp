// The forms in which StableHLO's operations are printed. Most are operands, then clauses ("dims = [0, 1]"), then types; the
// table says what the clauses mean. The others have a reader each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "frontend/mlir_text/operation_reader.h"

namespace stead::frontend::mlir {

namespace {

enum class ClauseKind : uint8_t {
  kInteger,
  kBool,
  kIntegers,
  kPairOfLists,  // "[0] x [1]": of the left and of the right operand
  kPrecisions,   // "[DEFAULT, HIGH]"
  kStructure,    // "<field = value, ...>": attributes of the operation
  kFloatFormat,  // "e8m23"
  kRngAlgorithm,
  kRngDistribution,
  kFftType,
};

struct Clause {
  std::string_view op_name, key, attribute;
  ClauseKind kind;
};

constexpr std::array<Clause, 28> kClauses = {{
    {"stablehlo.broadcast", "sizes", "broadcast_sizes", ClauseKind::kIntegers},
    {"stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions", ClauseKind::kIntegers},
    {"stablehlo.cholesky", "lower", "lower", ClauseKind::kBool},
    {"stablehlo.concatenate", "dim", "dimension", ClauseKind::kInteger},
    {"stablehlo.dot", "precision", "precision_config", ClauseKind::kPrecisions},
    {"stablehlo.dot_general", "algorithm", "", ClauseKind::kStructure},
    {"stablehlo.dot_general", "batching_dims", "batching_dimensions", ClauseKind::kPairOfLists},
    {"stablehlo.dot_general", "contracting_dims", "contracting_dimensions", ClauseKind::kPairOfLists},
    {"stablehlo.dot_general", "precision", "precision_config", ClauseKind::kPrecisions},
    {"stablehlo.dynamic_broadcast_in_dim", "dims", "broadcast_dimensions", ClauseKind::kIntegers},
    {"stablehlo.dynamic_iota", "dim", "iota_dimension", ClauseKind::kInteger},
    {"stablehlo.dynamic_slice", "sizes", "slice_sizes", ClauseKind::kIntegers},
    {"stablehlo.fft", "length", "fft_length", ClauseKind::kIntegers},
    {"stablehlo.fft", "type", "fft_type", ClauseKind::kFftType},
    {"stablehlo.get_dimension_size", "dim", "dimension", ClauseKind::kInteger},
    {"stablehlo.iota", "dim", "iota_dimension", ClauseKind::kInteger},
    {"stablehlo.pad", "high", "edge_padding_high", ClauseKind::kIntegers},
    {"stablehlo.pad", "interior", "interior_padding", ClauseKind::kIntegers},
    {"stablehlo.pad", "low", "edge_padding_low", ClauseKind::kIntegers},
    {"stablehlo.reduce_precision", "format", "", ClauseKind::kFloatFormat},
    {"stablehlo.reverse", "dims", "dimensions", ClauseKind::kIntegers},
    {"stablehlo.rng", "distribution", "rng_distribution", ClauseKind::kRngDistribution},
    {"stablehlo.rng_bit_generator", "algorithm", "rng_algorithm", ClauseKind::kRngAlgorithm},
    {"stablehlo.set_dimension_size", "dim", "dimension", ClauseKind::kInteger},
    {"stablehlo.torch_index_select", "batch_dims", "batch_dims", ClauseKind::kInteger},
    {"stablehlo.torch_index_select", "dim", "dim", ClauseKind::kInteger},
    {"stablehlo.transpose", "dims", "permutation", ClauseKind::kIntegers},
    {"chlo.top_k", "k", "k", ClauseKind::kInteger},
}};

const Clause* FindClause(std::string_view op_name, std::string_view key) {
  const auto found = std::ranges::find_if(
      kClauses, [&](const Clause& clause) { return clause.op_name == op_name && clause.key == key; });
  return found == kClauses.end() ? nullptr : &*found;
}

// Decimal digits and nothing else.
bool ParseDigits(std::string_view text, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

}  // namespace

OperationReader::FormReader FormOf(std::string_view name) {
  static const std::unordered_map<std::string_view, OperationReader::FormReader> forms = {
      {"builtin.module", &OperationReader::ReadModule},
      {"func.call", &OperationReader::ReadCall},
      {"func.func", &OperationReader::ReadFunction},
      {"sdy.manual_computation", &OperationReader::ReadManualComputation},
      {"sdy.mesh", &OperationReader::ReadMesh},
      {"sdy.named_computation", &OperationReader::ReadManualComputation},
      {"stablehlo.compare", &OperationReader::ReadCompare},
      {"stablehlo.composite", &OperationReader::ReadComposite},
      {"stablehlo.constant", &OperationReader::ReadConstant},
      {"stablehlo.convolution", &OperationReader::ReadConvolution},
      {"stablehlo.custom_call", &OperationReader::ReadCustomCall},
      {"stablehlo.get_tuple_element", &OperationReader::ReadTupleElement},
      {"stablehlo.reduce", &OperationReader::ReadReduce},
      {"stablehlo.slice", &OperationReader::ReadSlice},
      {"stablehlo.while", &OperationReader::ReadWhile},
  };
  const auto found = forms.find(name);
  return found == forms.end() ? &OperationReader::ReadPlain : found->second;
}

Status OperationReader::ReadClause(OperationDraft& draft, std::string_view key) {
  const Clause* clause = FindClause(draft.name, key);
  if (clause == nullptr) return cursor_.ErrorAt(draft.start, fmt::format("`{}` has no `{}`", draft.name, key));
  AttributeId value;
  switch (clause->kind) {
    case ClauseKind::kInteger: {
      TRY(int64_t number, cursor_.ReadInteger("an integer"));
      value = attributes_.AddInteger(number);
      break;
    }
    case ClauseKind::kBool: {
      TRY(value, attributes_.ReadAttribute());
      break;
    }
    case ClauseKind::kIntegers: {
      TRY(value, attributes_.ReadIntegerList());
      break;
    }
    case ClauseKind::kPairOfLists: {
      TRY(AttributeId left, attributes_.ReadIntegerList());
      TRY_STATUS(cursor_.Expect("x"));
      TRY(AttributeId right, attributes_.ReadIntegerList());
      SetAttribute(draft, module_.pool.Keep(fmt::format("lhs_{}", clause->attribute)), left);
      SetAttribute(draft, module_.pool.Keep(fmt::format("rhs_{}", clause->attribute)), right);
      return {};
    }
    case ClauseKind::kPrecisions: {
      ArrayAttribute precisions;
      TRY_STATUS(cursor_.Expect("["));
      do {
        TRY(AttributeId precision, attributes_.ReadEnum(EnumKind::kPrecision));
        precisions.items.push_back(precision);
      } while (cursor_.TryConsume(","));
      TRY_STATUS(cursor_.Expect("]"));
      value = module_.pool.Add(std::move(precisions));
      break;
    }
    case ClauseKind::kStructure: {
      TRY(DictionaryAttribute fields, attributes_.ReadStructure());
      for (const DictionaryAttribute::Entry& field : fields.entries) SetAttribute(draft, field.name, field.value);
      return {};
    }
    case ClauseKind::kFloatFormat: return ReadFloatFormat(draft);
    case ClauseKind::kRngAlgorithm: {
      TRY(value, attributes_.ReadEnum(EnumKind::kRngAlgorithm));
      break;
    }
    case ClauseKind::kRngDistribution: {
      TRY(value, attributes_.ReadEnum(EnumKind::kRngDistribution));
      break;
    }
    case ClauseKind::kFftType: {
      TRY(value, attributes_.ReadEnum(EnumKind::kFftType));
      break;
    }
  }
  SetAttribute(draft, clause->attribute, value);
  return {};
}

// "e8m23": bits of exponent and mantissa.
Status OperationReader::ReadFloatFormat(OperationDraft& draft) {
  const size_t start = cursor_.Next();
  TRY(std::string_view format, cursor_.ReadWord("a float format"));
  const size_t mantissa = format.find('m');
  int64_t exponent_bits = 0, mantissa_bits = 0;
  const bool is_format = mantissa != std::string_view::npos && format.starts_with('e') &&
                         ParseDigits(format.substr(1, mantissa - 1), exponent_bits) &&
                         ParseDigits(format.substr(mantissa + 1), mantissa_bits);
  if (!is_format) return cursor_.ErrorAt(start, fmt::format("`{}` is no float format such as e8m23", format));
  SetAttribute(draft, "exponent_bits", attributes_.AddInteger(exponent_bits));
  SetAttribute(draft, "mantissa_bits", attributes_.AddInteger(mantissa_bits));
  return {};
}

// Operands and clauses, in parentheses or not, in any order.
Status OperationReader::ReadPlain(OperationDraft& draft) {
  const bool is_in_parentheses = cursor_.TryConsume("(");
  auto ends = [&] { return cursor_.Peek() != '%' && cursor_.Peek() != '<' && (!cursor_.SeesWord() || SeesLocation()); };
  while (!ends()) {
    if (cursor_.Peek() == '%') {
      TRY(ValueId operand, ReadOperand());
      draft.op.operands.push_back(operand);
    } else if (cursor_.Peek() == '<') {
      // A sharding says nothing on one device.
      TRY([[maybe_unused]] std::string_view sharding, cursor_.SkipBalanced());
    } else {
      TRY(std::string_view key, cursor_.ReadWord("a clause"));
      TRY_STATUS(cursor_.Expect("="));
      TRY_STATUS(ReadClause(draft, key));
    }
    if (!cursor_.TryConsume(",") && cursor_.Peek() != '<') break;
  }
  if (is_in_parentheses) TRY_STATUS(cursor_.Expect(")"));
  return ReadEnd(draft);
}

Status OperationReader::ReadConstant(OperationDraft& draft) {
  TRY_STATUS(ReadDictionary(draft));
  const size_t start = cursor_.Next();
  TRY(AttributeId value, attributes_.ReadAttribute());
  TRY(Attribute attribute, module_.pool.attribute(value));
  const auto* tensor = std::get_if<TensorAttribute>(&attribute);
  if (tensor == nullptr) return cursor_.ErrorAt(start, "a constant is no array");
  SetAttribute(draft, "value", value);
  draft.result_types = {tensor->type};
  return {};
}

// "LT, %a, %b, TOTALORDER : types".
Status OperationReader::ReadCompare(OperationDraft& draft) {
  TRY(AttributeId direction, attributes_.ReadEnum(EnumKind::kComparisonDirection));
  SetAttribute(draft, "comparison_direction", direction);
  while (cursor_.TryConsume(",")) {
    if (cursor_.Peek() == '%') {
      TRY(ValueId operand, ReadOperand());
      draft.op.operands.push_back(operand);
    } else {
      TRY(AttributeId type, attributes_.ReadEnum(EnumKind::kComparisonType));
      SetAttribute(draft, "compare_type", type);
    }
  }
  return ReadEnd(draft);
}

// "@target(%a, %b) {...} : types".
Status OperationReader::ReadCustomCall(OperationDraft& draft) {
  TRY(std::string_view target, attributes_.ReadSymbol());
  SetAttribute(draft, "call_target_name", module_.pool.Add(StringAttribute{target}));
  TRY_STATUS(cursor_.Expect("("));
  TRY_STATUS(ReadOperandsUntil(")", draft.op.operands));
  return ReadEnd(draft);
}

// "\"name\" %a, %b {...} : types".
Status OperationReader::ReadComposite(OperationDraft& draft) {
  TRY(std::string_view name, attributes_.ReadString("the name of a composite"));
  SetAttribute(draft, "name", module_.pool.Add(StringAttribute{name}));
  return ReadPlain(draft);
}

// "%tuple[1] : types".
Status OperationReader::ReadTupleElement(OperationDraft& draft) {
  TRY(ValueId tuple, ReadOperand());
  draft.op.operands.push_back(tuple);
  TRY_STATUS(cursor_.Expect("["));
  TRY(int64_t index, cursor_.ReadInteger("the number of an element"));
  TRY_STATUS(cursor_.Expect("]"));
  SetAttribute(draft, "index", attributes_.AddInteger(index));
  return ReadEnd(draft);
}

// "%a [0:4, 2:8:2] : types": start, limit and stride of each dimension.
Status OperationReader::ReadSlice(OperationDraft& draft) {
  TRY(ValueId operand, ReadOperand());
  draft.op.operands.push_back(operand);
  std::vector<int64_t> starts, limits, strides;
  TRY_STATUS(cursor_.Expect("["));
  while (!cursor_.TryConsume("]")) {
    if (!starts.empty()) TRY_STATUS(cursor_.Expect(","));
    TRY(int64_t start, cursor_.ReadInteger("a start"));
    TRY_STATUS(cursor_.Expect(":"));
    TRY(int64_t limit, cursor_.ReadInteger("a limit"));
    int64_t stride = 1;
    if (cursor_.TryConsume(":")) {
      TRY(stride, cursor_.ReadInteger("a stride"));
    }
    starts.push_back(start);
    limits.push_back(limit);
    strides.push_back(stride);
  }
  SetAttribute(draft, "start_indices", attributes_.AddIntegers(starts, false));
  SetAttribute(draft, "limit_indices", attributes_.AddIntegers(limits, false));
  SetAttribute(draft, "strides", attributes_.AddIntegers(strides, false));
  return ReadEnd(draft);
}

// "(%a, %b) dim_numbers = [...]x[...]->[...], window = {stride = [...], ...} {...} : types".
Status OperationReader::ReadConvolution(OperationDraft& draft) {
  TRY_STATUS(cursor_.Expect("("));
  TRY_STATUS(ReadOperandsUntil(")", draft.op.operands));
  TRY_STATUS(cursor_.ExpectWord("dim_numbers"));
  TRY_STATUS(cursor_.Expect("="));
  TRY(DictionaryAttribute dimensions, attributes_.ReadConvolutionDimensions());
  for (const DictionaryAttribute::Entry& entry : dimensions.entries) SetAttribute(draft, entry.name, entry.value);
  TRY_STATUS(cursor_.Expect(","));
  TRY_STATUS(ReadConvolutionWindow(draft));
  return ReadEnd(draft);
}

Status OperationReader::ReadConvolutionWindow(OperationDraft& draft) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kParts = {
      {{"stride", "window_strides"},
       {"pad", "padding"},
       {"lhs_dilate", "lhs_dilation"},
       {"rhs_dilate", "rhs_dilation"},
       {"reverse", "window_reversal"}}};
  TRY_STATUS(cursor_.ExpectWord("window"));
  TRY_STATUS(cursor_.Expect("="));
  TRY_STATUS(cursor_.Expect("{"));
  if (cursor_.TryConsume("}")) return {};
  do {
    const size_t start = cursor_.Next();
    TRY(std::string_view key, cursor_.ReadWord("a part of a window"));
    const auto part = std::ranges::find(kParts, key, &std::pair<std::string_view, std::string_view>::first);
    if (part == kParts.end()) return cursor_.ErrorAt(start, fmt::format("a window has no `{}`", key));
    TRY_STATUS(cursor_.Expect("="));
    TRY(AttributeId values, attributes_.ReadIntegerList());
    SetAttribute(draft, part->second, values);
  } while (cursor_.TryConsume(","));
  return cursor_.Expect("}");
}

// "(%a init: %x), (%b init: %y) across dimensions = [1] : types reducer(%l: t, %r: t) (%m: u, %s: u) {...}", or with
// "applies stablehlo.add" instead of a reducer.
Status OperationReader::ReadReduce(OperationDraft& draft) {
  std::vector<ValueId> initial_values;
  do {
    TRY_STATUS(cursor_.Expect("("));
    TRY(ValueId input, ReadOperand());
    TRY_STATUS(cursor_.ExpectWord("init"));
    TRY_STATUS(cursor_.Expect(":"));
    TRY(ValueId initial_value, ReadOperand());
    TRY_STATUS(cursor_.Expect(")"));
    draft.op.operands.push_back(input);
    initial_values.push_back(initial_value);
  } while (cursor_.TryConsume(","));
  draft.op.operands.insert(draft.op.operands.end(), initial_values.begin(), initial_values.end());
  if (cursor_.TryConsumeWord("applies")) {
    TRY(std::string_view applied, cursor_.ReadWord("an operation"));
    draft.applied = FullName(applied);
  }
  TRY_STATUS(cursor_.ExpectWord("across"));
  TRY_STATUS(cursor_.ExpectWord("dimensions"));
  TRY_STATUS(cursor_.Expect("="));
  TRY(AttributeId dimensions, attributes_.ReadIntegerList());
  SetAttribute(draft, "dimensions", dimensions);
  TRY_STATUS(ReadEnd(draft));
  return draft.applied.empty() ? ReadReducer(draft) : Status();
}

// The arguments stand in pairs, one for each array; the block has all left ones first.
Status OperationReader::ReadReducer(OperationDraft& draft) {
  TRY_STATUS(cursor_.ExpectWord("reducer"));
  std::vector<BlockArgument> left, right;
  while (cursor_.Peek() == '(') {
    const size_t start = cursor_.Next();
    TRY(std::vector<BlockArgument> pair, ReadArguments());
    if (pair.size() != 2) return cursor_.ErrorAt(start, "a reducer takes two arguments for each array");
    left.push_back(pair[0]);
    right.push_back(pair[1]);
  }
  left.insert(left.end(), right.begin(), right.end());
  TRY(Region region, ReadRegion(left));
  draft.op.regions.push_back(std::move(region));
  return {};
}

// "(%state = %initial, ...) : types cond {...} do {...}".
Status OperationReader::ReadWhile(OperationDraft& draft) {
  std::vector<BlockArgument> state;
  TRY_STATUS(cursor_.Expect("("));
  while (!cursor_.TryConsume(")")) {
    if (!state.empty()) TRY_STATUS(cursor_.Expect(","));
    const size_t start = cursor_.Next();
    TRY(std::string_view name, cursor_.ReadMarked('%', "the name of a state"));
    TRY_STATUS(cursor_.Expect("="));
    TRY(ValueId initial, ReadOperand());
    draft.op.operands.push_back(initial);
    state.push_back({.name = name, .location = attributes_.LocationOf(start)});
  }
  if (cursor_.TryConsume(":")) {
    TRY(TypeSignature types, ReadSignature());
    draft.result_types = std::move(types.operands);
  }
  if (draft.result_types.size() != state.size())
    return cursor_.ErrorAt(draft.start, "a loop has not one type for each state");
  for (size_t position = 0; position < state.size(); ++position) state[position].type = draft.result_types[position];
  if (cursor_.TryConsumeWord("attributes")) TRY_STATUS(ReadDictionary(draft));
  for (std::string_view word : {"cond", "do"}) {
    TRY_STATUS(cursor_.ExpectWord(word));
    TRY(Region region, ReadRegion(state));
    draft.op.regions.push_back(std::move(region));
  }
  return {};
}

}  // namespace stead::frontend::mlir
