// How a product is cut into tiles.
//   For a block of columns and a block of the depth, rhs is packed once, by all threads; then they share the slivers of rows: each
//   is packed (it stays in the first-level cache) and multiplied with all of the block, which streams by from the caches behind.
//   Sums over several depth blocks go through the output, or through a block of the accumulator type where the output's type or layout
//   differs.
//   Products with few rows are bound by reading rhs once, so it is not packed: tiles read it in place where its columns are
//   contiguous (with very few rows, whole rows of rhs are added up), dot products where its depth is; threads share the columns.
//   Products with few columns are turned around first.
#include "cpu/kernels/matmul.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "cpu/kernels/matmul_complex.h"
#include "cpu/kernels/matmul_kernel.h"
#include "cpu/kernels/matmul_offsets.h"
#include "cpu/kernels/matmul_pack.h"

namespace stead::cpu {
namespace {

constexpr int64_t kColumnBlock = 2048;
constexpr int64_t kDepthBlock = 384;  // about: the depth is cut into equal blocks
constexpr int64_t kSumRows = 504;     // of the block of sums; a multiple of the rows of every tile's best size
constexpr int64_t kPackedRows = 4;    // rows of rhs that are packed side by side
constexpr int64_t kFewRows = 4;
constexpr int64_t kLongRun = 1024;             // columns added up at a time; the sums stay in the first-level cache
constexpr int64_t kNearBytes = 1 << 19;        // of rhs, which the second-level cache holds
constexpr double kStepsPerNanosecond = 160;    // bytes of a sum's type times multiplications and additions, on one core
constexpr double kNanosecondsPerByte = 0.05;   // of rhs, where it is read once
constexpr double kNanosecondsPerPacked = 0.3;  // element of rhs
constexpr int64_t kTasksPerThread = 4;

bool IsContiguous(const std::vector<int64_t>& offsets) {
  for (size_t index = 1; index < offsets.size(); ++index) {
    if (offsets[index] != offsets[index - 1] + 1) return false;
  }
  return true;
}

// One constant distance between neighbours; the offsets grow by it.
bool IsRegular(const std::vector<int64_t>& offsets) {
  for (size_t index = 2; index < offsets.size(); ++index) {
    if (offsets[index] - offsets[index - 1] != offsets[1] - offsets[0]) return false;
  }
  return true;
}

int64_t Distance(const std::vector<int64_t>& offsets) { return offsets.size() > 1 ? offsets[1] - offsets[0] : 0; }

// Memory for packed blocks, kept by each thread between products.
template <typename T>
T* Workspace(int slot, size_t count) {
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
  };
  thread_local Block blocks[4];
  Block& block = blocks[slot];
  const size_t wanted = count * sizeof(T) + 64;
  if (block.size < wanted) {
    block.bytes = std::make_unique_for_overwrite<std::byte[]>(wanted);
    block.size = wanted;
  }
  void* start = block.bytes.get();
  size_t space = block.size;
  return static_cast<T*>(std::align(64, count * sizeof(T), start, space));
}

// The product of one shape, with sums of type T.
template <typename T>
class Product {
 public:
  explicit Product(MatMul matmul)
      : matmul_(std::move(matmul)),
        kernel_(BestMatMulKernel<T>()),
        rows_(Count(matmul_.rows)),
        columns_(Count(matmul_.columns)),
        depth_(Count(matmul_.depth)),
        lhs_rows_(Offsets(matmul_.rows, &MatMulDimension::lhs_stride)),
        lhs_depth_(Offsets(matmul_.depth, &MatMulDimension::lhs_stride)),
        lhs_batch_(Offsets(matmul_.batch, &MatMulDimension::lhs_stride)),
        rhs_columns_(Offsets(matmul_.columns, &MatMulDimension::rhs_stride)),
        rhs_depth_(Offsets(matmul_.depth, &MatMulDimension::rhs_stride)),
        rhs_batch_(Offsets(matmul_.batch, &MatMulDimension::rhs_stride)),
        out_rows_(Offsets(matmul_.rows, &MatMulDimension::out_stride)),
        out_columns_(Offsets(matmul_.columns, &MatMulDimension::out_stride)),
        out_batch_(Offsets(matmul_.batch, &MatMulDimension::out_stride)),
        has_plain_lhs_(IsTypeOf(matmul_.lhs) && IsContiguous(lhs_depth_)),
        has_plain_out_(IsTypeOf(matmul_.out) && IsContiguous(out_columns_) && IsRegular(out_rows_)),
        reads_rhs_in_place_(rows_ <= kernel_.rows && IsTypeOf(matmul_.rhs) && IsContiguous(rhs_columns_) &&
                            IsRegular(rhs_depth_)),
        is_dots_(rows_ <= kFewRows && IsTypeOf(matmul_.rhs) && IsContiguous(rhs_depth_)) {}

