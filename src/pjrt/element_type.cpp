#include "pjrt/element_type.h"

#include <fmt/format.h>

#include "base/check.h"

namespace stead::pjrt {

namespace {

struct TypePair {
  ir::ElementType type;
  PJRT_Buffer_Type pjrt_type;
};

constexpr TypePair kTypes[] = {
    {ir::ElementType::kPred, PJRT_Buffer_Type_PRED},
    {ir::ElementType::kS2, PJRT_Buffer_Type_S2},
    {ir::ElementType::kS4, PJRT_Buffer_Type_S4},
    {ir::ElementType::kS8, PJRT_Buffer_Type_S8},
    {ir::ElementType::kS16, PJRT_Buffer_Type_S16},
    {ir::ElementType::kS32, PJRT_Buffer_Type_S32},
    {ir::ElementType::kS64, PJRT_Buffer_Type_S64},
    {ir::ElementType::kU2, PJRT_Buffer_Type_U2},
    {ir::ElementType::kU4, PJRT_Buffer_Type_U4},
    {ir::ElementType::kU8, PJRT_Buffer_Type_U8},
    {ir::ElementType::kU16, PJRT_Buffer_Type_U16},
    {ir::ElementType::kU32, PJRT_Buffer_Type_U32},
    {ir::ElementType::kU64, PJRT_Buffer_Type_U64},
    {ir::ElementType::kF16, PJRT_Buffer_Type_F16},
    {ir::ElementType::kBF16, PJRT_Buffer_Type_BF16},
    {ir::ElementType::kF32, PJRT_Buffer_Type_F32},
    {ir::ElementType::kF64, PJRT_Buffer_Type_F64},
    {ir::ElementType::kF8E5M2, PJRT_Buffer_Type_F8E5M2},
    {ir::ElementType::kF8E4M3, PJRT_Buffer_Type_F8E4M3},
    {ir::ElementType::kF8E4M3FN, PJRT_Buffer_Type_F8E4M3FN},
    {ir::ElementType::kF8E4M3B11FNUZ, PJRT_Buffer_Type_F8E4M3B11FNUZ},
    {ir::ElementType::kF8E5M2FNUZ, PJRT_Buffer_Type_F8E5M2FNUZ},
    {ir::ElementType::kF8E4M3FNUZ, PJRT_Buffer_Type_F8E4M3FNUZ},
    {ir::ElementType::kF8E3M4, PJRT_Buffer_Type_F8E3M4},
    {ir::ElementType::kF8E8M0FNU, PJRT_Buffer_Type_F8E8M0FNU},
    {ir::ElementType::kF4E2M1FN, PJRT_Buffer_Type_F4E2M1FN},
    {ir::ElementType::kC64, PJRT_Buffer_Type_C64},
    {ir::ElementType::kC128, PJRT_Buffer_Type_C128},
};

}  // namespace

PJRT_Buffer_Type ToPjrtType(ir::ElementType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.type == type) return pair.pjrt_type;
  }
  STEAD_CHECK(false, std::string(ir::ElementTypeName(type)));
  return PJRT_Buffer_Type_INVALID;
}

Result<ir::ElementType> FromPjrtType(PJRT_Buffer_Type type) {
  for (const TypePair& pair : kTypes) {
    if (pair.pjrt_type == type) return pair.type;
  }
  return Unimplemented(fmt::format("arrays of PJRT element type {}", static_cast<uint32_t>(type)));
}

}  // namespace stead::pjrt
