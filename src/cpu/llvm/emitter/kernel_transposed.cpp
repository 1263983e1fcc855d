// Loops whose operands lie along another dimension than the result: both are walked in tiles, so that each cache line is read
// once. Where the body is small, a tile is a square as wide as a vector, and is turned in registers.
// Arrays that are dealt into a result, one element of each in turn, are a flat square of as many rows as there are arrays; so are
// arrays that interior padding spreads out.
#include <algorithm>

#include "cpu/llvm/emitter/kernel_emitter.h"

namespace stead::cpu {

using ir::InstrId;

namespace {

constexpr int64_t kGatheredTile = 16;
// A square's body stands there once per row.
constexpr int64_t kMostOpsInSquares = 256;
constexpr int64_t kWidestSquare = 64;
constexpr int64_t kMostDealt = 8;

// The halves of two vectors, element by element in turn: the lower halves, or the upper ones.
llvm::Value* Interleaved(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* right, bool of_upper_halves) {
  const int lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(left->getType())->getNumElements());
  llvm::SmallVector<int, kWidestSquare> order;
  for (int lane = of_upper_halves ? lanes / 2 : 0; static_cast<int>(order.size()) < lanes; ++lane)
    order.append({lane, lane + lanes});
  return builder.CreateShuffleVector(left, right, order);
}

// Element r of every vector, then element r + 1 of every vector, and so on; with as many vectors as lanes, row r of the result
// holds element r of each. Each step deals the rows of the upper half between those of the lower half; after log2(vectors) steps
// element (i, j) stands at (j, i). REQUIRES: a power of two of vectors, at most as many as lanes.
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

// ---------------------------------------------------------------------------------------------------------------------
// Arrays dealt into the result.

std::vector<InstrId> KernelEmitter::DealtPieces(const Nest& nest) const {
  const Output& output = nest.outputs[0];
  const bool is_loop = nest.kind == NestKind::kLoop || nest.kind == NestKind::kPieces;
  if (!is_loop || nest.outputs.size() > 1 || output.in_place >= 0) return {};
  const InstrId id = BehindViews(output.root);
  const ir::Instruction& instruction = module_.instruction(id);
  const ir::Shape& shape = instruction.shape;
  if (generator_.Bound(id) != nullptr || !shape.is_row_major() || !output.array.shape.is_row_major() ||
      shape.rank() == 0)
    return {};
  const int64_t last = shape.rank() - 1, count = shape.dimensions.back();
  const bool is_dealt = count >= 2 && count <= std::min(kMostDealt, loops_.lanes()) && (count & (count - 1)) == 0;
  if (!is_dealt || ir::IsComplex(shape.element_type)) return {};
  std::vector<InstrId> pieces;
  if (instruction.opcode == ir::Opcode::kConcatenate) {
    const bool is_last = instruction.As<ir::DimensionsAttributes>().dimensions[0] == last;
    if (is_last && static_cast<int64_t>(instruction.operands.size()) == count) pieces = instruction.operands;
  } else if (instruction.opcode == ir::Opcode::kBroadcast) {
    const ir::Dimensions& kept = instruction.As<ir::DimensionsAttributes>().dimensions;
    const bool is_repeated = static_cast<int64_t>(kept.size()) == last && std::ranges::is_sorted(kept) &&
                             std::ranges::count(kept, last) == 0;
    if (is_repeated) pieces.assign(static_cast<size_t>(count), instruction.operands[0]);
  }
  for (InstrId& piece : pieces) piece = BehindViews(piece);
  const auto is_linear = [&](InstrId piece) {
    return module_.shape(piece).element_type == shape.element_type &&
           module_.shape(piece).element_count() * count == shape.element_count() &&
           generator_.IsLinear(piece, module_.shape(piece));
  };
  return std::ranges::all_of(pieces, is_linear) ? pieces : std::vector<InstrId>();
}

void KernelEmitter::EmitDealt(const Output& output, const std::vector<InstrId>& pieces) {
  const int64_t count = module_.shape(pieces[0]).element_count(), dealt = static_cast<int64_t>(pieces.size());
  const MemoryArray pairs{output.array.base, ir::Shape::Array(output.array.shape.element_type, {count, dealt})};
  const int64_t items = (count + loops_.lanes() - 1) / loops_.lanes();
  if (shares_work_) kernel_.work_items = items;
  loops_.ForEachVector(Begin(), End(items), count, [&](const IndexExpression& position) {
    std::vector<llvm::Value*> values;
    for (InstrId piece : pieces) {
      const ir::Shape& shape = module_.shape(piece);
      values.push_back(
          generator_.At(piece, loops_.space().Delinearize(position, shape.dimensions, MemoryOrder(shape))));
    }
    if (loops_.ActiveLanes() != nullptr) {
      for (int64_t piece = 0; piece < dealt; ++piece)
        generator_.Store(pairs, {position, IndexExpression::Constant(piece)}, values[static_cast<size_t>(piece)]);
      return;
    }
    StoreDealt(pairs, position * dealt, std::move(values));
  });
}

int64_t KernelEmitter::PhasesOf(const std::vector<Output>& outputs, int64_t last) const {
  const ir::Shape& shape = outputs[0].array.shape;
  if (outputs.size() > 1 || !shape.is_row_major() || ir::IsComplex(shape.element_type)) return 1;
  int64_t phases = 1;
  generator_.Walk(outputs[0].root, [&](InstrId id) {
    const ir::Instruction& instruction = module_.instruction(id);
    if (generator_.Bound(id) != nullptr || instruction.shape.dimensions != shape.dimensions) return false;
    if (instruction.opcode == ir::Opcode::kPad)
      phases = std::max(phases, instruction.As<ir::PadAttributes>().interior[static_cast<size_t>(last)] + 1);
    return ir::IsElementwise(instruction.opcode);
  });
  const bool is_dealt = phases <= std::min(kMostDealt, loops_.lanes()) && (phases & (phases - 1)) == 0;
  return is_dealt && shape.dimensions[static_cast<size_t>(last)] >= phases * loops_.lanes() ? phases : 1;
}

void KernelEmitter::EmitPhases(const Output& output, const std::vector<int64_t>& dims, int64_t phases) {
  const std::vector<int64_t>& sizes = output.array.shape.dimensions;
  const int64_t fastest = dims.back(), groups = sizes[fastest] / phases;
  Index index(sizes.size());
  for (size_t level = 0; level + 1 < dims.size(); ++level) index[dims[level]] = OpenLevel(level, sizes[dims[level]]);
  const auto place = [&](const IndexExpression& group, int64_t phase) {
    Index placed = index;
    placed[fastest] = group * phases + IndexExpression::Constant(phase);
    return placed;
  };
  const auto emit_groups = [&](const IndexExpression& group) {
    std::vector<llvm::Value*> values;
    for (int64_t phase = 0; phase < phases; ++phase)
      values.push_back(generator_.At(output.root, place(group, phase), {}, output.leaf));
    if (loops_.ActiveLanes() == nullptr) {
      const std::vector<int64_t> strides = MemoryStrides(output.array.shape);
      return StoreDealt(output.array, loops_.space().Linear(place(group, 0), strides), std::move(values));
    }
    for (int64_t phase = 0; phase < phases; ++phase)
      generator_.Store(output.array, place(group, phase), values[static_cast<size_t>(phase)]);
  };
  const auto emit_rest = [&] {
    for (int64_t phase = 0; phase < sizes[fastest] % phases; ++phase)
      EmitBody({output}, place(IndexExpression::Constant(groups), phase));
  };
  if (dims.size() > 1) {
    loops_.ForEachVector(groups, 1, [&](const IndexExpression& group, int64_t) { emit_groups(group); });
    emit_rest();
  } else {
    const int64_t items = (groups + loops_.lanes() - 1) / loops_.lanes();
    if (shares_work_) kernel_.work_items = items;
    loops_.ForEachVector(Begin(), End(items), groups, emit_groups);
    // Whoever has the first share.
    loops_.OpenIf(builder_.CreateICmpEQ(Begin(), builder_.getInt64(0)));
    emit_rest();
    loops_.Close();
  }
  for (size_t level = 0; level + 1 < dims.size(); ++level) loops_.Close();
}

void KernelEmitter::StoreDealt(const MemoryArray& array, const IndexExpression& position,
                               std::vector<llvm::Value*> values) {
  const ir::ElementType type = array.shape.element_type;
  const int64_t bytes = ir::ElementBytes(type), lanes = loops_.lanes();
  Registers registers(builder_);
  for (llvm::Value*& value : values)
    value = registers.ToMemory(registers.Splat(value, static_cast<unsigned>(lanes)), type);
  llvm::Value* const start = loops_.Address(array.base, position, bytes);
  int64_t place = 0;
  for (llvm::Value* const row : Transposed(builder_, std::move(values))) {
    llvm::Value* const address = builder_.CreateConstGEP1_64(MemoryType(builder_.getContext(), type), start, place);
    builder_.CreateAlignedStore(row, address, llvm::Align(static_cast<uint64_t>(bytes)));
    place += lanes;
  }
}

}  // namespace stead::cpu
