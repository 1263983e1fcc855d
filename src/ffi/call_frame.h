// The call frame of a custom call: what the XLA FFI hands to a handler, built once and filled with addresses at each call.
//   Only files of this room include it, because it shows the foreign header.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ffi/api.h"
#include "ffi/attributes.h"
#include "ffi/registry.h"
#include "ir/shape.h"

namespace stead::ffi {

// The attributes as the C interface wants them: parallel arrays of kinds, names and pointers.
class AttributeTable {
 public:
  explicit AttributeTable(Dictionary dictionary);
  AttributeTable(const AttributeTable&) = delete;
  AttributeTable& operator=(const AttributeTable&) = delete;
  const XLA_FFI_Attrs& attributes() const { return attributes_; }

 private:
  void Add(NamedAttribute& entry);

  Dictionary dictionary_;
  XLA_FFI_Attrs attributes_ = {};
  std::vector<XLA_FFI_AttrType> kinds_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<void*> values_;
  // What `names_` and `values_` point to.
  std::vector<std::unique_ptr<XLA_FFI_ByteSpan>> spans_;
  std::vector<std::unique_ptr<XLA_FFI_Scalar>> scalars_;
  std::vector<std::unique_ptr<XLA_FFI_Array>> arrays_;
  std::vector<std::unique_ptr<AttributeTable>> tables_;
};

class CallFrame {
 public:
  // Shapes are arrays and tokens, one per leaf.
  CallFrame(std::span<const ir::Shape> operands, std::span<const ir::Shape> results, Dictionary attributes);

  // Calls the handler and waits for its end. `arrays`: one address per array of the operands, then of the results; empty
  // for the stage `instantiate`, which sees the attributes alone. The caller takes over the error; null is success.
  XLA_FFI_Error* Call(Handler* handler, XLA_FFI_ExecutionStage stage, std::span<void* const> arrays,
                      XLA_FFI_ExecutionContext& context) const;

 private:
  // Per leaf, its type and dimensions; the data is filled in at each call.
  std::vector<XLA_FFI_Buffer> buffers_;
  std::vector<std::vector<int64_t>> dimensions_;
  size_t operand_count_;
  AttributeTable attributes_;
};

}  // namespace stead::ffi
