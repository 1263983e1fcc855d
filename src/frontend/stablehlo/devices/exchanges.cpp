#include "frontend/stablehlo/devices/exchanges.h"

#include <algorithm>
#include <unordered_map>

namespace stead::frontend {

namespace {

// Numbers of parts that exchange values with each other, in the order of the operation.
using Group = std::vector<size_t>;

// How two values become one.
struct Reducer {
  std::optional<ir::Opcode> opcode;  // when it is a single operation
  ir::ComputationId body_id;
};

class Exchange {
 public:
  Exchange(std::vector<OpImport>& parts, const std::vector<int64_t>& devices) : parts_(parts), first_(parts[0]) {
    for (size_t part = 0; part < devices.size(); ++part) part_of_.emplace(devices[part], part);
  }

  Status Run() {
    if (first_.opcode() == ir::Opcode::kCollectivePermute) return Permute();
    TRY(const std::vector<Group> groups, ReadGroups());
    for (const Group& group : groups) TRY_STATUS(Within(group));
    return {};
  }

 private:
  std::vector<OpImport>& parts_;
  OpImport& first_;
  std::unordered_map<int64_t, size_t> part_of_;  // by device
  std::optional<Reducer> reducer_;

  Status Within(const Group& group) {
    switch (first_.opcode()) {
      case ir::Opcode::kAllReduce: return AllReduce(group);
      case ir::Opcode::kAllGather: return AllGather(group);
      case ir::Opcode::kAllToAll: return AllToAll(group);
      case ir::Opcode::kReduceScatter: return ReduceScatter(group);
      case ir::Opcode::kCollectiveBroadcast: return Broadcast(group);
      default: return first_.Unsupported("between several devices");
    }
  }

  // The rows of `replica_groups` with devices that have a place. No rows at all: one group of everyone.
  Result<std::vector<Group>> ReadGroups() {
    TRY(mlir::TensorAttribute tensor, first_.Get<mlir::TensorAttribute>("replica_groups"));
    TRY(mlir::Type type, first_.importer().source().pool.type(tensor.type));
    TRY(const ir::Dimensions members, first_.Integers("replica_groups"));
    if (members.empty()) {
      Group everyone(parts_.size());
      for (size_t part = 0; part < parts_.size(); ++part) everyone[part] = part;
      return std::vector<Group>{std::move(everyone)};
    }
    if (type.dimensions.size() != 2 || type.dimensions[1] < 1) return first_.Bad("has groups that are no table");
    const size_t group_size = static_cast<size_t>(type.dimensions[1]);
    std::vector<Group> groups;
    std::vector<bool> is_taken(parts_.size(), false);
    for (size_t start = 0; start + group_size <= members.size(); start += group_size) {
      TRY(Group group, PlacesOf(std::span(members).subspan(start, group_size)));
      for (size_t part : group) {
        if (is_taken[part]) return first_.Bad("has a device in two groups");
        is_taken[part] = true;
      }
      if (!group.empty()) groups.push_back(std::move(group));
    }
    if (std::ranges::find(is_taken, false) != is_taken.end()) return first_.Unsupported("that leaves a device out");
    return groups;
  }

  // Empty when no member has a place. A row that is shorter than the others ends in -1.
  Result<Group> PlacesOf(std::span<const int64_t> devices) {
    Group group;
    size_t absent_count = 0;
    for (int64_t device : devices) {
      const auto found = part_of_.find(device);
      if (found != part_of_.end()) group.push_back(found->second);
      if (found == part_of_.end() && device >= 0) ++absent_count;
    }
    if (group.empty() || absent_count == 0) return group;
    return first_.Unsupported("between devices of which some do not run this code");
  }

  ir::InstrId ValueAt(size_t part, size_t operand) const { return parts_[part].operand(operand); }

  // One value for all members.
  Status SetEverywhere(const Group& group, size_t result, ir::InstrId value) {
    for (size_t part : group) TRY_STATUS(parts_[part].SetResult(result, value));
    return {};
  }

