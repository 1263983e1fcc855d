// Branches and loops inside a kernel. Each region takes in what it uses and hands on its values and the memory it wrote.
#include <algorithm>

#include "frontend/mosaic/ops/kernel_importers.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

namespace {

// The region, or none when it has no block (an `if` without `else`), as a branch: a computation that takes a tuple of `inputs`
// and gives the values the region hands on, then the buffers that any branch writes.
Result<ir::ComputationId> ImportBranch(KernelOp& op, const mlir::Region* region, const Captured& captured,
                                       const std::vector<InstrId>& inputs) {
  std::vector<InstrId> none;
  TRY(KernelScope inner, op.importer().Enter(op.scope(), captured, "branch", {}, inputs, none));
  std::vector<InstrId> results;
  if (region != nullptr && !region->blocks.empty()) {
    TRY(results, op.importer().ImportInline(*region, inner));
  }
  for (size_t buffer : captured.written_buffers) results.push_back(inner.buffers[buffer]);
  TRY(InstrId root, op.emit().Tuple(inner, std::move(results)));
  op.emit().module().SetRoot(inner.computation_id, root);
  return inner.computation_id;
}

}  // namespace

Status ImportKernelBranches(KernelOp& op) {
  const std::vector<mlir::Region>& regions = op.operation().regions;
  if (regions.empty() || regions.size() > 2) return op.Bad("has neither one nor two branches");
  TRY(InstrId predicate, op.Value(0));
  std::vector<const mlir::Region*> branches;
  for (const mlir::Region& region : regions) branches.push_back(&region);
  TRY(Captured captured, op.importer().CapturedBy(branches, op.scope()));
  const size_t value_count = op.operation().results.size();
  if (value_count == 0 && captured.written_buffers.empty()) return {};
  branches.resize(2, nullptr);

  const std::vector<InstrId> inputs = op.importer().InputsOf(op.scope(), captured);
  std::vector<ir::ComputationId> called;
  for (const mlir::Region* branch : branches) {
    TRY(ir::ComputationId computation, ImportBranch(op, branch, captured, inputs));
    called.push_back(computation);
  }
  TRY(InstrId arguments, op.emit().Tuple(op.scope(), inputs));
  ir::Shape shape = op.shape(op.emit().module().root(called[0]));
  TRY(InstrId branched, op.emit().Add(op.scope(), Opcode::kConditional, {predicate, arguments, arguments}, {},
                                      std::move(shape), std::move(called)));
  if (op.shape(branched).elements.size() != value_count + captured.written_buffers.size())
    return op.Bad("has branches that give another number of values than it has results");
  for (size_t result = 0; result < value_count; ++result) {
    TRY(InstrId value, op.emit().TupleElement(op.scope(), branched, result));
    TRY_STATUS(op.SetResult(value, result));
  }
  for (size_t number = 0; number < captured.written_buffers.size(); ++number) {
    TRY(op.scope().buffers[captured.written_buffers[number]],
        op.emit().TupleElement(op.scope(), branched, value_count + number));
  }
  return {};
}

