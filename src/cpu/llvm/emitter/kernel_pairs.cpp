// Results that exchange elements of an operand in place: the transpose of a square, a reverse, and what is fused with them.
//
//   for each tile, for each index k of the tile with position(k) <= position(partner(k)):
//     compute the results at k and at partner(k), then store all of them
//
// Every element is in one pair (or its own partner), and a pair's results depend on nothing of the operand but that pair, so no
// element is read after it was overwritten. Tiles keep the lines that one side of the pairs walks across in the cache. Where two
// dimensions are exchanged and nothing else, the condition is that one index is not above the other: a loop starts there.
#include <optional>
#include <utility>
#include <vector>

#include "cpu/llvm/emitter/kernel_emitter.h"

namespace stead::cpu {
namespace {

// Lines a power of two apart fall on the same few places of the first cache; eight of them fit.
constexpr int64_t kTile = 8;

// The two dimensions that change places, the outer one first, when all else stays where it is.
std::optional<std::pair<size_t, size_t>> ExchangedDimensions(const ElementPairs& pairs) {
  std::vector<size_t> moved;
  for (size_t dim = 0; dim < pairs.permutation.size(); ++dim) {
    if (pairs.reversed[dim]) return std::nullopt;
    if (pairs.permutation[dim] != static_cast<int64_t>(dim)) moved.push_back(dim);
  }
  if (moved.size() != 2) return std::nullopt;
  return std::pair(moved[0], moved[1]);
}

}  // namespace

Index KernelEmitter::PartnerOf(const Index& index) const {
  const ElementPairs& pairs = *request_.pairs;
  Index partner(index.size());
  for (size_t dim = 0; dim < index.size(); ++dim) {
    partner[dim] = index[pairs.permutation[dim]];
    if (pairs.reversed[dim]) partner[dim] = IndexExpression::Constant(pairs.dimensions[dim] - 1) + partner[dim] * -1;
  }
  return partner;
}

void KernelEmitter::EmitPairs(const std::vector<Output>& outputs) {
  const std::vector<int64_t>& sizes = request_.pairs->dimensions;
  const size_t rank = sizes.size();
  Index index(rank);
  for (size_t dim = 0; dim < rank; ++dim) index[dim] = OpenLevel(dim, (sizes[dim] + kTile - 1) / kTile) * kTile;
  const std::optional<std::pair<size_t, size_t>> exchanged = ExchangedDimensions(*request_.pairs);
  for (size_t dim = 0; dim < rank; ++dim) {
    llvm::Value* const left = builder_.CreateSub(builder_.getInt64(sizes[dim]), loops_.Scalar(index[dim]));
    llvm::Value* const end = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, builder_.getInt64(kTile));
    llvm::Value* begin = builder_.getInt64(0);
    if (exchanged && exchanged->second == dim) {
      llvm::Value* const partner =
          builder_.CreateSub(loops_.Scalar(index[exchanged->first]), loops_.Scalar(index[dim]));
      begin = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, partner, begin);
      loops_.OpenIf(builder_.CreateICmpSLT(begin, end));
    }
    index[dim] = index[dim] + loops_.OpenLoop(begin, end, kTile);
  }
  const std::vector<int64_t> strides = ir::RowMajorStrides(sizes);
  const IndexExpression position = loops_.space().Linear(index, strides);
  const IndexExpression partner = loops_.space().Linear(PartnerOf(index), strides);
  if (!exchanged) loops_.OpenIf(builder_.CreateICmpSLE(loops_.Scalar(position), loops_.Scalar(partner)));

  struct Stored {
    const Output* output;
    Index index;
    llvm::Value* value;
  };
  std::vector<Stored> stored;
  for (const IndexExpression& place : {position, partner}) {
    for (const Output& output : outputs) {
      const ir::Shape& shape = output.array.shape;
      Index at = loops_.space().Delinearize(place, shape.dimensions, MemoryOrder(shape));
      llvm::Value* const value = generator_.At(output.root, at, {}, output.leaf);
      stored.push_back({&output, std::move(at), value});
    }
  }
  for (const Stored& store : stored) generator_.Store(store.output->array, store.index, store.value);
  for (size_t opened = 0; opened < 2 * rank + 1; ++opened) loops_.Close();
}

}  // namespace stead::cpu
