#include "frontend/mosaic/kernel_importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "frontend/mosaic/grid.h"
#include "frontend/mosaic/kernel_op.h"
#include "frontend/stablehlo/names.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

namespace {

constexpr std::string_view kDialect = "stable_mosaic.";
// What JAX 0.10.2 writes for a device at hand; for another platform it writes version 11.
constexpr int64_t kNewestVersion = 15;
// Conditions of loops are imported more than once, so that nested ones could make very many instructions of few bytes.
constexpr int kMaximumOperations = 1'000'000;

// The operations that end a block and hand its values on.
bool EndsBlock(std::string_view full_name) {
  return full_name == "stable_mosaic.func.return" || full_name == "stable_mosaic.scf.yield" ||
         full_name == "stable_mosaic.scf.condition" || full_name == "stable_mosaic.tpu.yield";
}

// The operations of the module's only block.
Result<const std::vector<mlir::Operation>*> FunctionsOf(const mlir::ParsedModule& source) {
  const mlir::Operation& root = source.root;
  if (source.name_of(root) != "builtin.module" || root.regions.size() != 1 || root.regions[0].blocks.size() != 1) {
    return InvalidArgument("the body of the kernel is no module");
  }
  return &root.regions[0].blocks[0].operations;
}

}  // namespace

Diagnostic KernelImporter::Bad(std::string_view problem) const {
  return InvalidArgument(fmt::format("kernel `{}`: {}", name_, problem), emit_.place());
}

Diagnostic KernelImporter::Unsupported(std::string_view what) const {
  return Unimplemented(fmt::format("kernel `{}`: {}", name_, what), emit_.place());
}

std::string KernelImporter::computation_name() const { return HloName(name_.empty() ? "kernel" : name_); }

Status KernelImporter::CheckVersion() const {
  TRY(std::optional<mlir::IntegerAttribute> version,
      source_.Find<mlir::IntegerAttribute>(source_.root, "stable_mosaic.version"));
  if (!version || version->value <= kNewestVersion) return {};
  return Unsupported(
      fmt::format("Mosaic version {} is newer than {}, the newest that is read", version->value, kNewestVersion));
}

Status KernelImporter::FindKernel() {
  TRY(const std::vector<mlir::Operation>* functions, FunctionsOf(source_));
  for (const mlir::Operation& function : *functions) {
    TRY(std::optional<mlir::AttributeId> prefetch, source_.FindAttribute(function, "scalar_prefetch"));
    TRY(std::optional<mlir::StringAttribute> symbol, source_.Find<mlir::StringAttribute>(function, "sym_name"));
    if (!prefetch && functions->size() > 1) continue;
    if (kernel_ != nullptr) return Bad("has two functions that could be the kernel");
    kernel_ = &function;
    if (symbol) name_ = symbol->text;
  }
  if (kernel_ == nullptr) return Bad("its body holds no kernel");
  if (kernel_->regions.size() != 1 || kernel_->regions[0].blocks.size() != 1) return Bad("its function has no body");
  return {};
}

Result<const mlir::Operation*> KernelImporter::FunctionNamed(std::string_view name) const {
  TRY(const std::vector<mlir::Operation>* functions, FunctionsOf(source_));
  for (const mlir::Operation& function : *functions) {
    TRY(std::optional<mlir::StringAttribute> symbol, source_.Find<mlir::StringAttribute>(function, "sym_name"));
    if (symbol && symbol->text == name) return &function;
  }
  return Bad(fmt::format("its body has no function `{}`", name));
}

Result<ir::ComputationId> KernelImporter::Import() {
  TRY_STATUS(CheckVersion());
  TRY_STATUS(FindKernel());
  return Grid(*this).Import();
}

Status KernelImporter::ImportOperation(const mlir::Operation& op, KernelScope& scope) {
  if (++operation_count_ > kMaximumOperations)
    return ResourceExhausted(fmt::format("kernel `{}` is too large", name_), emit_.place());
  const std::string& full_name = source_.op_names[op.name_id].text;
  const KernelRow* row = FindKernelRow(full_name);
  if (row == nullptr) {
    std::string_view name = full_name;
    if (name.starts_with(kDialect)) name.remove_prefix(kDialect.size());
    return Unimplemented(fmt::format("mosaic op '{}' in kernel '{}'", name, name_), emit_.place());
  }
  if (row->operand_count != kAnyNumber && op.operands.size() != static_cast<size_t>(row->operand_count)) {
    return Bad(
        fmt::format("mosaic op `{}` has {} operands, it takes {}", row->name, op.operands.size(), row->operand_count));
  }
  KernelOp kernel_op(*this, scope, op, *row);
  Status status = row->import(kernel_op);
  if (status.ok() || status.error().where.known()) return status;
  Diagnostic error = status.error();
  error.what = fmt::format("kernel `{}`, mosaic op `{}`: {}", name_, row->name, error.what);
  error.where = emit_.place();
  return error;
}