// Operands: first, end, step, then the values that go round. Arguments of the region: the counter, then those values.
Status ImportKernelFor(KernelOp& op) {
  const mlir::Operation& loop = op.operation();
  if (loop.regions.size() != 1 || loop.regions[0].blocks.size() != 1 || op.operand_count() < 3)
    return op.Bad("has not bounds, step and one block");
  const std::vector<mlir::ValueId>& arguments = loop.regions[0].blocks[0].arguments;
  if (arguments.size() != op.operand_count() - 2) return op.Bad("has not one argument per value that goes round");
  TRY(std::vector<InstrId> operands, op.Values(0, op.operand_count()));
  std::vector<InstrId> state = {operands[0]};
  state.insert(state.end(), operands.begin() + 3, operands.end());

  TRY(Captured captured, op.importer().CapturedBy({&loop.regions[0]}, op.scope()));
  // End and step are used by the loop itself.
  for (size_t operand : {size_t{1}, size_t{2}}) {
    if (std::ranges::count(captured.values, loop.operands[operand]) == 0)
      captured.values.push_back(loop.operands[operand]);
  }
  auto is_left = [&](KernelScope& scope, const std::vector<InstrId>& now) -> Result<std::vector<InstrId>> {
    TRY(InstrId less, op.emit().Add(scope, Opcode::kCompare, {now[0], scope.values.at(loop.operands[1])},
                                    ir::CompareAttributes{ir::CompareAttributes::Direction::kLt}));
    return std::vector<InstrId>{less};
  };
  auto step = [&](KernelScope& scope, const std::vector<InstrId>& now) -> Result<std::vector<InstrId>> {
    for (size_t number = 0; number < now.size(); ++number) scope.values[arguments[number]] = now[number];
    TRY(std::vector<InstrId> next, op.importer().ImportInline(loop.regions[0], scope));
    TRY(InstrId counter, op.emit().Add(scope, Opcode::kAdd, {now[0], scope.values.at(loop.operands[2])}));
    next.insert(next.begin(), counter);
    return next;
  };
  TRY(std::vector<InstrId> last, op.importer().Loop(op.scope(), captured, std::move(state), is_left, step));
  last.erase(last.begin());
  return op.SetResults(last);
}

// The first region tests and hands on, the second makes the next operands of the first. What the first hands on at the end are
// the results: it runs once more after the loop.
Status ImportKernelWhile(KernelOp& op) {
  const mlir::Operation& loop = op.operation();
  if (loop.regions.size() != 2 || loop.regions[0].blocks.size() != 1 || loop.regions[1].blocks.size() != 1)
    return op.Bad("has not two regions of one block");
  TRY(std::vector<InstrId> state, op.Values(0, op.operand_count()));
  TRY(Captured tested, op.importer().CapturedBy({&loop.regions[0]}, op.scope()));
  if (!tested.written_buffers.empty()) return op.Unsupported("that writes memory in its condition is not supported");
  TRY(Captured captured, op.importer().CapturedBy({&loop.regions[0], &loop.regions[1]}, op.scope()));

  // RETURNS the verdict, then what is handed on.
  auto test = [&](KernelScope& scope, const std::vector<InstrId>& now) -> Result<std::vector<InstrId>> {
    const std::vector<mlir::ValueId>& arguments = loop.regions[0].blocks[0].arguments;
    if (arguments.size() != now.size()) return op.Bad("has not one argument per operand");
    for (size_t number = 0; number < now.size(); ++number) scope.values[arguments[number]] = now[number];
    TRY(std::vector<InstrId> verdict, op.importer().ImportInline(loop.regions[0], scope));
    if (verdict.empty()) return op.Bad("has a condition without verdict");
    return verdict;
  };
  auto step = [&](KernelScope& scope, const std::vector<InstrId>& now) -> Result<std::vector<InstrId>> {
    TRY(std::vector<InstrId> handed, test(scope, now));
    const std::vector<mlir::ValueId>& arguments = loop.regions[1].blocks[0].arguments;
    if (arguments.size() != handed.size() - 1) return op.Bad("has not one argument per value handed on");
    for (size_t number = 0; number < arguments.size(); ++number) scope.values[arguments[number]] = handed[number + 1];
    return op.importer().ImportInline(loop.regions[1], scope);
  };
  TRY(std::vector<InstrId> last, op.importer().Loop(op.scope(), captured, std::move(state), test, step));
  TRY(std::vector<InstrId> handed, test(op.scope(), last));
  handed.erase(handed.begin());
  return op.SetResults(handed);
}

// A block of its own, run once.
Status ImportKernelRegion(KernelOp& op) {
  if (op.operation().regions.size() != 1) return op.Bad("has not one region");
  TRY(std::vector<InstrId> values, op.importer().ImportInline(op.operation().regions[0], op.scope()));
  return op.SetResults(values);
}

}  // namespace stead::frontend