  Status CheckOneResultEach() const {
    if (first_.operands().size() == first_.result_shapes().size()) return {};
    return first_.Bad("has not as many results as operands");
  }

  Result<int64_t> Dimension(std::string_view attribute) {
    TRY(const int64_t dimension, first_.Integer(attribute));
    for (ir::InstrId operand : first_.operands()) {
      const bool exists =
          dimension >= 0 && first_.shape(operand).is_array() && dimension < first_.shape(operand).rank();
      if (!exists) return first_.Bad("names a dimension that an operand does not have");
    }
    return dimension;
  }

  Status FindReducer() {
    if (reducer_) return {};
    TRY(const ir::ComputationId body_id, first_.ImportBody(0));
    const ir::Module& module = first_.importer().module();
    const ir::Computation& body = module.computation(body_id);
    const ir::Instruction& root = module.instruction(body.root);
    reducer_ = Reducer{std::nullopt, body_id};
    const bool is_single = ir::InfoOf(root.opcode).family == ir::OpFamily::kBinary && root.operands == body.parameters;
    if (is_single) reducer_->opcode = root.opcode;
    return {};
  }

  // The values of all members in one, from first to last.
  Result<ir::InstrId> Reduced(const Group& group, size_t operand) {
    TRY_STATUS(FindReducer());
    ir::InstrId sum = ValueAt(group[0], operand);
    const ir::Shape shape = first_.shape(sum);
    ir::Dimensions dimensions;
    for (int64_t dim = 0; dim < shape.rank(); ++dim) dimensions.push_back(dim);
    for (size_t part : std::span(group).subspan(1)) {
      const ir::InstrId next = ValueAt(part, operand);
      if (reducer_->opcode) {
        sum = first_.Emit(*reducer_->opcode, shape, {sum, next});
      } else {
        TRY(sum, first_.EmitOperation(ir::Opcode::kMap, shape, {sum, next}, ir::DimensionsAttributes{dimensions},
                                      {reducer_->body_id}, {}));
      }
    }
    return sum;
  }

  ir::InstrId SideBySide(std::vector<ir::InstrId> values, int64_t dimension) {
    if (values.size() == 1) return values[0];
    ir::Shape shape = first_.shape(values[0]);
    shape.dimensions[static_cast<size_t>(dimension)] *= static_cast<int64_t>(values.size());
    return first_.Emit(ir::Opcode::kConcatenate, std::move(shape), std::move(values),
                       ir::DimensionsAttributes{{dimension}});
  }

  // Piece `number` of `count` equal ones. REQUIRES: the count divides the dimension.
  ir::InstrId Piece(ir::InstrId value, int64_t dimension, size_t number, size_t count) {
    if (count == 1) return value;
    ir::Shape shape = first_.shape(value);
    ir::SliceAttributes slice{ir::Dimensions(shape.dimensions.size(), 0), shape.dimensions,
                              ir::Dimensions(shape.dimensions.size(), 1)};
    const size_t cut = static_cast<size_t>(dimension);
    const int64_t size = shape.dimensions[cut] / static_cast<int64_t>(count);
    shape.dimensions[cut] = size;
    slice.starts[cut] = static_cast<int64_t>(number) * size;
    slice.limits[cut] = slice.starts[cut] + size;
    return first_.Emit(ir::Opcode::kSlice, std::move(shape), {value}, std::move(slice));
  }

  Status CheckDivides(const Group& group, ir::InstrId value, int64_t dimension) const {
    const int64_t size = first_.shape(value).dimensions[static_cast<size_t>(dimension)];
    if (size % static_cast<int64_t>(group.size()) == 0) return {};
    return first_.Bad("cuts a dimension into parts that are not equal");
  }

  Status AllReduce(const Group& group) {
    TRY_STATUS(CheckOneResultEach());
    for (size_t result = 0; result < first_.operands().size(); ++result) {
      TRY(const ir::InstrId sum, Reduced(group, result));
      TRY_STATUS(SetEverywhere(group, result, sum));
    }
    return {};
  }

