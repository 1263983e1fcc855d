// Handlers of custom calls as a user writes them, for test_ffi.py and test_op_programs.py.
#include <cstdint>
#include <memory>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

using Vector = ffi::Buffer<ffi::F32>;

// weights[0] * x + weights[1] * y + bias, or its negative.
static ffi::Error WeightedSumOf(Vector x, Vector y, ffi::Result<Vector> out, ffi::Span<const double> weights,
                                float bias, std::string_view note, bool negate) {
  if (note != "a \"b\" \\" || weights.size() != 2) return ffi::Error::InvalidArgument("attributes went wrong");
  for (size_t at = 0; at < x.element_count(); ++at) {
    const double sum = weights[0] * x.typed_data()[at] + weights[1] * y.typed_data()[at] + bias;
    out->typed_data()[at] = static_cast<float>(negate ? -sum : sum);
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(WeightedSum, WeightedSumOf,
                              ffi::Ffi::Bind()
                                  .Arg<Vector>()
                                  .Arg<Vector>()
                                  .Ret<Vector>()
                                  .Attr<ffi::Span<const double>>("weights")
                                  .Attr<float>("bias")
                                  .Attr<std::string_view>("note")
                                  .Attr<bool>("negate"));

// x * n + eps + the sum of the flags, for an operand whose memory the result has.
static ffi::Error ScaleInPlaceOf(Vector x, ffi::Result<Vector> out, float eps, int64_t n, std::string_view name,
                                 ffi::Span<const int32_t> flags, bool fl) {
  if (name != "abc" || !fl) return ffi::Error::InvalidArgument("attributes went wrong");
  float offset = eps;
  for (int32_t flag : flags) offset += static_cast<float>(flag);
  for (size_t at = 0; at < x.element_count(); ++at) {
    out->typed_data()[at] = x.typed_data()[at] * static_cast<float>(n) + offset;
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(ScaleInPlace, ScaleInPlaceOf,
                              ffi::Ffi::Bind()
                                  .Arg<Vector>()
                                  .Ret<Vector>()
                                  .Attr<float>("eps")
                                  .Attr<int64_t>("n")
                                  .Attr<std::string_view>("name")
                                  .Attr<ffi::Span<const int32_t>>("flags")
                                  .Attr<bool>("fl"));

// How often a program was run, kept by the program.
struct CallCount {
  static ffi::TypeId id;
  static int alive;
  CallCount() { ++alive; }
  ~CallCount() { --alive; }
  int calls = 0;
};
ffi::TypeId CallCount::id = {};
int CallCount::alive = 0;
static ffi::TypeInfo type_info = ffi::MakeTypeInfo<CallCount>();

extern "C" void* CallCount_type_id() { return &CallCount::id; }
extern "C" void* CallCount_type_info() { return &type_info; }
extern "C" int CallCount_alive() { return CallCount::alive; }

static ffi::ErrorOr<std::unique_ptr<CallCount>> MakeCount() { return std::make_unique<CallCount>(); }

static ffi::Error CountOneCall(CallCount* count, Vector, ffi::Result<ffi::Buffer<ffi::S32>> out) {
  *out->typed_data() = ++count->calls;
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(NewCount, MakeCount, ffi::Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountCalls, CountOneCall,
                              ffi::Ffi::Bind().Ctx<ffi::State<CallCount>>().Arg<Vector>().Ret<ffi::Buffer<ffi::S32>>());