  void Run(const void* lhs, const void* rhs, void* out, runtime::ThreadPool& threads) const {
    if (rows_ == 0 || columns_ == 0) return;
    const int64_t batches = static_cast<int64_t>(out_batch_.size());
    const auto run_batches = [&](int64_t begin, int64_t end) {
      for (int64_t batch = begin; batch < end; ++batch) {
        RunOne({Shifted(lhs, matmul_.lhs, lhs_batch_[batch]), Shifted(rhs, matmul_.rhs, rhs_batch_[batch]),
                const_cast<void*>(Shifted(out, matmul_.out, out_batch_[batch]))},
               threads);
      }
    };
    // Few large products are shared inside.
    if (batches < kTasksPerThread * threads.threads()) return run_batches(0, batches);
    threads.ForEach(batches, Nanoseconds(rows_, columns_, depth_), run_batches);
  }

 private:
  // The arrays of one batch.
  struct Arrays {
    const void* lhs;
    const void* rhs;
    void* out;
  };
  struct Range {
    int64_t first, count;
  };

  bool IsSmallRow() const {
    return rows_ == 1 && reads_rhs_in_place_ && columns_ * depth_ * int64_t{sizeof(T)} <= kNearBytes;
  }
  bool ReadsRhsOnce() const { return is_dots_ || (rows_ <= kFewRows && reads_rhs_in_place_); }

  // On one core.
  double Nanoseconds(int64_t rows, int64_t columns, int64_t depth) const {
    const double area = static_cast<double>(columns) * static_cast<double>(depth) * sizeof(T);
    const double work = static_cast<double>(rows) * area / kStepsPerNanosecond;
    return ReadsRhsOnce() ? std::max(work, area * kNanosecondsPerByte) : work;
  }

  static bool IsTypeOf(MatMulType type) {
    return WithType(type, [](auto element) { return std::is_same_v<decltype(element), T>; });
  }
  static const void* Shifted(const void* base, MatMulType type, int64_t elements) {
    return WithType(
        type, [&](auto element) -> const void* { return static_cast<const decltype(element)*>(base) + elements; });
  }

  void RunOne(const Arrays& arrays, runtime::ThreadPool& threads) const {
    if (depth_ == 0) return Clear(arrays);
    if (IsSmallRow()) return RunRow(arrays);
    if (ReadsRhsOnce()) {
      const int64_t unit = is_dots_ ? kDotColumns : kernel_.columns;
      const int64_t units = (columns_ + unit - 1) / unit;
      threads.ForEach(units, Nanoseconds(rows_, unit, depth_), [&](int64_t begin, int64_t end) {
        const int64_t first = begin * unit;
        const Range columns{first, std::min(columns_, end * unit) - first};
        is_dots_ ? RunDots(arrays, columns) : RunFewRows(arrays, columns);
      });
      return;
    }
    const int64_t most_rows = has_plain_out_ ? rows_ : kSumRows;
    for (int64_t row = 0; row < rows_; row += most_rows) {
      for (int64_t column = 0; column < columns_; column += kColumnBlock) {
        RunColumns(arrays, {row, std::min(most_rows, rows_ - row)}, {column, std::min(kColumnBlock, columns_ - column)},
                   threads);
      }
    }
  }