  Status AllGather(const Group& group) {
    TRY_STATUS(CheckOneResultEach());
    TRY(const int64_t dimension, Dimension("all_gather_dim"));
    for (size_t result = 0; result < first_.operands().size(); ++result) {
      std::vector<ir::InstrId> values;
      for (size_t part : group) values.push_back(ValueAt(part, result));
      TRY_STATUS(SetEverywhere(group, result, SideBySide(std::move(values), dimension)));
    }
    return {};
  }

  Status AllToAll(const Group& group) {
    TRY_STATUS(CheckOneResultEach());
    TRY(const int64_t split, Dimension("split_dimension"));
    TRY(const int64_t joined, Dimension("concat_dimension"));
    for (size_t result = 0; result < first_.operands().size(); ++result) {
      TRY_STATUS(CheckDivides(group, first_.operand(result), split));
      for (size_t member = 0; member < group.size(); ++member) {
        std::vector<ir::InstrId> pieces;
        for (size_t part : group) pieces.push_back(Piece(ValueAt(part, result), split, member, group.size()));
        TRY_STATUS(parts_[group[member]].SetResult(result, SideBySide(std::move(pieces), joined)));
      }
    }
    return {};
  }

  Status ReduceScatter(const Group& group) {
    TRY(const int64_t dimension, Dimension("scatter_dimension"));
    TRY_STATUS(CheckDivides(group, first_.operand(0), dimension));
    TRY(const ir::InstrId sum, Reduced(group, 0));
    for (size_t member = 0; member < group.size(); ++member) {
      TRY_STATUS(parts_[group[member]].SetResult(0, Piece(sum, dimension, member, group.size())));
    }
    return {};
  }

  Status Broadcast(const Group& group) {
    TRY_STATUS(CheckOneResultEach());
    for (size_t result = 0; result < first_.operands().size(); ++result) {
      TRY_STATUS(SetEverywhere(group, result, ValueAt(group[0], result)));
    }
    return {};
  }

  // A device that nobody sends to receives zeros.
  Status Permute() {
    TRY(const ir::Dimensions pairs, first_.Integers("source_target_pairs"));
    if (pairs.size() % 2 != 0) return first_.Bad("has pairs that are no table");
    std::vector<ir::InstrId> received(parts_.size());
    for (size_t pair = 0; pair < pairs.size(); pair += 2) {
      const auto source = part_of_.find(pairs[pair]), target = part_of_.find(pairs[pair + 1]);
      if (target == part_of_.end() && source == part_of_.end()) continue;
      if (target == part_of_.end() || source == part_of_.end()) {
        return first_.Unsupported("between devices of which some do not run this code");
      }
      if (received[target->second].valid()) return first_.Bad("has a device that receives twice");
      received[target->second] = ValueAt(source->second, 0);
    }
    for (size_t part = 0; part < parts_.size(); ++part) {
      TRY_STATUS(parts_[part].SetResult(0, received[part].valid() ? received[part] : Zeros(first_.result_shape())));
    }
    return {};
  }

  ir::InstrId Zeros(const ir::Shape& shape) {
    const ir::Shape scalar = ir::Shape::Array(shape.element_type, {});
    const ir::InstrId zero = first_.Emit(ir::Opcode::kConstant, scalar, {}, ir::Literal::Zeros(scalar));
    return first_.Emit(ir::Opcode::kBroadcast, shape, {zero}, ir::DimensionsAttributes{});
  }
};

}  // namespace

Status ImportExchange(std::vector<OpImport>& parts, const std::vector<int64_t>& devices) {
  for (const OpImport& part : parts) {
    for (ir::InstrId operand : part.operands()) {
      if (!part.shape(operand).is_array()) return part.Unsupported("of values that are no arrays");
    }
  }
  return Exchange(parts, devices).Run();
}

}  // namespace stead::frontend
