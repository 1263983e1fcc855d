// The state of one import: the body of a kernel becomes a computation with the operands of the call as parameters.
//   Input: a Mosaic module (dialect `stable_mosaic`) and the call that carries it.  Output: a computation whose root is the
//   value of the call. The grid is a loop (grid.cpp), a block is a window of a whole array, a store an update of it.
//   Errors: UNIMPLEMENTED names the operation and the kernel; anything else says what is wrong with the body. No body can crash.
//   Read next: kernel_scope.h (memory as values), kernel_op.h (one operation), kernel_ops.def (which function imports which).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/parsed_module.h"
#include "frontend/mosaic/kernel_scope.h"

namespace stead::frontend {

// What regions use of the scope around them.
struct Captured {
  std::vector<mlir::ValueId> values;
  std::vector<mlir::ValueId> views;
  std::vector<size_t> buffers;          // used at all
  std::vector<size_t> written_buffers;  // a part of `buffers`
};

// Makes values in a scope from the loop's own state.
using LoopStep = std::function<Result<std::vector<ir::InstrId>>(KernelScope&, const std::vector<ir::InstrId>&)>;

class KernelImporter {
 public:
  // `source` and `module` must outlive the importer. REQUIRES: `call` is a custom-call with array operands.
  KernelImporter(const mlir::ParsedModule& source, ir::Module& module, ir::InstrId call)
      : source_(source), emit_(module, call), call_(call) {}

  Result<ir::ComputationId> Import();

  // For the importers of single operations.
  const mlir::ParsedModule& source() const { return source_; }
  KernelEmitter& emit() { return emit_; }
  // The kernel's name as HLO text can carry it.
  std::string computation_name() const;
  Diagnostic Bad(std::string_view problem) const;
  Diagnostic Unsupported(std::string_view what) const;

  // Imports the region's only block into the scope; gives what its terminator hands on.
  Result<std::vector<ir::InstrId>> ImportInline(const mlir::Region& region, KernelScope& scope);
  // What the regions use from the scope.
  Result<Captured> CapturedBy(const std::vector<const mlir::Region*>& regions, const KernelScope& scope) const;
  // All views and buffers of the scope; every buffer may be written.
  Captured Everything(const KernelScope& scope) const;
  // The instructions that stand for what was captured, each once; constants are left out, regions make them again.
  std::vector<ir::InstrId> InputsOf(const KernelScope& scope, const Captured& captured) const;
  // A computation that takes a tuple: first `own` values, then `inputs`. `own_values` receives the former.
  Result<KernelScope> Enter(const KernelScope& outer, const Captured& captured, std::string name,
                            const std::vector<ir::Shape>& own, const std::vector<ir::InstrId>& inputs,
                            std::vector<ir::InstrId>& own_values);
  // A while loop. `condition` gives one pred scalar, `body` the next state; the buffers of `scope` become those after the
  // loop. RETURNS the last state.
  Result<std::vector<ir::InstrId>> Loop(KernelScope& scope, const Captured& captured, std::vector<ir::InstrId> state,
                                        const LoopStep& condition, const LoopStep& body);
  // The values a function of the kernel module returns for `arguments`, imported into `scope`.
  Result<std::vector<ir::InstrId>> CallFunction(std::string_view name, KernelScope& scope,
                                                const std::vector<ir::InstrId>& arguments,
                                                const std::vector<View>& views);

 private:
  friend class Grid;

  Status CheckVersion() const;
  Status FindKernel();
  Result<const mlir::Operation*> FunctionNamed(std::string_view name) const;
  Status ImportOperation(const mlir::Operation& op, KernelScope& scope);
  Result<ir::InstrId> CopyOfConstant(KernelScope& scope, ir::InstrId id);

  const mlir::ParsedModule& source_;
  KernelEmitter emit_;
  ir::InstrId call_;
  std::string name_;
  const mlir::Operation* kernel_ = nullptr;
  int operation_count_ = 0;  // imported so far
};

}  // namespace stead::frontend