  void Clear(const Arrays& arrays) const {
    const T zero = T(0);
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t column = 0; column < columns_; ++column) Unpack(arrays, &zero, 1, row, 1, column, 1);
    }
  }

  // A row of lhs side by side; in `packed` unless it lies so already.
  const T* RowOfLhs(const Arrays& arrays, int64_t row, T* packed) const {
    if (has_plain_lhs_) return static_cast<const T*>(arrays.lhs) + lhs_rows_[row] + lhs_depth_[0];
    PackLhs(arrays, row, 1, 0, depth_, packed);
    return packed;
  }
  // Where the sums of a row may be kept: in the output, if that is as good as a block.
  T* SumsOf(const Arrays& arrays, int64_t row, int64_t column, int64_t count) const {
    return has_plain_out_ ? static_cast<T*>(arrays.out) + out_rows_[row] + out_columns_[column]
                          : Workspace<T>(2, count);
  }

  // lhs is one row, rhs is small and contiguous along the columns.
  void RunRow(const Arrays& arrays) const {
    T* const sums = SumsOf(arrays, 0, 0, columns_);
    kernel_.sum_rows(columns_, depth_, RowOfLhs(arrays, 0, Workspace<T>(0, depth_)),
                     static_cast<const T*>(arrays.rhs) + rhs_columns_[0] + rhs_depth_[0], Distance(rhs_depth_), sums);
    if (!has_plain_out_) Unpack(arrays, sums, columns_, 0, 1, 0, columns_);
  }

  // lhs is a few rows, rhs is contiguous along the depth.
  void RunDots(const Arrays& arrays, Range columns) const {
    T* const packed = Workspace<T>(0, depth_);
    for (int64_t row = 0; row < rows_; ++row) {
      const T* const left = RowOfLhs(arrays, row, packed);
      T* const sums = SumsOf(arrays, row, columns.first, columns.count);
      for (int64_t done = 0; done < columns.count; done += kDotColumns)
        DotColumns(arrays, left, columns.first + done, std::min<int64_t>(kDotColumns, columns.count - done),
                   sums + done);
      if (!has_plain_out_) Unpack(arrays, sums, columns.count, row, 1, columns.first, columns.count);
    }
  }

  // At most kDotColumns of them.
  void DotColumns(const Arrays& arrays, const T* left, int64_t column, int64_t count, T* sums) const {
    const int64_t* const offsets = &rhs_columns_[column];
    const T* const rhs = static_cast<const T*>(arrays.rhs);
    if (count == kDotColumns && offsets[3] - offsets[0] == 3 * (offsets[1] - offsets[0])) {
      kernel_.dot(depth_, left, rhs + offsets[0], offsets[1] - offsets[0], sums);
      return;
    }
    // The same column four times costs no more than a kernel of its own.
    for (int64_t number = 0; number < count; ++number) {
      T repeated[kDotColumns];
      kernel_.dot(depth_, left, rhs + offsets[number], 0, repeated);
      sums[number] = repeated[0];
    }
  }

  // lhs is a few rows, rhs is contiguous along the columns: whole rows of rhs are added up, so that it is read in long runs.
  void RunFewRows(const Arrays& arrays, Range columns) const {
    T* const left = Workspace<T>(0, rows_ * depth_);
    for (int64_t row = 0; row < rows_; ++row) PackLhs(arrays, row, 1, 0, depth_, left + row * depth_);
    T* const sums = Workspace<T>(2, rows_ * kLongRun);
    const int64_t end = columns.first + columns.count;
    for (int64_t column = columns.first; column < end; column += kLongRun) {
      const int64_t count = std::min(kLongRun, end - column);
      for (int64_t row = 0; row < rows_; ++row) std::fill_n(sums + row * kLongRun, count, T(0));
      for (int64_t depth = 0; depth < depth_;) {
        const bool is_group = depth + kAddedRows <= depth_;
        const T* const right = static_cast<const T*>(arrays.rhs) + rhs_columns_[column] + rhs_depth_[depth];
        for (int64_t row = 0; row < rows_; ++row) {
          const T* const factors = left + row * depth_ + depth;
          (is_group ? kernel_.add_rows : kernel_.add_row)(count, factors, right, Distance(rhs_depth_),
                                                          sums + row * kLongRun);
        }
        depth += is_group ? kAddedRows : 1;
      }
      Unpack(arrays, sums, kLongRun, 0, rows_, column, count);
    }
  }

  // At most kColumnBlock columns, and kSumRows rows where sums go through a block of their own.
  void RunColumns(const Arrays& arrays, Range rows, Range columns, runtime::ThreadPool& threads) const {
    T* const sums = has_plain_out_ ? nullptr : Workspace<T>(2, rows.count * kColumnBlock);
    const int64_t blocks = std::max<int64_t>(1, (depth_ + kDepthBlock / 2) / kDepthBlock);
    const int64_t most_depth = (depth_ + blocks - 1) / blocks;
    for (int64_t depth = 0; depth < depth_; depth += most_depth) {
      const Block block{rows.first,    rows.count, columns.first,
                        columns.count, depth,      std::min(most_depth, depth_ - depth)};
      const T* const right = PackRight(arrays, block, threads);
      RunBlock(arrays, block, right, sums, threads);
    }
    if (sums == nullptr) return;
    const double nanoseconds = kNanosecondsPerPacked * static_cast<double>(columns.count);
    threads.ForEach(rows.count, nanoseconds, [&](int64_t begin, int64_t end) {
      Unpack(arrays, sums + begin * kColumnBlock, kColumnBlock, rows.first + begin, end - begin, columns.first,
             columns.count);
    });
  }

  struct Block {
    int64_t row, row_count, column, column_count, depth, depth_count;
  };

  int64_t Panels(const Block& block) const { return (block.column_count + kernel_.columns - 1) / kernel_.columns; }
  bool IsInPlace(const Block& block, int64_t panel) const {
    return reads_rhs_in_place_ && (panel + 1) * kernel_.columns <= block.column_count;
  }

  // The panels of the block one after the other, each of its columns side by side.
  const T* PackRight(const Arrays& arrays, const Block& block, runtime::ThreadPool& threads) const {
    const int64_t width = kernel_.columns;
    const int64_t panels = Panels(block);
    T* const right = Workspace<T>(1, panels * width * block.depth_count);
    const auto pack = [&](int64_t panel, int64_t depth, int64_t depth_count) {
      if (IsInPlace(block, panel)) return;
      const int64_t column = panel * width;
      PackRhs(arrays, block.column + column, std::min(width, block.column_count - column), block.depth + depth,
              depth_count, right + (panel * block.depth_count + depth) * width);
    };
    const double nanoseconds = kNanosecondsPerPacked * static_cast<double>(width);
    if (!IsContiguous(rhs_columns_)) {
      threads.ForEach(panels, nanoseconds * static_cast<double>(block.depth_count), [&](int64_t begin, int64_t end) {
        for (int64_t panel = begin; panel < end; ++panel) pack(panel, 0, block.depth_count);
      });
      return right;
    }
    // Rows of rhs are read in long runs.
    const int64_t groups = (block.depth_count + kPackedRows - 1) / kPackedRows;
    threads.ForEach(groups, nanoseconds * static_cast<double>(panels * kPackedRows), [&](int64_t begin, int64_t end) {
      for (int64_t depth = begin * kPackedRows; depth < std::min(end * kPackedRows, block.depth_count);
           depth += kPackedRows) {
        const int64_t count = std::min(kPackedRows, block.depth_count - depth);
        for (int64_t panel = 0; panel < panels; ++panel) pack(panel, depth, count);
      }
    });
    return right;
  }

  // Slivers of rows times groups of panels, so many that every thread gets some.
  void RunBlock(const Arrays& arrays, const Block& block, const T* right, T* sums, runtime::ThreadPool& threads) const {
    const int64_t panels = Panels(block);
    const int64_t slivers = (block.row_count + kernel_.rows - 1) / kernel_.rows;
    const int64_t wanted = threads.threads() == 1 ? 1 : kTasksPerThread * threads.threads();
    const int64_t groups = std::min(panels, (wanted + slivers - 1) / slivers);
    const int64_t group = (panels + groups - 1) / groups;
    const double nanoseconds = Nanoseconds(kernel_.rows, group * kernel_.columns, block.depth_count);
    threads.ForEach(slivers * groups, nanoseconds, [&](int64_t begin, int64_t end) {
      T* const left = Workspace<T>(0, kernel_.rows * block.depth_count);
      int64_t packed = -1;
      for (int64_t task = begin; task < end; ++task) {
        const int64_t row = task / groups * kernel_.rows;
        const int64_t rows = std::min<int64_t>(kernel_.rows, block.row_count - row);
        if (packed != row) PackLhs(arrays, block.row + row, rows, block.depth, block.depth_count, left);
        packed = row;
        const int64_t first = task % groups * group;
        for (int64_t panel = first; panel < std::min(first + group, panels); ++panel)
          RunPanel(arrays, block, {row, rows, panel * kernel_.columns}, left, right, sums);
      }
    });
  }

  // Place of a tile inside its block.
  struct TilePlace {
    int64_t row, rows, column;
  };

  void RunPanel(const Arrays& arrays, const Block& block, TilePlace place, const T* left, const T* right,
                T* sums) const {
    const int64_t panel = place.column / kernel_.columns;
    if (!IsInPlace(block, panel))
      return RunTile(arrays, block, place, left, right + place.column * block.depth_count, kernel_.columns, sums);
    const T* const in_place =
        static_cast<const T*>(arrays.rhs) + rhs_columns_[block.column + place.column] + rhs_depth_[block.depth];
    RunTile(arrays, block, place, left, in_place, Distance(rhs_depth_), sums);
  }

  void RunTile(const Arrays& arrays, const Block& block, TilePlace place, const T* left, const T* right,
               int64_t right_stride, T* sums) const {
    const auto [row, rows, column] = place;
    const int64_t columns = std::min<int64_t>(kernel_.columns, block.column_count - column);
    T* target = nullptr;
    int64_t stride = 0;
    if (sums != nullptr) {
      target = sums + row * kColumnBlock + column;
      stride = kColumnBlock;
    } else {
      target = static_cast<T*>(arrays.out) + out_rows_[block.row + row] + out_columns_[block.column + column];
      stride = Distance(out_rows_);
    }
    const bool accumulate = block.depth > 0;
    // The block of sums has room for whole tiles, the output has not.
    if (columns == kernel_.columns || sums != nullptr) {
      kernel_.tiles[rows](block.depth_count, left, right, right_stride, target, stride, accumulate);
      return;
    }
    T tile[MatMulKernel<T>::kMostRows * kMostColumns];
    kernel_.tiles[rows](block.depth_count, left, right, right_stride, tile, kernel_.columns, false);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        T& element = target[r * stride + c];
        element = accumulate ? Sum(element, tile[r * kernel_.columns + c]) : tile[r * kernel_.columns + c];
      }
    }
  }
  static constexpr int64_t kMostColumns = 32;
  static_assert(kColumnBlock % kMostColumns == 0);

  static T Sum(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right));
    } else {
      return left + right;
    }
  }

  void PackLhs(const Arrays& arrays, int64_t row, int64_t rows, int64_t depth, int64_t depth_count, T* packed) const {
    WithType(matmul_.lhs, [&](auto element) {
      PackBlock(static_cast<const decltype(element)*>(arrays.lhs), &lhs_rows_[row], rows, &lhs_depth_[depth],
                depth_count, packed, rows);
    });
  }
  void PackRhs(const Arrays& arrays, int64_t column, int64_t columns, int64_t depth, int64_t depth_count,
               T* packed) const {
    WithType(matmul_.rhs, [&](auto element) {
      PackBlock(static_cast<const decltype(element)*>(arrays.rhs), &rhs_columns_[column], columns, &rhs_depth_[depth],
                depth_count, packed, static_cast<int64_t>(kernel_.columns));
    });
  }
  void Unpack(const Arrays& arrays, const T* block, int64_t stride, int64_t row, int64_t rows, int64_t column,
              int64_t columns) const {
    WithType(matmul_.out, [&](auto element) {
      UnpackBlock(block, stride, static_cast<decltype(element)*>(arrays.out), &out_rows_[row], rows,
                  &out_columns_[column], columns);
    });
  }

  const MatMul matmul_;
  const MatMulKernel<T>& kernel_;
  const int64_t rows_, columns_, depth_;
  // In elements, by index.
  const std::vector<int64_t> lhs_rows_, lhs_depth_, lhs_batch_, rhs_columns_, rhs_depth_, rhs_batch_, out_rows_,
      out_columns_, out_batch_;
  const bool has_plain_lhs_;  // along the depth
  const bool has_plain_out_;
  const bool reads_rhs_in_place_;
  const bool is_dots_;
};

