#include "frontend/stablehlo/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "frontend/mlir_bytecode/location.h"
#include "frontend/stablehlo/names.h"
#include "frontend/stablehlo/op_import.h"
#include "frontend/stablehlo/types.h"

namespace stead::frontend {

namespace {

// Functions and regions, open at once. Real programs stay below 50.
constexpr int kMaximumCallDepth = 250;

// Bodies that run on every device are written out for each, and with exchanges inside at every call.
constexpr int64_t kMostWrittenOut = 4'000'000;

Result<const mlir::Block*> OnlyBlock(const mlir::Region& region) {
  if (region.blocks.size() == 1) return &region.blocks[0];
  return Unimplemented(fmt::format("a region has {} blocks, one is supported", region.blocks.size()));
}

}  // namespace

bool IsTerminator(std::string_view name) {
  return name == "vhlo.return_v1" || name == "stablehlo.return" || name == "func.return" || name == "sdy.return";
}

Status DepthGuard::status() const {
  if (depth_ <= kMaximumCallDepth) return {};
  return Unimplemented(fmt::format("functions and regions are nested deeper than {}", kMaximumCallDepth));
}

Status Importer::CountWrittenOut(int64_t operation_count) {
  written_out_count_ += operation_count;
  if (written_out_count_ <= kMostWrittenOut) return {};
  return Unimplemented(
      fmt::format("more than {} operations, when they are written out for each device", kMostWrittenOut));
}

SourcePlace Importer::PlaceOf(const mlir::Operation& op) const {
  mlir::Location location = mlir::DecodeLocation(source_.pool, op.location_id);
  if (location.file.empty()) return {file_name_, 0, 0};
  return {std::string(location.file), location.line, location.column};
}

Result<ir::Shape> Importer::ShapeOf(mlir::ValueId id) {
  mlir::TypeId type_id = source_.value_types[id];
  auto known = shapes_.find(type_id);
  if (known != shapes_.end()) return known->second;
  TRY(ir::Shape shape, ImportType(source_.pool, type_id));
  return shapes_.emplace(type_id, std::move(shape)).first->second;
}

Result<ir::InstrId> Importer::ValueOf(Scope& scope, mlir::ValueId id) {
  auto found = scope.instructions.find(id);
  if (found != scope.instructions.end()) return found->second;
  auto constant = constants_.find(id);
  if (constant == constants_.end()) return Unimplemented("a region uses a value from outside that it cannot be given");
  TRY_STATUS(ImportOperation(*constant->second, scope));
  return scope.instructions.at(id);
}

Status Importer::ImportOperation(const mlir::Operation& op, Scope& scope) {
  const OpRow* row = FindOpRow(source_.name_of(op));
  if (row == nullptr) {
    return Unimplemented(fmt::format("op `{}` is not supported", source_.name_of(op)), PlaceOf(op));
  }
  OpImport op_import(*this, scope, op, *row);
  Status status = op_import.Prepare();
  if (status.ok()) status = row->import(op_import);
  if (status.ok() || status.error().where.known()) return status;
  Diagnostic error = status.error();
  error.where = PlaceOf(op);
  return error;
}

Result<std::vector<ir::InstrId>> Importer::ImportBlock(const mlir::Block& block, Scope& scope) {
  for (const mlir::Operation& op : block.operations) {
    if (!IsTerminator(source_.name_of(op))) {
      TRY_STATUS(ImportOperation(op, scope));
      continue;
    }
    std::vector<ir::InstrId> results;
    for (mlir::ValueId id : op.operands) {
      TRY(ir::InstrId result, ValueOf(scope, id));
      results.push_back(result);
    }
    return results;
  }
  return InvalidArgument("a block does not end in a return");
}

Result<std::vector<ir::InstrId>> Importer::ImportInline(const mlir::Region& region, Scope& scope) {
  DepthGuard guard(depth_);
  TRY_STATUS(guard.status());
  TRY(const mlir::Block* block, OnlyBlock(region));
  return ImportBlock(*block, scope);
}

ir::InstrId Importer::AddParameter(const Scope& scope, int64_t number, ir::Shape shape, mlir::AttributeId location_id,
                                   std::string_view default_name) {
  mlir::Location location;
  if (location_id.valid()) location = mlir::DecodeLocation(source_.pool, location_id);
  ir::Instruction parameter;
  parameter.opcode = ir::Opcode::kParameter;
  parameter.name = HloName(location.name.empty() ? default_name : LastPathPart(location.name));
  parameter.shape = std::move(shape);
  parameter.attributes = ir::ParameterAttributes{number};
  parameter.metadata.op_name = location.name;
  parameter.text_place = {location.file.empty() ? file_name_ : std::string(location.file), location.line,
                          location.column};
  return module_.Add(scope.computation_id, std::move(parameter));
}

// Binds every input of the form to a parameter or to an element of the one parameter; gives the elements taken out.
Result<std::vector<ir::InstrId>> Importer::AddParameters(const mlir::Block& block, const RegionForm& form,
                                                         Scope& scope) {
  std::vector<ir::Shape> shapes;
  for (mlir::ValueId id : form.inputs) {
    TRY(ir::Shape shape, ShapeOf(id));
    shapes.push_back(std::move(shape));
  }
  bool is_tuple = form.input_packing == Packing::kTuple ||
                  (form.input_packing == Packing::kTupleUnlessOne && form.inputs.size() != 1);
  std::vector<ir::InstrId> elements;
  if (!is_tuple) {
    for (size_t input = 0; input < shapes.size(); ++input) {
      bool is_argument = input < block.arguments.size() && block.arguments[input] == form.inputs[input];
      mlir::AttributeId location_id = is_argument ? block.argument_locations[input] : mlir::AttributeId();
      scope.instructions[form.inputs[input]] =
          AddParameter(scope, static_cast<int64_t>(input), shapes[input], location_id, "parameter");
    }
    return elements;
  }
  ir::InstrId tuple = AddParameter(scope, 0, ir::Shape::Tuple(shapes), {}, "arguments");
  for (size_t input = 0; input < shapes.size(); ++input) {
    ir::Instruction element;
    element.opcode = ir::Opcode::kGetTupleElement;
    element.shape = shapes[input];
    element.operands = {tuple};
    element.attributes = ir::TupleElementAttributes{static_cast<int64_t>(input)};
    elements.push_back(module_.Add(scope.computation_id, std::move(element)));
    scope.instructions[form.inputs[input]] = elements.back();
  }
  return elements;
}

Status Importer::SetRoot(Scope& scope, std::vector<ir::InstrId> results, Packing packing) {
  if (packing == Packing::kTupleUnlessOne && results.size() == 1) {
    module_.SetRoot(scope.computation_id, results[0]);
    return {};
  }
  ir::Instruction tuple;
  tuple.opcode = ir::Opcode::kTuple;
  std::vector<ir::Shape> shapes;
  for (ir::InstrId id : results) shapes.push_back(module_.shape(id));
  tuple.shape = ir::Shape::Tuple(std::move(shapes));
  tuple.operands = std::move(results);
  module_.SetRoot(scope.computation_id, module_.Add(scope.computation_id, std::move(tuple)));
  return {};
}

Result<ir::ComputationId> Importer::ImportRegion(const mlir::Region& region, const RegionForm& form) {
  DepthGuard guard(depth_);
  TRY_STATUS(guard.status());
  TRY(const mlir::Block* block, OnlyBlock(region));
  Scope scope{module_.AddComputation(HloName(form.name)), {}};
  TRY(std::vector<ir::InstrId> elements, AddParameters(*block, form, scope));
  TRY(std::vector<ir::InstrId> results, ImportBlock(*block, scope));
  for (mlir::ValueId id : form.extra_results) {
    TRY(ir::InstrId result, ValueOf(scope, id));
    results.push_back(result);
  }
  TRY_STATUS(SetRoot(scope, std::move(results), form.result_packing));
  std::erase_if(elements,
                [&](ir::InstrId id) { return !module_.users(id).empty() || module_.root(scope.computation_id) == id; });
  module_.EraseAll(elements);
  return scope.computation_id;
}

std::vector<mlir::ValueId> Importer::CapturedValues(const std::vector<const mlir::Region*>& regions) const {
  std::vector<mlir::ValueId> captured;
  std::unordered_set<mlir::ValueId> seen;  // defined inside, or captured already
  // Explicit stack of operations still to visit, the next one on top.
  std::vector<const mlir::Operation*> pending;
  auto open = [&](const mlir::Region& region) {
    for (auto block = region.blocks.rbegin(); block != region.blocks.rend(); ++block) {
      seen.insert(block->arguments.begin(), block->arguments.end());
      for (auto op = block->operations.rbegin(); op != block->operations.rend(); ++op) pending.push_back(&*op);
    }
  };
  for (auto region = regions.rbegin(); region != regions.rend(); ++region) open(**region);
  while (!pending.empty()) {
    const mlir::Operation& op = *pending.back();
    pending.pop_back();
    for (mlir::ValueId id : op.operands) {
      if (seen.insert(id).second && !constants_.contains(id)) captured.push_back(id);
    }
    seen.insert(op.results.begin(), op.results.end());
    for (auto region = op.regions.rbegin(); region != op.regions.rend(); ++region) open(*region);
  }
  return captured;
}

}  // namespace stead::frontend
