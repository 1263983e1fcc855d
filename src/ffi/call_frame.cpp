#include "ffi/call_frame.h"

#include <utility>

#include "ffi/error.h"

namespace stead::ffi {

AttributeTable::AttributeTable(Dictionary dictionary) : dictionary_(std::move(dictionary)) {
  for (NamedAttribute& entry : dictionary_) Add(entry);
  attributes_.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
  attributes_.size = static_cast<int64_t>(kinds_.size());
  attributes_.types = kinds_.data();
  attributes_.names = names_.data();
  attributes_.attrs = values_.data();
}

void AttributeTable::Add(NamedAttribute& entry) {
  const auto add = [&](XLA_FFI_AttrType kind, void* value) {
    kinds_.push_back(kind);
    values_.push_back(value);
  };
  const auto type = [](ir::ElementType element) {
    return static_cast<XLA_FFI_DataType>(ir::ElementTypeProtoNumber(element));
  };
  spans_.push_back(std::make_unique<XLA_FFI_ByteSpan>(entry.name.data(), entry.name.size()));
  names_.push_back(spans_.back().get());
  if (Scalar* scalar = std::get_if<Scalar>(&entry.value)) {
    scalars_.push_back(std::make_unique<XLA_FFI_Scalar>(type(scalar->type), scalar->bytes.data()));
    add(XLA_FFI_AttrType_SCALAR, scalars_.back().get());
  } else if (Array* array = std::get_if<Array>(&entry.value)) {
    arrays_.push_back(
        std::make_unique<XLA_FFI_Array>(type(array->type), static_cast<size_t>(array->size), array->bytes.data()));
    add(XLA_FFI_AttrType_ARRAY, arrays_.back().get());
  } else if (std::string* text = std::get_if<std::string>(&entry.value)) {
    spans_.push_back(std::make_unique<XLA_FFI_ByteSpan>(text->data(), text->size()));
    add(XLA_FFI_AttrType_STRING, spans_.back().get());
  } else {
    tables_.push_back(std::make_unique<AttributeTable>(std::move(std::get<Dictionary>(entry.value))));
    add(XLA_FFI_AttrType_DICTIONARY, &tables_.back()->attributes_);
  }
}

CallFrame::CallFrame(std::span<const ir::Shape> operands, std::span<const ir::Shape> results, Dictionary attributes)
    : operand_count_(operands.size()), attributes_(std::move(attributes)) {
  dimensions_.reserve(operands.size() + results.size());
  const auto add = [&](const ir::Shape& shape) {
    dimensions_.push_back(shape.dimensions);
    XLA_FFI_Buffer buffer = {};
    buffer.struct_size = XLA_FFI_Buffer_STRUCT_SIZE;
    // The interface numbers element types as xla_data.proto does.
    buffer.dtype = shape.is_array() ? static_cast<XLA_FFI_DataType>(ir::ElementTypeProtoNumber(shape.element_type))
                                    : XLA_FFI_DataType_TOKEN;
    buffer.rank = shape.rank();
    buffer.dims = dimensions_.back().data();
    buffers_.push_back(buffer);
  };
  for (const ir::Shape& operand : operands) add(operand);
  for (const ir::Shape& result : results) add(result);
}

XLA_FFI_Error* CallFrame::Call(Handler* handler, XLA_FFI_ExecutionStage stage, std::span<void* const> arrays,
                               XLA_FFI_ExecutionContext& context) const {
  std::vector<XLA_FFI_Buffer> buffers;
  std::vector<void*> pointers;
  if (stage != XLA_FFI_ExecutionStage_INSTANTIATE) buffers = buffers_;
  pointers.reserve(buffers.size());
  size_t next_array = 0;
  for (XLA_FFI_Buffer& buffer : buffers) {
    if (buffer.dtype != XLA_FFI_DataType_TOKEN) buffer.data = arrays[next_array++];
    pointers.push_back(&buffer);
  }
  const size_t operands = buffers.empty() ? 0 : operand_count_;
  const size_t results = buffers.size() - operands;
  std::vector<XLA_FFI_ArgType> operand_kinds(operands, XLA_FFI_ArgType_BUFFER);
  std::vector<XLA_FFI_RetType> result_kinds(results, XLA_FFI_RetType_BUFFER);

  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = GetApi();
  frame.ctx = &context;
  frame.stage = stage;
  frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
  frame.args.size = static_cast<int64_t>(operands);
  frame.args.types = operand_kinds.data();
  frame.args.args = pointers.data();
  frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
  frame.rets.size = static_cast<int64_t>(results);
  frame.rets.types = result_kinds.data();
  frame.rets.rets = pointers.data() + operands;
  frame.attrs = attributes_.attributes();
  XLA_FFI_Error* const error = handler(&frame);
  // A handler that failed at once may still have started work that uses the buffers.
  XLA_FFI_Error* const late_error = Await(frame.future);
  if (error == nullptr) return late_error;
  DestroyError(late_error);
  return error;
}

}  // namespace stead::ffi