// out^T = rhs^T * lhs^T.
MatMul TurnedAround(const MatMul& matmul) {
  MatMul turned{matmul.rhs,     matmul.lhs,  matmul.out,   matmul.batch,
                matmul.columns, matmul.rows, matmul.depth, matmul.is_complex};
  for (auto* group : {&turned.batch, &turned.rows, &turned.columns, &turned.depth}) {
    for (MatMulDimension& dimension : *group) std::swap(dimension.lhs_stride, dimension.rhs_stride);
  }
  return turned;
}

MatMulFunction Exchanged(MatMulFunction product) {
  return [product = std::move(product)](const void* lhs, const void* rhs, void* out, runtime::ThreadPool& threads) {
    product(rhs, lhs, out, threads);
  };
}

enum class SumType { kF32, kF64, kS32, kS64 };

SumType SumTypeOf(MatMulType out) {
  switch (out) {
    case MatMulType::kF16:
    case MatMulType::kBF16:
    case MatMulType::kF32: return SumType::kF32;
    case MatMulType::kF64: return SumType::kF64;
    case MatMulType::kS64:
    case MatMulType::kU64: return SumType::kS64;
    // Narrower integers wrap when they are stored, which gives the same bits as wrapping at each step.
    default: return SumType::kS32;
  }
}