Result<std::vector<InstrId>> KernelImporter::ImportInline(const mlir::Region& region, KernelScope& scope) {
  if (region.blocks.size() != 1) return Bad("a region has not one block");
  for (const mlir::Operation& op : region.blocks[0].operations) {
    if (!EndsBlock(source_.name_of(op))) {
      TRY_STATUS(ImportOperation(op, scope));
      continue;
    }
    std::vector<InstrId> values;
    for (mlir::ValueId id : op.operands) {
      auto found = scope.values.find(id);
      if (found == scope.values.end()) return Bad("a region hands on memory");
      values.push_back(found->second);
    }
    return values;
  }
  return Bad("a block does not end in a return");
}

Result<std::vector<InstrId>> KernelImporter::CallFunction(std::string_view name, KernelScope& scope,
                                                          const std::vector<InstrId>& arguments,
                                                          const std::vector<View>& views) {
  TRY(const mlir::Operation* function, FunctionNamed(name));
  if (function == kernel_ || function->regions.size() != 1 || function->regions[0].blocks.size() != 1)
    return Bad(fmt::format("its function `{}` cannot be called", name));
  const mlir::Block& block = function->regions[0].blocks[0];
  if (block.arguments.size() != arguments.size() + views.size())
    return Bad(fmt::format("its function `{}` has {} arguments, not {}", name, block.arguments.size(),
                           arguments.size() + views.size()));
  for (size_t number = 0; number < arguments.size(); ++number)
    scope.values[block.arguments[number]] = arguments[number];
  for (size_t number = 0; number < views.size(); ++number)
    scope.views[block.arguments[arguments.size() + number]] = views[number];
  return ImportInline(function->regions[0], scope);
}

// --- regions

namespace {

// Collects what regions use; `names` maps views made inside to the outer ones that they are parts of.
class CaptureWalk {
 public:
  CaptureWalk(const mlir::ParsedModule& source, const KernelScope& scope) : source_(source), scope_(scope) {}

  void Visit(const mlir::Region& region) {
    for (const mlir::Block& block : region.blocks) {
      for (const mlir::Operation& op : block.operations) Visit(op);
    }
  }

  Captured Take() {
    std::ranges::sort(captured_.buffers);
    std::ranges::sort(captured_.written_buffers);
    return std::move(captured_);
  }

 private:
  void Visit(const mlir::Operation& op) {
    const KernelRow* row = FindKernelRow(source_.name_of(op));
    bool writes = row != nullptr && row->memory == KernelMemory::kWrites;
    for (mlir::ValueId id : op.operands) {
      auto name = names_.find(id);
      Use(name == names_.end() ? id : name->second, writes);
    }
    if (row != nullptr && row->memory == KernelMemory::kNames && !op.operands.empty() && !op.results.empty()) {
      auto name = names_.find(op.operands[0]);
      names_[op.results[0]] = name == names_.end() ? op.operands[0] : name->second;
    }
    for (const mlir::Region& region : op.regions) Visit(region);
  }

  void Use(mlir::ValueId id, bool writes) {
    if (scope_.values.contains(id)) {
      if (seen_.insert(id).second) captured_.values.push_back(id);
      return;
    }
    auto view = scope_.views.find(id);
    if (view == scope_.views.end()) return;
    if (seen_.insert(id).second) captured_.views.push_back(id);
    const size_t buffer = view->second.buffer;
    if (buffer == kNoBuffer) return;
    if (std::ranges::count(captured_.buffers, buffer) == 0) captured_.buffers.push_back(buffer);
    if (writes && std::ranges::count(captured_.written_buffers, buffer) == 0)
      captured_.written_buffers.push_back(buffer);
  }

  const mlir::ParsedModule& source_;
  const KernelScope& scope_;
  Captured captured_;
  std::unordered_set<mlir::ValueId> seen_;
  std::unordered_map<mlir::ValueId, mlir::ValueId> names_;
};

}  // namespace

Result<Captured> KernelImporter::CapturedBy(const std::vector<const mlir::Region*>& regions,
                                            const KernelScope& scope) const {
  CaptureWalk walk(source_, scope);
  for (const mlir::Region* region : regions) walk.Visit(*region);
  return walk.Take();
}

Captured KernelImporter::Everything(const KernelScope& scope) const {
  Captured captured;
  for (size_t buffer = 0; buffer < scope.buffers.size(); ++buffer) captured.buffers.push_back(buffer);
  captured.written_buffers = captured.buffers;
  return captured;
}

std::vector<InstrId> KernelImporter::InputsOf(const KernelScope& scope, const Captured& captured) const {
  std::vector<InstrId> inputs;
  std::unordered_set<InstrId> seen;
  auto add = [&](InstrId id) {
    if (id.valid() && !emit_.IsConstantFill(id) && seen.insert(id).second) inputs.push_back(id);
  };
  for (mlir::ValueId id : captured.values) add(scope.values.at(id));
  for (mlir::ValueId id : captured.views) std::ranges::for_each(scope.views.at(id).starts, add);
  // The buffers come last, and all of them: what they hold changes, constant or not.
  for (size_t buffer : captured.buffers) inputs.push_back(scope.buffers[buffer]);
  return inputs;
}

