// Vectors of complex numbers in memory: one wide access for neighbours, whose parts alternate, or one access per part.
#include "cpu/llvm/generator/generator.h"

namespace stead::cpu {
namespace {

// Which lanes of a vector of alternating parts hold the real (0) or imaginary (1) ones.
llvm::SmallVector<int, 64> EverySecond(int64_t lanes, int first) {
  llvm::SmallVector<int, 64> places;
  for (int lane = 0; lane < lanes; ++lane) places.push_back(2 * lane + first);
  return places;
}

// 0, 0, 1, 1, ...
llvm::SmallVector<int, 64> EachTwice(int64_t lanes) {
  llvm::SmallVector<int, 64> places;
  for (int lane = 0; lane < lanes; ++lane) places.insert(places.end(), {lane, lane});
  return places;
}

// 0, lanes, 1, lanes + 1, ...
llvm::SmallVector<int, 64> Alternating(int64_t lanes) {
  llvm::SmallVector<int, 64> places;
  for (int lane = 0; lane < lanes; ++lane) places.insert(places.end(), {lane, static_cast<int>(lanes) + lane});
  return places;
}

}  // namespace

llvm::Value* Generator::LoadComplexLanes(const MemoryArray& array, const IndexExpression& position, llvm::Value* mask) {
  const ir::ElementType type = array.shape.element_type;
  llvm::Type* const number = MemoryType(builder_.getContext(), type);
  llvm::Type* const part = number->getStructElementType(0);
  const llvm::Align align(ir::ElementBytes(PartType(type)));
  const int64_t lanes = loops_.lanes();
  if (loops_.IsRegular(position) && loops_.LaneStep(position) == 1) {
    llvm::Type* const wide = llvm::FixedVectorType::get(part, 2 * lanes);
    llvm::Value* const address = loops_.Address(array.base, position, ir::ElementBytes(type));
    llvm::Value* const stored =
        mask == nullptr
            ? static_cast<llvm::Value*>(builder_.CreateAlignedLoad(wide, address, align))
            : builder_.CreateMaskedLoad(wide, address, align, builder_.CreateShuffleVector(mask, EachTwice(lanes)),
                                        llvm::Constant::getNullValue(wide));
    llvm::Value* const real = builder_.CreateShuffleVector(stored, EverySecond(lanes, 0));
    return registers_.Complex(real, builder_.CreateShuffleVector(stored, EverySecond(lanes, 1)));
  }
  llvm::Type* const vector = llvm::FixedVectorType::get(part, lanes);
  if (mask == nullptr) {
    mask = llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(builder_.getInt1Ty(), lanes));
  }
  llvm::Value* const addresses = builder_.CreateGEP(number, array.base, loops_.Lanes(position));
  const auto gather = [&](llvm::Value* from) {
    return builder_.CreateMaskedGather(vector, from, align, mask, llvm::Constant::getNullValue(vector));
  };
  llvm::Value* const real = gather(addresses);
  return registers_.Complex(real, gather(builder_.CreateConstGEP1_64(part, addresses, 1)));
}

void Generator::StoreComplexLanes(const MemoryArray& array, const IndexExpression& position, llvm::Value* value,
                                  llvm::Value* mask) {
  const ir::ElementType type = array.shape.element_type;
  llvm::Type* const number = MemoryType(builder_.getContext(), type);
  const llvm::Align align(ir::ElementBytes(PartType(type)));
  const int64_t lanes = loops_.lanes();
  llvm::Value* const real = registers_.RealPart(value);
  llvm::Value* const imaginary = registers_.ImaginaryPart(value);
  if (loops_.IsRegular(position) && loops_.LaneStep(position) == 1) {
    llvm::Value* const address = loops_.Address(array.base, position, ir::ElementBytes(type));
    llvm::Value* const stored = builder_.CreateShuffleVector(real, imaginary, Alternating(lanes));
    if (mask == nullptr) {
      builder_.CreateAlignedStore(stored, address, align);
    } else {
      builder_.CreateMaskedStore(stored, address, align, builder_.CreateShuffleVector(mask, EachTwice(lanes)));
    }
    return;
  }
  llvm::Value* const addresses = builder_.CreateGEP(number, array.base, loops_.Lanes(position));
  builder_.CreateMaskedScatter(real, addresses, align, mask);
  builder_.CreateMaskedScatter(imaginary, builder_.CreateConstGEP1_64(number->getStructElementType(0), addresses, 1),
                               align, mask);
}

}  // namespace stead::cpu
