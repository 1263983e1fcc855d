#include "frontend/stablehlo/devices/lockstep_loop.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "frontend/stablehlo/names.h"

namespace stead::frontend {

namespace {

// After so many rounds the whole state counts as different, which is always right.
constexpr int kMostRounds = 16;

}  // namespace

Status LockstepLoop::Import() {
  TRY_STATUS(CheckRegions());
  TRY_STATUS(FindCarried());
  FindDiffering();
  TRY(const ir::ComputationId body_id, ImportBody());
  TRY(const ir::ComputationId condition_id, ImportCondition());
  std::vector<ir::InstrId> initial;
  for (size_t carried = 0; carried < differs_.size(); ++carried) {
    const mlir::ValueId value = carried < state_count() ? op_.operands[carried] : captured_[carried - state_count()];
    for (size_t place = 0; place < PlaceCountOf(carried); ++place) {
      initial.push_back(scopes_[place].instructions.at(value));
    }
  }
  OpImport emit(importer_, scopes_[0], op_, row_);
  const ir::InstrId tuple = emit.EmitTuple(initial);
  TRY(const ir::InstrId loop,
      emit.EmitOperation(row_.opcode, emit.shape(tuple), {tuple}, ir::WhileAttributes{}, {condition_id, body_id}, {}));
  size_t element = 0;
  for (size_t state = 0; state < state_count(); ++state) {
    ir::InstrId result;
    for (size_t place = 0; place < scopes_.size(); ++place) {
      if (place < PlaceCountOf(state)) result = emit.EmitTupleElement(loop, element++);
      scopes_[place].instructions[op_.results[state]] = result;
    }
  }
  return {};
}

Status LockstepLoop::CheckRegions() {
  const OpImport op(importer_, scopes_[0], op_, row_);
  if (op_.regions.size() != 2 || op_.results.size() != state_count()) return op.Bad("is no loop");
  for (const mlir::Region& region : op_.regions) {
    if (region.blocks.size() != 1 || region.blocks[0].arguments.size() != state_count()) {
      return op.Bad("has a region whose arguments are not its state [while C1]");
    }
  }
  return {};
}

Status LockstepLoop::FindCarried() {
  captured_ = importer_.CapturedValues({&op_.regions[0], &op_.regions[1]});
  for (mlir::ValueId id : captured_) {
    for (Scope& scope : scopes_) TRY_STATUS(importer_.ValueOf(scope, id));
  }
  for (mlir::ValueId id : op_.operands) differs_.push_back(!IsSameEverywhere(scopes_, id));
  for (mlir::ValueId id : captured_) differs_.push_back(!IsSameEverywhere(scopes_, id));
  return {};
}

void LockstepLoop::FindDiffering() {
  for (int round = 0; round < kMostRounds; ++round) {
    if (!SpreadDifferences()) return;
  }
  std::fill_n(differs_.begin(), state_count(), true);
  condition_differs_ = true;
}

bool LockstepLoop::SpreadDifferences() {
  const std::vector<bool> decisions = DifferingResults(condition());
  condition_differs_ = std::ranges::find(decisions, true) != decisions.end();
  std::vector<bool> state = DifferingResults(body());
  // Another number of results is refused when the body is imported.
  state.resize(state_count(), true);
  bool has_changed = false;
  for (size_t number = 0; number < state_count(); ++number) {
    const bool differs = differs_[number] || state[number] || condition_differs_;
    has_changed = has_changed || differs != differs_[number];
    differs_[number] = differs;
  }
  return has_changed;
}

std::vector<bool> LockstepLoop::DifferingResults(const mlir::Block& block) const {
  std::unordered_set<mlir::ValueId> differing;
  for (size_t carried = 0; carried < differs_.size(); ++carried) {
    if (differs_[carried]) differing.insert(CarriedIn(block, carried));
  }
  std::vector<bool> results;
  for (const mlir::Operation& op : block.operations) {
    const std::string_view name = importer_.source().name_of(op);
    const auto differs = [&](mlir::ValueId id) { return differing.contains(id); };
    if (IsTerminator(name)) {
      std::ranges::transform(op.operands, std::back_inserter(results), differs);
      break;
    }
    const OpRow* row = FindOpRow(name);
    const bool is_same = row != nullptr && IsPlaceless(*row) && std::ranges::none_of(op.operands, differs);
    if (!is_same) differing.insert(op.results.begin(), op.results.end());
  }
  return results;
}

mlir::ValueId LockstepLoop::CarriedIn(const mlir::Block& block, size_t carried) const {
  return carried < state_count() ? block.arguments[carried] : captured_[carried - state_count()];
}

std::vector<Scope> LockstepLoop::Open(std::string_view name, const mlir::Block& block) {
  const ir::ComputationId id = importer_.module().AddComputation(HloName(name));
  std::vector<Scope> scopes(scopes_.size(), Scope{id, {}});
  std::vector<ir::Shape> shapes;
  for (size_t carried = 0; carried < differs_.size(); ++carried) {
    const mlir::ValueId value = carried < state_count() ? op_.operands[carried] : captured_[carried - state_count()];
    const ir::Shape& shape = importer_.module().shape(scopes_[0].instructions.at(value));
    shapes.insert(shapes.end(), PlaceCountOf(carried), shape);
  }
  OpImport emit(importer_, scopes[0], op_, row_);
  const ir::InstrId parameter =
      emit.Emit(ir::Opcode::kParameter, ir::Shape::Tuple(std::move(shapes)), {}, ir::ParameterAttributes{0});
  size_t element = 0;
  for (size_t carried = 0; carried < differs_.size(); ++carried) {
    ir::InstrId value;
    for (size_t place = 0; place < scopes.size(); ++place) {
      if (place < PlaceCountOf(carried)) value = emit.EmitTupleElement(parameter, element++);
      scopes[place].instructions[CarriedIn(block, carried)] = value;
    }
  }
  return scopes;
}

Result<std::vector<ir::InstrId>> LockstepLoop::Predicates(const std::vector<Scope>& body_scopes) {
  std::vector<Scope> scopes;
  for (const Scope& body_scope : body_scopes) {
    scopes.push_back({body_scope.computation_id, {}});
    for (size_t carried = 0; carried < differs_.size(); ++carried) {
      scopes.back().instructions[CarriedIn(condition(), carried)] =
          body_scope.instructions.at(CarriedIn(body(), carried));
    }
  }
  TRY(const Results results, lockstep_.ImportBlock(condition(), scopes));
  std::vector<ir::InstrId> predicates;
  for (const std::vector<ir::InstrId>& result : results) {
    const bool is_scalar = result.size() == 1 && importer_.module().shape(result[0]).is_scalar();
    if (!is_scalar) return InvalidArgument("the condition of a loop gives no truth value", importer_.PlaceOf(op_));
    predicates.push_back(result[0]);
  }
  return predicates;
}

ir::InstrId LockstepLoop::Kept(OpImport& emit, ir::InstrId predicate, ir::InstrId next, ir::InstrId previous) {
  const ir::Shape shape = emit.shape(next);
  // Tokens have no state.
  if (!shape.is_array()) return next;
  if (!shape.is_scalar()) {
    const ir::Shape wide = ir::Shape::Array(ir::ElementType::kPred, shape.dimensions);
    predicate = emit.Emit(ir::Opcode::kBroadcast, wide, {predicate}, ir::DimensionsAttributes{});
  }
  return emit.Emit(ir::Opcode::kSelect, shape, {predicate, next, previous});
}

Result<ir::ComputationId> LockstepLoop::ImportBody() {
  std::vector<Scope> scopes = Open("while_body", body());
  std::vector<ir::InstrId> predicates;
  if (condition_differs_) {
    TRY(predicates, Predicates(scopes));
  }
  TRY(const Results results, lockstep_.ImportBlock(body(), scopes));
  if (results[0].size() != state_count()) {
    return InvalidArgument("the body of a loop does not return its state", importer_.PlaceOf(op_));
  }
  OpImport emit(importer_, scopes[0], op_, row_);
  std::vector<ir::InstrId> state;
  for (size_t carried = 0; carried < differs_.size(); ++carried) {
    for (size_t place = 0; place < PlaceCountOf(carried); ++place) {
      const ir::InstrId previous = scopes[place].instructions.at(CarriedIn(body(), carried));
      const ir::InstrId next = carried < state_count() ? results[place][carried] : previous;
      const bool may_stay = condition_differs_ && carried < state_count();
      state.push_back(may_stay ? Kept(emit, predicates[place], next, previous) : next);
    }
  }
  importer_.module().SetRoot(scopes[0].computation_id, emit.EmitTuple(state));
  return scopes[0].computation_id;
}

Result<ir::ComputationId> LockstepLoop::ImportCondition() {
  std::vector<Scope> scopes = Open("while_condition", condition());
  TRY(const Results results, lockstep_.ImportBlock(condition(), scopes));
  if (results[0].size() != 1) {
    return InvalidArgument("the condition of a loop gives no truth value", importer_.PlaceOf(op_));
  }
  OpImport emit(importer_, scopes[0], op_, row_);
  ir::InstrId any = results[0][0];
  for (size_t place = 1; condition_differs_ && place < results.size(); ++place) {
    any = emit.Emit(ir::Opcode::kOr, emit.shape(any), {any, results[place][0]});
  }
  importer_.module().SetRoot(scopes[0].computation_id, any);
  return scopes[0].computation_id;
}

}  // namespace stead::frontend
