// Loops whose operands lie along another dimension than the result: both are walked in tiles, so that each cache line is read
// once. Where the body is small, a tile is a square as wide as a vector, and is turned in registers.
#include <algorithm>

#include "cpu/llvm/emitter/kernel_emitter.h"

namespace stead::cpu {

using ir::InstrId;

namespace {

constexpr int64_t kGatheredTile = 16;
// A square's body stands there once per row.
constexpr int64_t kMostOpsInSquares = 256;
constexpr int64_t kWidestSquare = 64;

// The halves of two vectors, element by element in turn: the lower halves, or the upper ones.
llvm::Value* Interleaved(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* right, bool of_upper_halves) {
  const int lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(left->getType())->getNumElements());
  llvm::SmallVector<int, kWidestSquare> order;
  for (int lane = of_upper_halves ? lanes / 2 : 0; static_cast<int>(order.size()) < lanes; ++lane)
    order.append({lane, lane + lanes});
  return builder.CreateShuffleVector(left, right, order);
}

// Row r of the result holds element r of every vector. Each step deals the rows of the upper half between those of the lower half;
// after log2(lanes) steps element (i, j) stands at (j, i). REQUIRES: as many vectors as lanes, a power of two.
std::vector<llvm::Value*> Transposed(llvm::IRBuilder<>& builder, std::vector<llvm::Value*> rows) {
  const size_t half = rows.size() / 2;
  for (size_t done = 1; done < rows.size(); done *= 2) {
    std::vector<llvm::Value*> next;
    for (size_t row = 0; row < half; ++row) {
      for (bool upper : {false, true}) next.push_back(Interleaved(builder, rows[row], rows[row + half], upper));
    }
    rows = std::move(next);
  }
  return rows;
}

}  // namespace

int64_t KernelEmitter::TransposedDimension(const std::vector<Output>& outputs, const std::vector<int64_t>& dims) {
  // Stand-ins for the counters, only to see where they end up.
  const std::vector<int64_t>& sizes = outputs[0].array.shape.dimensions;
  Index index(sizes.size());
  for (int64_t dim : dims) {
    Variable counter;
    counter.limit = sizes[dim];
    index[dim] = IndexExpression::Of(loops_.space().Add(counter));
  }
  int64_t found = -1;
  const auto inspect = [&](InstrId, const Index&, const IndexExpression& position) {
    const auto step = [&](int64_t dim) {
      for (const auto& [variable, coefficient] : position.terms) {
        if (variable == index[dim].terms[0].first) return coefficient;
      }
      return int64_t{0};
    };
    const int64_t lane_step = step(dims.back());
    if (lane_step == 0 || lane_step == 1) return;
    for (size_t level = 0; level + 1 < dims.size(); ++level) {
      if (step(dims[level]) == 1) found = dims[level];
    }
  };
  for (const Output& output : outputs) generator_.ForEachAccess(output.root, index, inspect);
  return found;
}

bool KernelEmitter::FitsSquares(const std::vector<Output>& outputs) const {
  int64_t ops = 0;
  for (const Output& output : outputs) {
    generator_.Walk(output.root, [&](InstrId id) {
      const bool is_made = generator_.Bound(id) == nullptr;
      ops += is_made;
      return is_made;
    });
  }
  const int64_t lanes = loops_.lanes();
  return ops * lanes <= kMostOpsInSquares && lanes <= kWidestSquare && (lanes & (lanes - 1)) == 0;
}

