// What an instruction says beyond opcode, operands and shape: one plain struct per set of attributes.
//   Equality is by value (literals by their bits), so that equal instructions can be found.
//   Attributes that no room interprets (sharding, frontend_attributes, backend_config, precision, channel ids, ...) stay
//   as text in Instruction::extra and are printed back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/copy_reason.h"
#include "ir/literal.h"

namespace stead::ir {

using Dimensions = std::vector<int64_t>;

struct ParameterAttributes {
  int64_t number = 0;
  friend bool operator==(const ParameterAttributes&, const ParameterAttributes&) = default;
};
struct TupleElementAttributes {
  int64_t index = 0;
  friend bool operator==(const TupleElementAttributes&, const TupleElementAttributes&) = default;
};
struct CompareAttributes {
  enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
  enum class Type : uint8_t { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };
  Direction direction = Direction::kEq;
  Type type = Type::kDefault;
  friend bool operator==(const CompareAttributes&, const CompareAttributes&) = default;
};
// broadcast: dimensions[k] = result dimension of operand dimension k; transpose: result dimension k = operand dimension
// dimensions[k]; reduce, reverse, map: the dimensions concerned; concatenate and iota: the one dimension.
struct DimensionsAttributes {
  Dimensions dimensions;
  friend bool operator==(const DimensionsAttributes&, const DimensionsAttributes&) = default;
};
struct SliceAttributes {
  Dimensions starts, limits, strides;
  friend bool operator==(const SliceAttributes&, const SliceAttributes&) = default;
};
struct DynamicSliceAttributes {
  Dimensions sizes;
  friend bool operator==(const DynamicSliceAttributes&, const DynamicSliceAttributes&) = default;
};
struct PadAttributes {
  Dimensions low, high, interior;  // low and high may be negative
  friend bool operator==(const PadAttributes&, const PadAttributes&) = default;
};
struct DotAttributes {
  Dimensions lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  friend bool operator==(const DotAttributes&, const DotAttributes&) = default;
};
struct WindowDimension {
  int64_t size = 1, stride = 1, padding_low = 0, padding_high = 0, window_dilation = 1, base_dilation = 1;
  bool reversal = false;
  friend bool operator==(const WindowDimension&, const WindowDimension&) = default;
};
// reduce-window, select-and-scatter.
struct WindowAttributes {
  std::vector<WindowDimension> window;
  friend bool operator==(const WindowAttributes&, const WindowAttributes&) = default;
};
struct ConvolutionAttributes {
  std::vector<WindowDimension> window;  // per spatial dimension
  int64_t input_batch = 0, input_feature = 1, kernel_input_feature = 0, kernel_output_feature = 1, output_batch = 0,
          output_feature = 1;
  Dimensions input_spatial, kernel_spatial, output_spatial;
  int64_t feature_group_count = 1, batch_group_count = 1;
  friend bool operator==(const ConvolutionAttributes&, const ConvolutionAttributes&) = default;
};
struct GatherAttributes {
  Dimensions offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  Dimensions slice_sizes;
  bool indices_are_sorted = false;
  friend bool operator==(const GatherAttributes&, const GatherAttributes&) = default;
};
// Operands: k inputs, scatter indices, k updates.
struct ScatterAttributes {
  Dimensions update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, input_batching_dims,
      scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
  friend bool operator==(const ScatterAttributes&, const ScatterAttributes&) = default;
};
struct SortAttributes {
  int64_t dimension = 0;
  bool is_stable = false;
  friend bool operator==(const SortAttributes&, const SortAttributes&) = default;
};
struct FusionAttributes {
  std::string kind = "kLoop";  // kLoop, kInput, kOutput, kCustom, kScatter
  friend bool operator==(const FusionAttributes&, const FusionAttributes&) = default;
};
struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand = 0;
  ShapeIndex operand_index;
  friend bool operator==(const OutputOperandAlias&, const OutputOperandAlias&) = default;
};
struct CustomCallAttributes {
  std::string target;
  std::vector<OutputOperandAlias> aliases;  // output_to_operand_aliasing
  bool has_side_effect = false;
  friend bool operator==(const CustomCallAttributes&, const CustomCallAttributes&) = default;
};
struct CopyAttributes {
  CopyReason reason = CopyReason::kWritten;
  friend bool operator==(const CopyAttributes&, const CopyAttributes&) = default;
};
struct ReducePrecisionAttributes {
  int64_t exponent_bits = 8, mantissa_bits = 23;
  friend bool operator==(const ReducePrecisionAttributes&, const ReducePrecisionAttributes&) = default;
};
struct RngBitGeneratorAttributes {
  std::string algorithm = "rng_default";
  friend bool operator==(const RngBitGeneratorAttributes&, const RngBitGeneratorAttributes&) = default;
};
struct FftAttributes {
  std::string type = "FFT";
  Dimensions length;
  friend bool operator==(const FftAttributes&, const FftAttributes&) = default;
};
struct CholeskyAttributes {
  bool lower = false;
  friend bool operator==(const CholeskyAttributes&, const CholeskyAttributes&) = default;
};
struct TriangularSolveAttributes {
  bool left_side = false, lower = false, unit_diagonal = false;
  std::string transpose_a = "NO_TRANSPOSE";
  friend bool operator==(const TriangularSolveAttributes&, const TriangularSolveAttributes&) = default;
};
// while: trip count from backend_config known_trip_count, absent when unknown.
struct WhileAttributes {
  std::optional<int64_t> trip_count;
  friend bool operator==(const WhileAttributes&, const WhileAttributes&) = default;
};

using Attributes = std::variant<std::monostate, Literal, ParameterAttributes, TupleElementAttributes, CompareAttributes,
                                DimensionsAttributes, SliceAttributes, DynamicSliceAttributes, PadAttributes,
                                DotAttributes, WindowAttributes, ConvolutionAttributes, GatherAttributes,
                                ScatterAttributes, SortAttributes, FusionAttributes, CustomCallAttributes,
                                CopyAttributes, ReducePrecisionAttributes, RngBitGeneratorAttributes, FftAttributes,
                                CholeskyAttributes, TriangularSolveAttributes, WhileAttributes>;

// `key=value` as written, for attributes that are only passed through.
struct ExtraAttribute {
  std::string key;
  std::string value;
  friend bool operator==(const ExtraAttribute&, const ExtraAttribute&) = default;
};

// metadata={op_name="..." source_file="..." source_line=3 stack_frame_id=2 ...}
struct Metadata {
  std::string op_name, op_type, source_file;
  int source_line = 0;
  int stack_frame_id = 0;             // 0: none; else a row of Module::stack_frames
  std::vector<ExtraAttribute> extra;  // fields only passed through
  bool empty() const {
    return op_name.empty() && op_type.empty() && source_file.empty() && !source_line && !stack_frame_id &&
           extra.empty();
  }
};

}  // namespace stead::ir
