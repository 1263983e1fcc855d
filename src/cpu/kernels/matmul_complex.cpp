// A complex number x = a + bi seen as the row (a, b) becomes x y when it is multiplied with
//   (  c  d )
//   ( -d  c )   for y = c + di.
// So with the numbers of rhs written out like that, lhs and out are real matrices as they lie in memory: the depth and the
// columns get one more dimension of size 2, and the work is that of the four real products, without their sums and temporaries.
#include "cpu/kernels/matmul_complex.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/kernels/matmul_offsets.h"

namespace stead::cpu {
namespace {

// Places, in pairs, of the numbers of rhs, for each group of dimensions.
struct RightPlaces {
  std::vector<int64_t> depth, columns;
};

// Writes rhs as [depth, 2, columns, 2].
template <typename T>
void WriteOut(const T* rhs, const RightPlaces& places, T* out) {
  const int64_t row = 2 * static_cast<int64_t>(places.columns.size());
  for (int64_t depth : places.depth) {
    for (int64_t column : places.columns) {
      const T* const number = rhs + 2 * (depth + column);
      out[0] = number[0];
      out[1] = number[1];
      out[row] = -number[1];
      out[row + 1] = number[0];
      out += 2;
    }
    out += row;
  }
}

// Gives a group of dimensions the strides of a dense array in the rhs; `stride` is that of the fastest one, and becomes the
// size of the group.
void SetDenseStrides(std::vector<MatMulDimension>& dimensions, int64_t& stride) {
  for (size_t dim = dimensions.size(); dim-- > 0;) {
    dimensions[dim].rhs_stride = stride;
    stride *= dimensions[dim].size;
  }
}

// The product of the real matrices, with rhs as WriteOut leaves it. Batches are the caller's business.
MatMul RealProduct(MatMul matmul) {
  matmul.is_complex = false;
  for (auto* group : {&matmul.rows, &matmul.columns, &matmul.depth}) {
    for (MatMulDimension& dimension : *group) dimension.lhs_stride *= 2, dimension.out_stride *= 2;
  }
  int64_t stride = 2;
  SetDenseStrides(matmul.columns, stride);
  const int64_t part_stride = stride;
  stride *= 2;
  SetDenseStrides(matmul.depth, stride);
  matmul.columns.push_back({2, 0, 1, 1});
  matmul.depth.push_back({2, 1, part_stride, 0});
  return matmul;
}

// The product of one shape, batch by batch and a panel of columns at a time.
template <typename T>
class ComplexProduct {
 public:
  explicit ComplexProduct(MatMul matmul)
      : lhs_batch_(Offsets(matmul.batch, &MatMulDimension::lhs_stride)),
        rhs_batch_(Offsets(matmul.batch, &MatMulDimension::rhs_stride)),
        out_batch_(Offsets(matmul.batch, &MatMulDimension::out_stride)) {
    matmul.batch.clear();
    if (matmul.columns.empty()) matmul.columns.push_back({});
    columns_ = matmul.columns.front();
    matmul.columns.front().size = 1;
    const int64_t numbers_per_column = std::max<int64_t>(1, Count(matmul.depth) * Count(matmul.columns));
    panel_width_ = std::clamp<int64_t>(kPanelNumbers / numbers_per_column, 1, std::max<int64_t>(1, columns_.size));
    full_ = MakePanel(matmul, panel_width_);
    rest_ = MakePanel(matmul, columns_.size % panel_width_);
  }

  void Run(const T* lhs, const T* rhs, T* out, runtime::ThreadPool& threads) const {
    for (size_t batch = 0; batch < out_batch_.size(); ++batch) {
      for (int64_t column = 0; column < columns_.size; column += panel_width_) {
        RunPanel(column + panel_width_ <= columns_.size ? full_ : rest_, lhs + 2 * lhs_batch_[batch],
                 rhs + 2 * (rhs_batch_[batch] + column * columns_.rhs_stride),
                 out + 2 * (out_batch_[batch] + column * columns_.out_stride), threads);
      }
    }
  }

 private:
  // Numbers of rhs that are written out at a time: they are packed again, so more would only take memory.
  static constexpr int64_t kPanelNumbers = 1 << 20;

  struct Panel {
    RightPlaces places;
    MatMulFunction product;
  };

  static Panel MakePanel(MatMul matmul, int64_t width) {
    matmul.columns.front().size = width;
    return {
        {Offsets(matmul.depth, &MatMulDimension::rhs_stride), Offsets(matmul.columns, &MatMulDimension::rhs_stride)},
        PrepareMatMul(RealProduct(matmul))};
  }

  static void RunPanel(const Panel& panel, const T* lhs, const T* rhs, T* out, runtime::ThreadPool& threads) {
    thread_local std::vector<T> written_out;
    const size_t size = 4 * panel.places.depth.size() * panel.places.columns.size();
    if (written_out.size() < size) written_out.resize(size);
    WriteOut(rhs, panel.places, written_out.data());
    panel.product(lhs, written_out.data(), out, threads);
  }

  const std::vector<int64_t> lhs_batch_, rhs_batch_, out_batch_;
  MatMulDimension columns_;  // the slowest dimension, which is cut into panels
  int64_t panel_width_ = 1;
  Panel full_, rest_;
};

template <typename T>
MatMulFunction Prepare(const MatMul& matmul) {
  return [product = std::make_shared<const ComplexProduct<T>>(matmul)](const void* lhs, const void* rhs, void* out,
                                                                       runtime::ThreadPool& threads) {
    product->Run(static_cast<const T*>(lhs), static_cast<const T*>(rhs), static_cast<T*>(out), threads);
  };
}

}  // namespace

MatMulFunction PrepareComplexMatMul(const MatMul& matmul) {
  return matmul.out == MatMulType::kF64 ? Prepare<double>(matmul) : Prepare<float>(matmul);
}

}  // namespace stead::cpu
