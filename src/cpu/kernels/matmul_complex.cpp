// A complex number x = a + bi seen as the row (a, b) becomes x y when it is multiplied with
//   (  c  d )
//   ( -d  c )   for y = c + di.
// So with the numbers of rhs written out like that, lhs and out are real matrices as they lie in memory: the depth and the
// columns get one more dimension of size 2, and the work is that of the four real products, without their sums and temporaries.
#include "cpu/kernels/matmul_complex.h"

#include <utility>

#include "cpu/kernels/matmul_offsets.h"

namespace stead::cpu {
namespace {

// Places, in pairs, of the numbers of rhs, for each group of dimensions.
struct RightPlaces {
  std::vector<int64_t> batch, depth, columns;
};

// Writes rhs as [batch, depth, 2, columns, 2].
template <typename T>
void WriteOut(const T* rhs, const RightPlaces& places, T* out) {
  const int64_t row = 2 * static_cast<int64_t>(places.columns.size());
  for (int64_t batch : places.batch) {
    for (int64_t depth : places.depth) {
      for (int64_t column : places.columns) {
        const T* const number = rhs + 2 * (batch + depth + column);
        out[0] = number[0];
        out[1] = number[1];
        out[row] = -number[1];
        out[row + 1] = number[0];
        out += 2;
      }
      out += row;
    }
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

// The product of the real matrices, with rhs as WriteOut leaves it.
MatMul RealProduct(MatMul matmul) {
  matmul.is_complex = false;
  for (auto* group : {&matmul.batch, &matmul.rows, &matmul.columns, &matmul.depth}) {
    for (MatMulDimension& dimension : *group) dimension.lhs_stride *= 2, dimension.out_stride *= 2;
  }
  int64_t stride = 2;
  SetDenseStrides(matmul.columns, stride);
  const int64_t part_stride = stride;
  stride *= 2;
  SetDenseStrides(matmul.depth, stride);
  SetDenseStrides(matmul.batch, stride);
  matmul.columns.push_back({2, 0, 1, 1});
  matmul.depth.push_back({2, 1, part_stride, 0});
  return matmul;
}

template <typename T>
MatMulFunction Prepare(const MatMul& matmul) {
  RightPlaces places{Offsets(matmul.batch, &MatMulDimension::rhs_stride),
                     Offsets(matmul.depth, &MatMulDimension::rhs_stride),
                     Offsets(matmul.columns, &MatMulDimension::rhs_stride)};
  const size_t size = 4 * places.batch.size() * places.depth.size() * places.columns.size();
  return [size, places = std::move(places), product = PrepareMatMul(RealProduct(matmul))](const void* lhs,
                                                                                          const void* rhs, void* out) {
    thread_local std::vector<T> written_out;
    if (written_out.size() < size) written_out.resize(size);
    WriteOut(static_cast<const T*>(rhs), places, written_out.data());
    product(lhs, written_out.data(), out);
  };
}

}  // namespace

MatMulFunction PrepareComplexMatMul(const MatMul& matmul) {
  return matmul.out == MatMulType::kF64 ? Prepare<double>(matmul) : Prepare<float>(matmul);
}

}  // namespace stead::cpu
