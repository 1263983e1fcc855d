// Shapes and constants as protocol buffers (ShapeProto, ProgramShapeProto, LiteralProto).
#pragma once

#include <protozero/pbf_builder.hpp>
#include <string>
#include <vector>

#include "frontend/hlo_proto/fields.h"
#include "ir/literal.h"
#include "ir/shape.h"

namespace stead::frontend {

template <typename Field>
using ProtoMessage = protozero::pbf_builder<Field>;

// Appends a packed list; an empty list writes nothing.
template <typename Field>
void AddIntegers(ProtoMessage<Field>& message, Field field, const std::vector<int64_t>& values) {
  message.add_packed_int64(field, values.begin(), values.end());
}

// Layouts are always written out (row major unless the shape says otherwise); the memory space and tiles of other machines
// are left out.
void WriteShape(ProtoMessage<ShapeField>& message, const ir::Shape& shape);

void WriteProgramShape(ProtoMessage<ProgramShapeField>& message, const std::vector<ir::Shape>& parameters,
                       const std::vector<std::string>& parameter_names, const ir::Shape& result);

// Whether the constant can be written with its elements: known, row major, of whole bytes each and not enormous. A reader
// shows the others as `constant({...})`.
bool IsWritable(const ir::Literal& literal);

// REQUIRES: IsWritable(literal).
void WriteLiteral(ProtoMessage<LiteralField>& message, const ir::Literal& literal);

}  // namespace stead::frontend
