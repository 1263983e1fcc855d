#include "interp/elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "interp/small_float.h"
#include "ir/number/narrow_float.h"

namespace stead::interp {
namespace {

using ir::ElementType;

// A format tells how one element is stored: its Storage, the Value it is read as, Decode (exact) and Encode (from any value
// type but complex, which Convert takes apart).

struct PredFormat {
  using Storage = uint8_t;
  using Value = bool;
  static Value Decode(Storage stored) { return stored != 0; }
  template <typename From>
  static Storage Encode(From value) {
    return value != From(0);
  }
};

template <typename Stored, int kBits>
struct IntegerFormat {
  using Storage = Stored;
  using Value = std::conditional_t<std::is_signed_v<Stored>, int64_t, uint64_t>;

  // Types below 8 bits lie in the low bits of a byte, extended by their sign when written.
  static Value Decode(Storage stored) {
    constexpr int kUnused = 64 - kBits;
    return static_cast<Value>(static_cast<uint64_t>(stored) << kUnused) >> kUnused;
  }
  template <typename From>
  static Storage Encode(From value) {
    if constexpr (std::is_floating_point_v<From>) {
      return Saturate(value);
    } else {
      return static_cast<Storage>(Decode(static_cast<Storage>(value)));
    }
  }

 private:
  static Storage Saturate(double value) {
    constexpr int kValueBits = std::is_signed_v<Stored> ? kBits - 1 : kBits;
    constexpr double kLimit = 2.0 * static_cast<double>(1ull << (kValueBits - 1));
    constexpr uint64_t kLargest = ~0ull >> (64 - kValueBits);
    if (value >= kLimit) return static_cast<Storage>(kLargest);
    if constexpr (std::is_signed_v<Stored>) {
      if (value <= -kLimit) return static_cast<Storage>(~kLargest);
    } else if (value <= 0) {
      return 0;
    }
    return value != value ? Storage(0) : static_cast<Storage>(static_cast<Value>(value));
  }
};

// The nearest double whose last bit is odd unless it is exact: rounding that again to a format of at most 51 bits gives the
// same as rounding the integer itself.
double ToOddDouble(uint64_t magnitude) {
  int excess = 11 - std::countl_zero(magnitude);
  if (excess <= 0) return static_cast<double>(magnitude);
  uint64_t kept = magnitude >> excess << excess;
  if (kept != magnitude) kept |= 1ull << excess;
  return static_cast<double>(kept);
}

template <typename From>
double ToDoubleForRounding(From value) {
  if constexpr (std::is_same_v<From, int64_t>) {
    return value < 0 ? -ToOddDouble(-static_cast<uint64_t>(value)) : ToOddDouble(static_cast<uint64_t>(value));
  } else if constexpr (std::is_same_v<From, uint64_t>) {
    return ToOddDouble(value);
  } else {
    return static_cast<double>(value);
  }
}

template <typename Real>
struct WholeFloatFormat {
  using Storage = Real;
  using Value = Real;
  static Value Decode(Storage stored) { return stored; }
  template <typename From>
  static Storage Encode(From value) {
    return static_cast<Real>(value);
  }
};

struct HalfFormat {
  using Storage = uint16_t;
  using Value = float;
  static Value Decode(Storage stored) { return ir::HalfToFloat(stored); }
  template <typename From>
  static Storage Encode(From value) {
    return static_cast<Storage>(EncodeSmallFloat(kHalf, ToDoubleForRounding(value)));
  }
};

struct BFloat16Format {
  using Storage = uint16_t;
  using Value = float;
  static Value Decode(Storage stored) { return ir::BFloat16ToFloat(stored); }
  template <typename From>
  static Storage Encode(From value) {
    if constexpr (std::is_same_v<From, float>) return ir::FloatToBFloat16(value);
    return static_cast<Storage>(EncodeSmallFloat(kBFloat16, ToDoubleForRounding(value)));
  }
};

template <const SmallFloat& kFormat, int kBits>
struct ByteFloatFormat {
  using Storage = uint8_t;
  using Value = float;
  static Value Decode(Storage stored) {
    static const std::array<float, 256> table = [] {
      std::array<float, 256> values;
      for (uint32_t code = 0; code < 256; ++code) values[code] = DecodeSmallFloat(kFormat, code & ((1u << kBits) - 1));
      return values;
    }();
    return table[stored];
  }
  template <typename From>
  static Storage Encode(From value) {
    return static_cast<Storage>(EncodeSmallFloat(kFormat, ToDoubleForRounding(value)));
  }
};

template <typename Real>
struct ComplexFormat {
  using Storage = std::complex<Real>;
  using Value = std::complex<Real>;
  static Value Decode(Storage stored) { return stored; }
  template <typename From>
  static Storage Encode(From value) {
    return {static_cast<Real>(value), Real(0)};
  }
};

template <typename Visit>
auto VisitFormat(ElementType type, Visit visit) {
  switch (type) {
    case ElementType::kPred: return visit.template operator()<PredFormat>();
    case ElementType::kS2: return visit.template operator()<IntegerFormat<int8_t, 2>>();
    case ElementType::kS4: return visit.template operator()<IntegerFormat<int8_t, 4>>();
    case ElementType::kS8: return visit.template operator()<IntegerFormat<int8_t, 8>>();
    case ElementType::kS16: return visit.template operator()<IntegerFormat<int16_t, 16>>();
    case ElementType::kS32: return visit.template operator()<IntegerFormat<int32_t, 32>>();
    case ElementType::kS64: return visit.template operator()<IntegerFormat<int64_t, 64>>();
    case ElementType::kU2: return visit.template operator()<IntegerFormat<uint8_t, 2>>();
    case ElementType::kU4: return visit.template operator()<IntegerFormat<uint8_t, 4>>();
    case ElementType::kU8: return visit.template operator()<IntegerFormat<uint8_t, 8>>();
    case ElementType::kU16: return visit.template operator()<IntegerFormat<uint16_t, 16>>();
    case ElementType::kU32: return visit.template operator()<IntegerFormat<uint32_t, 32>>();
    case ElementType::kU64: return visit.template operator()<IntegerFormat<uint64_t, 64>>();
    case ElementType::kF16: return visit.template operator()<HalfFormat>();
    case ElementType::kBF16: return visit.template operator()<BFloat16Format>();
    case ElementType::kF32: return visit.template operator()<WholeFloatFormat<float>>();
    case ElementType::kF64: return visit.template operator()<WholeFloatFormat<double>>();
    case ElementType::kF8E5M2: return visit.template operator()<ByteFloatFormat<kFloat8E5M2, 8>>();
    case ElementType::kF8E4M3: return visit.template operator()<ByteFloatFormat<kFloat8E4M3, 8>>();
    case ElementType::kF8E4M3FN: return visit.template operator()<ByteFloatFormat<kFloat8E4M3Fn, 8>>();
    case ElementType::kF8E4M3B11FNUZ: return visit.template operator()<ByteFloatFormat<kFloat8E4M3B11Fnuz, 8>>();
    case ElementType::kF8E5M2FNUZ: return visit.template operator()<ByteFloatFormat<kFloat8E5M2Fnuz, 8>>();
    case ElementType::kF8E4M3FNUZ: return visit.template operator()<ByteFloatFormat<kFloat8E4M3Fnuz, 8>>();
    case ElementType::kF8E3M4: return visit.template operator()<ByteFloatFormat<kFloat8E3M4, 8>>();
    case ElementType::kF8E8M0FNU: return visit.template operator()<ByteFloatFormat<kFloat8E8M0Fnu, 8>>();
    case ElementType::kF4E2M1FN: return visit.template operator()<ByteFloatFormat<kFloat4E2M1Fn, 4>>();
    case ElementType::kC64: return visit.template operator()<ComplexFormat<float>>();
    case ElementType::kC128: break;
  }
  return visit.template operator()<ComplexFormat<double>>();
}

template <typename Format, typename Value>
typename Format::Storage Convert(Value value) {
  if constexpr (!kIsComplex<Value>) {
    return Format::Encode(value);
  } else if constexpr (kIsComplex<typename Format::Value>) {
    return typename Format::Storage(value);
  } else if constexpr (std::is_same_v<Format, PredFormat>) {
    return value != Value(0);
  } else {
    return Format::Encode(value.real());
  }
}

template <typename Format>
const typename Format::Value* ReadRun(const std::byte* elements, int64_t first, int64_t count,
                                      typename Format::Value* buffer) {
  const auto* stored = reinterpret_cast<const typename Format::Storage*>(elements) + first;
  if constexpr (std::is_same_v<typename Format::Storage, typename Format::Value>) {
    return stored;
  } else {
    for (int64_t position = 0; position < count; ++position) buffer[position] = Format::Decode(stored[position]);
    return buffer;
  }
}

template <typename Format, typename Value>
void WriteRun(const Value* values, int64_t count, std::byte* elements, int64_t first) {
  auto* stored = reinterpret_cast<typename Format::Storage*>(elements) + first;
  for (int64_t position = 0; position < count; ++position) stored[position] = Convert<Format>(values[position]);
}

}  // namespace

template <typename Value>
Reader<Value> ReaderOf(ElementType type) {
  return VisitFormat(type, []<typename Format>() -> Reader<Value> {
    if constexpr (std::is_same_v<typename Format::Value, Value>) return &ReadRun<Format>;
    STEAD_CHECK(false, "element type is read as another value type");
    return nullptr;
  });
}

template <typename Value>
Writer<Value> WriterOf(ElementType type) {
  return VisitFormat(type, []<typename Format>() -> Writer<Value> { return &WriteRun<Format, Value>; });
}

template <typename Wide>
std::vector<Wide> ReadAll(const ir::Literal& literal) {
  ElementType type = literal.shape().element_type;
  std::vector<Wide> wide(static_cast<size_t>(literal.shape().element_count()));
  VisitValue(type, [&]<typename Value>() {
    if constexpr (std::is_convertible_v<Value, Wide>) {
      constexpr int64_t kBlock = 256;
      Reader<Value> read = ReaderOf<Value>(type);
      Value buffer[kBlock];
      int64_t size = static_cast<int64_t>(wide.size());
      for (int64_t first = 0; first < size; first += kBlock) {
        int64_t count = std::min(kBlock, size - first);
        const Value* values = read(literal.bytes().data(), first, count, buffer);
        std::copy(values, values + count, wide.begin() + first);
      }
    } else {
      STEAD_CHECK(false, "complex elements read as real");
    }
  });
  return wide;
}

template <typename Wide>
ir::Literal WriteAll(const ir::Shape& shape, const std::vector<Wide>& values) {
  ir::Literal literal = ir::Literal::Zeros(shape);
  STEAD_CHECK(static_cast<int64_t>(values.size()) == shape.element_count());
  WriterOf<Wide>(shape.element_type)(values.data(), shape.element_count(), literal.mutable_bytes().data(), 0);
  return literal;
}

int64_t IndexAt(const ir::Literal& literal, int64_t position) {
  int64_t value = literal.AsInteger(position);
  bool is_large = literal.shape().element_type == ElementType::kU64 && value < 0;
  return is_large ? std::numeric_limits<int64_t>::max() : value;
}

#define INSTANTIATE_VALUE(Value)                     \
  template Reader<Value> ReaderOf(ElementType type); \
  template Writer<Value> WriterOf(ElementType type);
INSTANTIATE_VALUE(bool)
INSTANTIATE_VALUE(int64_t)
INSTANTIATE_VALUE(uint64_t)
INSTANTIATE_VALUE(float)
INSTANTIATE_VALUE(double)
INSTANTIATE_VALUE(Complex64)
INSTANTIATE_VALUE(Complex128)
#undef INSTANTIATE_VALUE

#define INSTANTIATE_WIDE(Wide)                            \
  template std::vector<Wide> ReadAll(const ir::Literal&); \
  template ir::Literal WriteAll(const ir::Shape&, const std::vector<Wide>&);
INSTANTIATE_WIDE(int64_t)
INSTANTIATE_WIDE(uint64_t)
INSTANTIATE_WIDE(double)
INSTANTIATE_WIDE(Complex128)
#undef INSTANTIATE_WIDE

}  // namespace stead::interp
