// The keys under which HLO text keeps the fields of each attribute struct: one list that the parser reads by and the printer
// writes by.
//   VisitFields(opcode, attributes, visit) calls, for every field in the order of the text:
//     visit.Required(key, field)            must stand in the text
//     visit.Always(key, field)              may be missing when read; is always written
//     visit.Optional(key, field, default)   may be missing; is written when it differs from the default
//   `field` is an integer, a bool, a list of integers, a word (std::string), an enum of CompareAttributes, or one of the
//   Ref structs below, which give several fields, or a field of unusual spelling, one key.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "ir/attributes.h"
#include "ir/op.h"

namespace stead::ir {

// Attributes of the kind that this op carries, with default values; monostate for ops without.
Attributes DefaultAttributes(Opcode opcode);

// The keys of an op's called computations, in the order of Instruction::called. Empty for ops that call nothing, for
// conditional (whose keys depend on the text) and for custom-call (one key with a list).
std::span<const std::string_view> CalledKeys(Opcode opcode);

// "EQ", "TOTALORDER" and back.
std::string_view DirectionName(CompareAttributes::Direction direction);
std::optional<CompareAttributes::Direction> DirectionFromName(std::string_view name);
std::string_view CompareTypeName(CompareAttributes::Type type);
std::optional<CompareAttributes::Type> CompareTypeFromName(std::string_view name);

template <typename A, typename T>
concept Is = std::same_as<std::remove_const_t<A>, T>;

// Fields that share one key or are spelled unusually; const when they are written.
template <typename List>  // a single number that is kept in a list: iota_dimension=1
struct OnlyElementRef {
  List& list;
};
template <typename Integer>  // a single number that is written as a list: dimensions={1}
struct BracedIntegerRef {
  Integer& value;
};
template <typename String>  // custom_call_target="x"
struct QuotedRef {
  String& text;
};
template <typename A>  // slice={[0:10:2], [1:3]}
struct SliceRef {
  A& fields;
};
template <typename A>  // padding=1_2x0_0_1
struct PaddingRef {
  A& fields;
};
template <typename List>  // window={size=3x3 pad=1_1x1_1}
struct WindowRef {
  List& window;
};
template <typename A>  // dim_labels=b01f_01io->b01f
struct ConvolutionLabelsRef {
  A& fields;
};
template <typename List>  // output_to_operand_aliasing={{0}: (1, {})}
struct AliasesRef {
  List& aliases;
};

template <Is<ParameterAttributes> A, typename Visitor>
void VisitFields(Opcode, A&, Visitor&) {}

template <Is<TupleElementAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("index", fields.index);
}

template <Is<CompareAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("direction", fields.direction);
  visit.Optional("type", fields.type, CompareAttributes::Type::kDefault);
}

template <Is<DimensionsAttributes> A, typename Visitor>
void VisitFields(Opcode opcode, A& fields, Visitor& visit) {
  if (opcode == Opcode::kIota) {
    OnlyElementRef only{fields.dimensions};
    return visit.Required("iota_dimension", only);
  }
  bool may_be_missing = opcode == Opcode::kBroadcast || opcode == Opcode::kMap;
  if (may_be_missing) return visit.Always("dimensions", fields.dimensions);
  visit.Required("dimensions", fields.dimensions);
}

template <Is<SliceAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  SliceRef<A> slice{fields};
  visit.Required("slice", slice);
}

template <Is<DynamicSliceAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("dynamic_slice_sizes", fields.sizes);
}

template <Is<PadAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  PaddingRef<A> padding{fields};
  visit.Required("padding", padding);
}

template <Is<DotAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Optional("lhs_batch_dims", fields.lhs_batch, Dimensions());
  visit.Optional("lhs_contracting_dims", fields.lhs_contracting, Dimensions());
  visit.Optional("rhs_batch_dims", fields.rhs_batch, Dimensions());
  visit.Optional("rhs_contracting_dims", fields.rhs_contracting, Dimensions());
}

template <Is<WindowAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  WindowRef window{fields.window};
  visit.Always("window", window);
}

template <Is<ConvolutionAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  WindowRef window{fields.window};
  visit.Always("window", window);
  ConvolutionLabelsRef<A> labels{fields};
  visit.Required("dim_labels", labels);
  visit.Optional("feature_group_count", fields.feature_group_count, int64_t{1});
  visit.Optional("batch_group_count", fields.batch_group_count, int64_t{1});
}

template <Is<GatherAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("offset_dims", fields.offset_dims);
  visit.Required("collapsed_slice_dims", fields.collapsed_slice_dims);
  visit.Required("start_index_map", fields.start_index_map);
  visit.Optional("operand_batching_dims", fields.operand_batching_dims, Dimensions());
  visit.Optional("start_indices_batching_dims", fields.start_indices_batching_dims, Dimensions());
  visit.Required("index_vector_dim", fields.index_vector_dim);
  visit.Required("slice_sizes", fields.slice_sizes);
  visit.Optional("indices_are_sorted", fields.indices_are_sorted, false);
}

template <Is<ScatterAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("update_window_dims", fields.update_window_dims);
  visit.Required("inserted_window_dims", fields.inserted_window_dims);
  visit.Required("scatter_dims_to_operand_dims", fields.scatter_dims_to_operand_dims);
  visit.Optional("input_batching_dims", fields.input_batching_dims, Dimensions());
  visit.Optional("scatter_indices_batching_dims", fields.scatter_indices_batching_dims, Dimensions());
  visit.Required("index_vector_dim", fields.index_vector_dim);
  visit.Optional("indices_are_sorted", fields.indices_are_sorted, false);
  visit.Optional("unique_indices", fields.unique_indices, false);
}

template <Is<SortAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  BracedIntegerRef dimension{fields.dimension};
  visit.Required("dimensions", dimension);
  visit.Optional("is_stable", fields.is_stable, false);
}

template <Is<FusionAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("kind", fields.kind);
}

template <Is<CustomCallAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  QuotedRef target{fields.target};
  visit.Required("custom_call_target", target);
  AliasesRef aliases{fields.aliases};
  visit.Optional("output_to_operand_aliasing", aliases, std::vector<OutputOperandAlias>());
  visit.Optional("custom_call_has_side_effect", fields.has_side_effect, false);
}

template <Is<CopyAttributes> A, typename Visitor>
void VisitFields(Opcode, A&, Visitor&) {}

template <Is<ReducePrecisionAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("exponent_bits", fields.exponent_bits);
  visit.Required("mantissa_bits", fields.mantissa_bits);
}

template <Is<RngBitGeneratorAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("algorithm", fields.algorithm);
}

template <Is<FftAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Required("fft_type", fields.type);
  visit.Required("fft_length", fields.length);
}

template <Is<CholeskyAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Optional("lower", fields.lower, false);
}

template <Is<TriangularSolveAttributes> A, typename Visitor>
void VisitFields(Opcode, A& fields, Visitor& visit) {
  visit.Optional("left_side", fields.left_side, false);
  visit.Optional("lower", fields.lower, false);
  visit.Optional("unit_diagonal", fields.unit_diagonal, false);
  visit.Always("transpose_a", fields.transpose_a);
}

// Known from the text of backend_config, which is kept as it is.
template <Is<WhileAttributes> A, typename Visitor>
void VisitFields(Opcode, A&, Visitor&) {}

template <Is<Literal> A, typename Visitor>
void VisitFields(Opcode, A&, Visitor&) {}

template <Is<std::monostate> A, typename Visitor>
void VisitFields(Opcode, A&, Visitor&) {}

}  // namespace stead::ir
