// The state of one import: functions and regions become computations, operations become instructions.
//   Input: a ParsedModule.  Output: ir::Module; which instruction each value became is kept per computation.
//   A computation of HLO cannot see values of another one. Constants that a region uses from outside are therefore made
//   again inside it; other values are passed in by the importer of the operation that owns the region (control.cpp).
//   Read next: op_import.h (one operation), import_ops.def (which function imports which operation).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/parsed_module.h"
#include "frontend/stablehlo/devices/sharding.h"
#include "ir/module.h"

namespace stead::frontend {

// What the values of the file became in one computation.
struct Scope {
  ir::ComputationId computation_id;
  std::unordered_map<mlir::ValueId, ir::InstrId> instructions;
};

// The place of the device whose part of a manual computation is being imported.
struct DevicePlace {
  Mesh mesh;
  std::vector<int64_t> coordinates;
  std::vector<size_t> manual_axes;  // along which the coordinates are known; along others they are 0
};

// How a computation takes or gives several values.
enum class Packing {
  kSeparate,        // one parameter each (parameters only)
  kTuple,           // one tuple, whatever their number
  kTupleUnlessOne,  // the value itself when there is one, else one tuple
};

// How a region becomes a computation.
struct RegionForm {
  std::string_view name;
  std::vector<mlir::ValueId> inputs;  // the values its parameters stand for: block arguments and captured values
  Packing input_packing = Packing::kSeparate;
  std::vector<mlir::ValueId> extra_results;  // values to return after those that the region returns
  Packing result_packing = Packing::kTupleUnlessOne;
};

// True for the names of operations that end a block and give what it returns.
bool IsTerminator(std::string_view name);

// Counts functions and regions that are open at once, so that hostile nesting does not exhaust the machine's stack.
class DepthGuard {
 public:
  explicit DepthGuard(int& depth) : depth_(depth) { ++depth_; }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  // RETURNS an error when they are too many.
  Status status() const;

 private:
  int& depth_;
};

class Importer {
 public:
  // `source` must outlive the importer; large constants are views into it, kept alive by `owner` unless that is null.
  Importer(const mlir::ParsedModule& source, std::shared_ptr<const void> owner, std::string file_name)
      : source_(source), owner_(std::move(owner)), file_name_(std::move(file_name)), shardings_(source) {}

  Result<ir::Module> ImportModule();

  // For the importers of single operations.
  const mlir::ParsedModule& source() const { return source_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  ir::Module& module() { return module_; }
  const ShardingReader& shardings() const { return shardings_; }
  // For how many devices the program is.
  int64_t device_count() const { return device_count_; }
  // Inside a manual computation; nothing outside.
  const std::optional<DevicePlace>& place() const { return place_; }
  void SetPlace(std::optional<DevicePlace> place) { place_ = std::move(place); }
  // The shape of a value, from its type.
  Result<ir::Shape> ShapeOf(mlir::ValueId id);
  // The instruction that `id` became in the scope; a constant of an outer scope is made again.
  Result<ir::InstrId> ValueOf(Scope& scope, mlir::ValueId id);
  // The computation of the function `name`, imported on first use.
  Result<ir::ComputationId> FunctionNamed(std::string_view name);
  // The region of the function `name`; nullptr when nobody defines it.
  const mlir::Region* FunctionBody(std::string_view name) const;
  // The region's only block as a computation.
  Result<ir::ComputationId> ImportRegion(const mlir::Region& region, const RegionForm& form);
  // Imports the operations of the region's only block into `scope`; gives what its terminator returns.
  Result<std::vector<ir::InstrId>> ImportInline(const mlir::Region& region, Scope& scope);
  // The values from outside that the regions use, constants excepted, each once, in order of use.
  std::vector<mlir::ValueId> CapturedValues(const std::vector<const mlir::Region*>& regions) const;
  // Imports one operation into `scope`, in which its operands are known.
  Status ImportOperation(const mlir::Operation& op, Scope& scope);
  // Open regions and functions, for DepthGuard.
  int& depth() { return depth_; }
  // Counts operations that are written out for each device. RETURNS an error when the program becomes too long.
  Status CountWrittenOut(int64_t operation_count);
  // Remembers that the value is the result of a constant operation.
  void AddConstant(mlir::ValueId id, const mlir::Operation& op) { constants_.emplace(id, &op); }
  SourcePlace PlaceOf(const mlir::Operation& op) const;

 private:
  struct Function {
    const mlir::Operation* op = nullptr;
    // By the device whose part it is; kEveryDevice outside of manual computations.
    std::unordered_map<int64_t, ir::ComputationId> computation_ids;
    bool is_open = false;  // being imported
  };
  static constexpr int64_t kEveryDevice = -1;

  Status CollectFunctions();
  Result<int64_t> DeviceCount(std::string_view attribute) const;
  Result<ir::ComputationId> ImportFunction(const Function& function, std::string_view name);
  Status ImportEntryAttributes(const mlir::Operation& main);
  Status ImportArgumentAttributes(const mlir::DictionaryAttribute& attributes, int64_t parameter);
  Status ImportEntryLayouts(const mlir::Operation& main);
  Status ImportModuleAliases();
  Status ImportAliasedParameter(const mlir::DictionaryAttribute& attributes, ir::InputOutputAlias& alias) const;
  Status CheckAlias(const ir::InputOutputAlias& alias) const;
  Result<std::vector<ir::InstrId>> ImportBlock(const mlir::Block& block, Scope& scope);
  Result<std::vector<ir::InstrId>> AddParameters(const mlir::Block& block, const RegionForm& form, Scope& scope);
  ir::InstrId AddParameter(const Scope& scope, int64_t number, ir::Shape shape, mlir::AttributeId location_id,
                           std::string_view default_name);
  Status SetRoot(Scope& scope, std::vector<ir::InstrId> results, Packing packing);

  const mlir::ParsedModule& source_;
  std::shared_ptr<const void> owner_;
  std::string file_name_;
  ShardingReader shardings_;
  int64_t device_count_ = 1;
  std::optional<DevicePlace> place_;
  ir::Module module_;
  std::unordered_map<std::string_view, Function> functions_;
  std::unordered_map<mlir::ValueId, const mlir::Operation*> constants_;
  std::unordered_map<mlir::TypeId, ir::Shape> shapes_;
  int depth_ = 0;  // open regions and functions
  int64_t written_out_count_ = 0;
};

}  // namespace stead::frontend