void KernelEmitter::EmitVectorNest(const std::vector<Output>& outputs, const std::vector<int64_t>& dims) {
  const std::vector<int64_t>& sizes = outputs[0].array.shape.dimensions;
  const int64_t fastest = dims.back();
  const int64_t tiled = TransposedDimension(outputs, dims);
  const bool in_squares = tiled >= 0 && sizes[tiled] >= loops_.lanes() && FitsSquares(outputs);
  const int64_t tile_size = in_squares ? loops_.lanes() : kGatheredTile;
  Index index(sizes.size());
  for (size_t level = 0; level + 1 < dims.size(); ++level) {
    const int64_t size = sizes[dims[level]];
    index[dims[level]] = OpenLevel(level, dims[level] == tiled ? (size + tile_size - 1) / tile_size : size);
  }
  const IndexExpression tile = tiled < 0 ? IndexExpression() : index[tiled] * tile_size;
  loops_.ForEachVector(sizes[fastest], 1, [&](const IndexExpression& position, int64_t) {
    index[fastest] = position;
    if (tiled < 0) return EmitBody(outputs, index);
    llvm::Value* const left = builder_.CreateSub(builder_.getInt64(sizes[tiled]), loops_.Scalar(tile));
    const bool turns = in_squares && loops_.ActiveLanes() == nullptr;
    if (turns) {
      loops_.OpenIf(builder_.CreateICmpSGE(left, builder_.getInt64(tile_size)));
      EmitSquare(outputs, index, tiled, tile);
      loops_.Close();
      if (sizes[tiled] % tile_size == 0) return;
      loops_.OpenIf(builder_.CreateICmpSLT(left, builder_.getInt64(tile_size)));
    }
    llvm::Value* const end = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, builder_.getInt64(tile_size));
    index[tiled] = tile + loops_.OpenLoop(builder_.getInt64(0), end, tile_size);
    EmitBody(outputs, index);
    loops_.Close();
    if (turns) loops_.Close();
  });
  for (size_t level = 0; level + 1 < dims.size(); ++level) loops_.Close();
}

void KernelEmitter::EmitSquare(const std::vector<Output>& outputs, Index index, int64_t tiled,
                               const IndexExpression& tile) {
  // A name of its own for the square's first row keeps everything that depends on it inside this block.
  const int64_t limit = outputs[0].array.shape.dimensions[tiled] - loops_.lanes() + 1;
  const IndexExpression first = loops_.ValueExpression(loops_.Scalar(tile), limit, loops_.depth());
  struct Access {
    InstrId id;
    Index index;
    IndexExpression position;
  };
  std::vector<std::vector<Access>> rows;
  for (int64_t row = 0; row < loops_.lanes(); ++row) {
    index[tiled] = first + IndexExpression::Constant(row);
    std::vector<Access>& accesses = rows.emplace_back();
    for (const Output& output : outputs) {
      generator_.ForEachAccess(output.root, index,
                               [&](InstrId id, const Index& place, const IndexExpression& position) {
                                 accesses.push_back({id, place, position});
                               });
    }
  }
  for (size_t number = 0; number < rows[0].size(); ++number) {
    const auto& [id, place, position] = rows[0][number];
    const bool is_contiguous = rows[1][number].position == position + IndexExpression::Constant(1);
    if (!is_contiguous || !loops_.IsRegular(position) || loops_.LaneStep(position) < 2) continue;
    if (ir::IsComplex(generator_.Bound(id)->shape.element_type)) continue;
    const std::vector<llvm::Value*> turned = LoadTurned(*generator_.Bound(id), position);
    for (size_t row = 0; row < rows.size(); ++row)
      loops_.Remember(ValueKey(id, 0, rows[row][number].index, Guard()), turned[row]);
  }
  for (int64_t row = 0; row < loops_.lanes(); ++row) {
    index[tiled] = first + IndexExpression::Constant(row);
    EmitBody(outputs, index);
  }
}

std::vector<llvm::Value*> KernelEmitter::LoadTurned(const MemoryArray& array, const IndexExpression& position) {
  const ir::ElementType type = array.shape.element_type;
  const int64_t bytes = ir::ElementBytes(type), lanes = loops_.lanes(), step = loops_.LaneStep(position);
  llvm::Type* const element = MemoryType(builder_.getContext(), type);
  llvm::Type* const vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
  llvm::Value* const start = loops_.Address(array.base, position, bytes);
  std::vector<llvm::Value*> columns;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    llvm::Value* const address = builder_.CreateGEP(element, start, builder_.getInt64(lane * step));
    columns.push_back(builder_.CreateAlignedLoad(vector, address, llvm::Align(static_cast<uint64_t>(bytes))));
  }
  std::vector<llvm::Value*> rows = Transposed(builder_, std::move(columns));
  for (llvm::Value*& row : rows) row = Registers(builder_).FromMemory(row, type);
  return rows;
}

}  // namespace stead::cpu
