// Values typed by hand, most from the examples of the StableHLO specification.
#include "interp/ops/movement/indexing.h"

#include <gtest/gtest.h>

#include "interp/testing.h"

namespace stead::interp {
namespace {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Values = std::vector<double>;

Shape Int(std::vector<int64_t> dimensions) { return Shape::Array(ElementType::kS32, std::move(dimensions)); }
ir::Literal Int(std::vector<int64_t> dimensions, const Values& values) {
  return Numbers(ElementType::kS32, std::move(dimensions), values);
}

TEST(DynamicSlice, StartsAreMovedInside) {
  ir::Literal operand = Int({4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(OneOp(Opcode::kDynamicSlice, Int({2, 2}), ir::DynamicSliceAttributes{{2, 2}})
                .Numbers({operand, Int({}, {-1}), Int({}, {3})}),
            (Values{1, 1, 1, 1}));
}

TEST(DynamicSlice, UnsignedStartsBeyondSignedRangeAreLarge) {
  ir::Literal start = WriteAll(Shape::Array(ElementType::kU64, {}), std::vector<uint64_t>{~0ull});
  EXPECT_EQ(
      OneOp(Opcode::kDynamicSlice, Int({1}), ir::DynamicSliceAttributes{{1}}).Numbers({Int({3}, {1, 2, 3}), start}),
      (Values{3}));
}

TEST(DynamicUpdateSlice, WritesTheUpdateInside) {
  ir::Literal operand = Int({4, 4}, {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(OneOp(Opcode::kDynamicUpdateSlice, Int({4, 4}))
                .Numbers({operand, Int({2, 2}, {1, 1, 1, 1}), Int({}, {-1}), Int({}, {3})}),
            (Values{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(Gather, TakesSlicesWhereTheIndicesSay) {
  // The specification's example, without its batching dimension.
  Values operand(24);
  for (int position = 0; position < 24; ++position) operand[position] = position + 1;
  ir::GatherAttributes attributes;
  attributes.offset_dims = {2, 3};
  attributes.collapsed_slice_dims = {0};
  attributes.start_index_map = {1, 0};
  attributes.index_vector_dim = 2;
  attributes.slice_sizes = {1, 2, 2};
  ir::Literal indices = Int({2, 3, 2}, {0, 0, 1, 0, 2, 1, 0, 1, 1, 0, 0, 9});
  EXPECT_EQ(OneOp(Opcode::kGather, Int({2, 3, 2, 2}), attributes).Numbers({Int({3, 4, 2}, operand), indices}),
            (Values{1, 2, 3, 4, 3, 4, 5, 6, 13, 14, 15, 16, 9, 10, 11, 12, 3, 4, 5, 6, 17, 18, 19, 20}));
}

TEST(Gather, BatchingDimensionsFollowTheBatch) {
  ir::GatherAttributes attributes;
  attributes.operand_batching_dims = {0};
  attributes.start_indices_batching_dims = {1};
  attributes.start_index_map = {1};
  attributes.collapsed_slice_dims = {1};
  attributes.index_vector_dim = 2;
  attributes.slice_sizes = {1, 1};
  // result[p, b] = operand[b, indices[p, b]]
  EXPECT_EQ(OneOp(Opcode::kGather, Int({3, 2}), attributes)
                .Numbers({Int({2, 3}, {10, 11, 12, 20, 21, 22}), Int({3, 2}, {2, 0, 1, 1, 0, 7})}),
            (Values{12, 20, 11, 21, 10, 22}));
}

OneOp ScatterAdd(Shape shape, ir::ScatterAttributes attributes) {
  OneOp scatter(Opcode::kScatter, std::move(shape), std::move(attributes));
  scatter.Calls(Opcode::kAdd, {ElementType::kS32, ElementType::kS32}, ElementType::kS32);
  return scatter;
}

TEST(Scatter, AddsEveryUpdateAndDropsWindowsThatStickOut) {
  ir::ScatterAttributes attributes;
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  EXPECT_EQ(ScatterAdd(Int({3}), attributes)
                .Numbers({Int({3}, {1, 1, 1}), Int({5}, {2, 2, -1, 3, 0}), Int({5}, {5, 6, 7, 8, 9})}),
            (Values{10, 1, 12}));
}

TEST(Scatter, AWindowInsideInPartIsDroppedWhole) {
  ir::ScatterAttributes attributes;
  attributes.update_window_dims = {1};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  EXPECT_EQ(ScatterAdd(Int({4}), attributes)
                .Numbers({Int({4}, {0, 0, 0, 0}), Int({2, 1}, {1, 3}), Int({2, 2}, {1, 2, 3, 4})}),
            (Values{0, 1, 2, 0}));
}

TEST(Scatter, SeveralInputsGiveATuple) {
  ir::ScatterAttributes attributes;
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  ir::Module module;
  ir::ComputationId body = module.AddComputation("swap");
  std::vector<ir::InstrId> parameters;
  for (int64_t number = 0; number < 4; ++number) {
    ir::Instruction parameter;
    parameter.shape = Int({});
    parameter.attributes = ir::ParameterAttributes{number};
    parameters.push_back(module.Add(body, std::move(parameter)));
  }
  // (update 1, update 0)
  ir::Instruction tuple{Opcode::kTuple, "", Shape::Tuple({Int({}), Int({})}), {parameters[3], parameters[2]}};
  module.SetRoot(body, module.Add(body, std::move(tuple)));
  module.entry = module.AddComputation("main");
  std::vector<ir::Literal> operands = {Int({2}, {1, 2}), Int({2}, {3, 4}), Int({1, 1}, {1}), Int({1}, {7}),
                                       Int({1}, {8})};
  ir::Instruction scatter{Opcode::kScatter, "", Shape::Tuple({Int({2}), Int({2})}), {}, {}, {body}, attributes};
  for (size_t number = 0; number < operands.size(); ++number) {
    ir::Instruction parameter;
    parameter.shape = operands[number].shape();
    parameter.attributes = ir::ParameterAttributes{static_cast<int64_t>(number)};
    scatter.operands.push_back(module.Add(module.entry, std::move(parameter)));
  }
  module.SetRoot(module.entry, module.Add(module.entry, std::move(scatter)));
  ir::Literal result = Evaluate(module, operands).value();
  EXPECT_EQ(NumbersOf(result.elements()[0]), (Values{1, 8}));
  EXPECT_EQ(NumbersOf(result.elements()[1]), (Values{3, 7}));
}

}  // namespace
}  // namespace stead::interp