template <typename T>
MatMulFunction Prepare(MatMul matmul) {
  return [product = std::make_shared<const Product<T>>(std::move(matmul))](const void* lhs, const void* rhs, void* out,
                                                                           runtime::ThreadPool& threads) {
    product->Run(lhs, rhs, out, threads);
  };
}

MatMulFunction PrepareInOrder(MatMul matmul) {
  switch (SumTypeOf(matmul.out)) {
    case SumType::kF32: return Prepare<float>(std::move(matmul));
    case SumType::kF64: return Prepare<double>(std::move(matmul));
    case SumType::kS32: return Prepare<int32_t>(std::move(matmul));
    case SumType::kS64: return Prepare<int64_t>(std::move(matmul));
  }
  return {};
}

bool HasUnitStride(const std::vector<MatMulDimension>& dimensions) {
  return !dimensions.empty() && dimensions.back().out_stride == 1;
}

}  // namespace

MatMulFunction PrepareMatMul(const MatMul& matmul) {
  const int64_t rows = Count(matmul.rows);
  const int64_t columns = Count(matmul.columns);
  if (matmul.is_complex) {
    // The smaller operand is the one that is written out anew.
    if (columns <= rows) return PrepareComplexMatMul(matmul);
    return Exchanged(PrepareComplexMatMul(TurnedAround(matmul)));
  }
  const bool has_few_columns = columns <= kFewRows && rows > columns;
  const bool is_transposed =
      columns > kFewRows && rows > kFewRows && HasUnitStride(matmul.rows) && !HasUnitStride(matmul.columns);
  if (!has_few_columns && !is_transposed) return PrepareInOrder(matmul);
  return Exchanged(PrepareInOrder(TurnedAround(matmul)));
}

}  // namespace stead::cpu