Result<InstrId> KernelImporter::CopyOfConstant(KernelScope& scope, InstrId id) {
  InstrId scalar = emit_.FillOf(id);
  InstrId constant = emit_.Constant(scope, emit_.module().instruction(scalar).As<ir::Literal>());
  return scalar == id ? Result<InstrId>(constant) : emit_.Splat(scope, constant, emit_.shape(id));
}

Result<KernelScope> KernelImporter::Enter(const KernelScope& outer, const Captured& captured, std::string name,
                                          const std::vector<ir::Shape>& own, const std::vector<InstrId>& inputs,
                                          std::vector<InstrId>& own_values) {
  std::vector<ir::Shape> shapes = own;
  for (InstrId input : inputs) shapes.push_back(emit_.shape(input));
  KernelScope inner{emit_.module().AddComputation(std::move(name))};
  InstrId tuple = emit_.Parameter(inner, 0, ir::Shape::Tuple(shapes));
  own_values.clear();
  std::vector<InstrId> elements;
  for (size_t element = 0; element < shapes.size(); ++element) {
    TRY(InstrId value, emit_.TupleElement(inner, tuple, element));
    (element < own.size() ? own_values : elements).push_back(value);
  }
  std::unordered_map<InstrId, InstrId> inside;
  const size_t first_buffer = inputs.size() - captured.buffers.size();
  for (size_t input = 0; input < first_buffer; ++input) inside[inputs[input]] = elements[input];
  auto bring = [&](InstrId id) -> Result<InstrId> {
    if (!id.valid()) return id;
    auto found = inside.find(id);
    if (found != inside.end()) return found->second;
    TRY(InstrId copy, CopyOfConstant(inner, id));
    inside[id] = copy;
    return copy;
  };
  for (mlir::ValueId id : captured.values) {
    TRY(inner.values[id], bring(outer.values.at(id)));
  }
  for (mlir::ValueId id : captured.views) {
    View view = outer.views.at(id);
    for (InstrId& start : view.starts) {
      TRY(start, bring(start));
    }
    inner.views[id] = std::move(view);
  }
  inner.buffers.resize(outer.buffers.size());
  for (size_t number = 0; number < captured.buffers.size(); ++number)
    inner.buffers[captured.buffers[number]] = elements[first_buffer + number];
  return inner;
}

Result<std::vector<InstrId>> KernelImporter::Loop(KernelScope& scope, const Captured& captured,
                                                  std::vector<InstrId> state, const LoopStep& condition,
                                                  const LoopStep& body) {
  std::vector<ir::Shape> own;
  for (InstrId id : state) own.push_back(emit_.shape(id));
  const std::vector<InstrId> inputs = InputsOf(scope, captured);

  std::vector<InstrId> inner_state;
  TRY(KernelScope tested, Enter(scope, captured, "while_condition", own, inputs, inner_state));
  TRY(std::vector<InstrId> verdict, condition(tested, inner_state));
  emit_.module().SetRoot(tested.computation_id, verdict.at(0));

  TRY(KernelScope inner, Enter(scope, captured, "while_body", own, inputs, inner_state));
  // What goes round unchanged: the elements of the parameter behind the loop's own state.
  const std::vector<InstrId>& made = emit_.module().computation(inner.computation_id).instructions;
  const auto first = made.begin() + 1 + static_cast<ptrdiff_t>(own.size());
  std::vector<InstrId> unchanged(first, first + static_cast<ptrdiff_t>(inputs.size() - captured.buffers.size()));
  TRY(std::vector<InstrId> next, body(inner, inner_state));
  next.insert(next.end(), unchanged.begin(), unchanged.end());
  for (size_t buffer : captured.buffers) next.push_back(inner.buffers[buffer]);
  TRY(InstrId root, emit_.Tuple(inner, std::move(next)));
  emit_.module().SetRoot(inner.computation_id, root);

  state.insert(state.end(), inputs.begin(), inputs.end());
  TRY(InstrId initial, emit_.Tuple(scope, state));
  TRY(InstrId loop, emit_.Add(scope, Opcode::kWhile, {initial}, ir::WhileAttributes{}, emit_.shape(initial),
                              {tested.computation_id, inner.computation_id}));
  std::vector<InstrId> last;
  for (size_t element = 0; element < own.size(); ++element) {
    TRY(InstrId value, emit_.TupleElement(scope, loop, element));
    last.push_back(value);
  }
  for (size_t number = 0; number < captured.buffers.size(); ++number) {
    const size_t element = own.size() + inputs.size() - captured.buffers.size() + number;
    if (std::ranges::count(captured.written_buffers, captured.buffers[number]) == 0) continue;
    TRY(scope.buffers[captured.buffers[number]], emit_.TupleElement(scope, loop, element));
  }
  return last;
}

}  // namespace stead::frontend
