// sort and topk.
//   The comparator is a computation, dear to call once and cheap to call for many pairs. So the merges of one level of a merge
//   sort advance together, over all rows: every step takes one element of each merge with one call of the comparator. A row
//   of n elements takes about 2n calls instead of n log n.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "interp/box.h"
#include "interp/elements.h"
#include "interp/evaluator.h"
#include "interp/ops/reduce.h"
#include "interp/scalar_computation.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;
using ir::RowMajorStrides;
using ir::Shape;

// Two sorted runs of element numbers, [left, left_end) and [right, right_end), being merged to `target`.
struct Merge {
  int64_t left, left_end, right, right_end, target;
};

// Sorts rows of `extent` element numbers each.
class MergeSorter {
 public:
  MergeSorter(ScalarComputation& comparator, std::vector<const Literal*> operands)
      : comparator_(comparator), operands_(std::move(operands)) {}

  Status Sort(std::vector<int64_t>& numbers, int64_t extent) {
    int64_t size = static_cast<int64_t>(numbers.size());
    std::vector<int64_t> merged(numbers.size());
    for (int64_t width = 1; width < extent; width *= 2) {
      std::vector<Merge> merges;
      for (int64_t row = 0; row < size; row += extent) {
        for (int64_t start = 0; start < extent; start += 2 * width) {
          int64_t middle = std::min(start + width, extent);
          merges.push_back(
              {row + start, row + middle, row + middle, row + std::min(middle + width, extent), row + start});
        }
      }
      TRY_STATUS(MergeAll(merges, numbers, merged));
      numbers.swap(merged);
    }
    return {};
  }

 private:
  Status MergeAll(std::vector<Merge>& merges, const std::vector<int64_t>& numbers, std::vector<int64_t>& merged) {
    DropFinished(merges, numbers, merged);
    while (!merges.empty()) {
      TRY_STATUS(Compare(merges, numbers));
      for (size_t lane = 0; lane < merges.size(); ++lane) {
        Merge& merge = merges[lane];
        // Equal elements keep their order: the right one goes first only when it is smaller.
        merged[merge.target++] = right_first_[lane] != std::byte{0} ? numbers[merge.right++] : numbers[merge.left++];
      }
      DropFinished(merges, numbers, merged);
    }
    return {};
  }

  // Moves the rest of every merge that has an empty side, and forgets the merge.
  static void DropFinished(std::vector<Merge>& merges, const std::vector<int64_t>& numbers,
                           std::vector<int64_t>& merged) {
    std::erase_if(merges, [&](const Merge& merge) {
      if (merge.left < merge.left_end && merge.right < merge.right_end) return false;
      auto target =
          std::copy(numbers.begin() + merge.left, numbers.begin() + merge.left_end, merged.begin() + merge.target);
      std::copy(numbers.begin() + merge.right, numbers.begin() + merge.right_end, target);
      return true;
    });
  }

  // right_first_[k]: whether the comparator puts the right head of merge k before the left one.
  Status Compare(const std::vector<Merge>& merges, const std::vector<int64_t>& numbers) {
    right_first_.resize(merges.size());
    arrays_.resize(2 * operands_.size());
    std::vector<const std::byte*> arguments;
    for (size_t number = 0; number < operands_.size(); ++number) {
      size_t bytes = static_cast<size_t>(ir::ElementBytes(operands_[number]->shape().element_type));
      std::vector<std::byte>& rights = arrays_[2 * number];
      std::vector<std::byte>& lefts = arrays_[2 * number + 1];
      rights.resize(merges.size() * bytes);
      lefts.resize(merges.size() * bytes);
      const std::byte* elements = operands_[number]->bytes().data();
      for (size_t lane = 0; lane < merges.size(); ++lane) {
        std::memcpy(rights.data() + lane * bytes, elements + static_cast<size_t>(numbers[merges[lane].right]) * bytes,
                    bytes);
        std::memcpy(lefts.data() + lane * bytes, elements + static_cast<size_t>(numbers[merges[lane].left]) * bytes,
                    bytes);
      }
      arguments.push_back(rights.data());
      arguments.push_back(lefts.data());
    }
    std::byte* const decisions[] = {right_first_.data()};
    return comparator_.Run(arguments, decisions, static_cast<int64_t>(merges.size()));
  }

  ScalarComputation& comparator_;
  std::vector<const Literal*> operands_;
  std::vector<std::byte> right_first_;
  std::vector<std::vector<std::byte>> arrays_;
};

// The element numbers of an array of these extents, row after row along `dim`.
std::vector<int64_t> NumbersAlong(const Dimensions& extents, int64_t dim) {
  std::vector<int64_t> strides = RowMajorStrides(extents);
  Dimensions rows = extents;
  rows[dim] = 1;
  std::vector<int64_t> numbers;
  for (IndexCounter row(rows); row.valid(); row.Advance()) {
    int64_t first = Dot(row.index(), strides);
    for (int64_t position = 0; position < extents[dim]; ++position) numbers.push_back(first + position * strides[dim]);
  }
  return numbers;
}

// The order in which topk ranks values: a number that grows with the value, NaN above infinity, -0 below +0.
template <typename Value>
auto RankOf(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    using Bits = std::conditional_t<sizeof(Value) == 4, int32_t, int64_t>;
    Bits bits = std::bit_cast<Bits>(value);
    return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits;
  } else {
    return value;
  }
}

// Positions of the first `count` elements of a row in ranking order.
template <typename Wide>
std::vector<int64_t> BestPositions(const Wide* row, int64_t extent, int64_t count, bool largest) {
  std::vector<int64_t> positions(static_cast<size_t>(extent));
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](int64_t left, int64_t right) {
    return largest ? RankOf(row[left]) > RankOf(row[right]) : RankOf(row[left]) < RankOf(row[right]);
  });
  positions.resize(static_cast<size_t>(count));
  return positions;
}

bool WantsLargest(const ir::Instruction& instruction) {
  auto found = std::ranges::find(instruction.extra, "largest", &ir::ExtraAttribute::key);
  return found == instruction.extra.end() || found->value != "false";
}

}  // namespace

Result<Literal> EvaluateSort(const OpCall& call) {
  const Dimensions& extents = call.operand(0).shape().dimensions;
  int64_t dim = call.instruction.As<ir::SortAttributes>().dimension;
  std::vector<int64_t> before = NumbersAlong(extents, dim);
  std::vector<int64_t> after = before;
  MergeSorter sorter(call.evaluator.Scalars(call.instruction.called.at(0)),
                     {call.operands.begin(), call.operands.end()});
  TRY_STATUS(sorter.Sort(after, extents.at(static_cast<size_t>(dim))));
  std::vector<Literal> results;
  for (const Literal* operand : call.operands) {
    Literal result = Literal::Zeros(operand->shape());
    int64_t bytes = ir::ElementBytes(operand->shape().element_type);
    std::byte* target = result.mutable_bytes().data();
    for (size_t place = 0; place < before.size(); ++place) {
      std::memcpy(target + before[place] * bytes, operand->bytes().data() + after[place] * bytes,
                  static_cast<size_t>(bytes));
    }
    results.push_back(std::move(result));
  }
  return call.shape().is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results.front());
}

Result<Literal> EvaluateTopK(const OpCall& call) {
  const Literal& operand = call.operand(0);
  if (!call.shape().is_tuple() || ir::IsComplex(operand.shape().element_type))
    return UnsupportedOp(call.module, call.id);
  int64_t extent = operand.shape().dimensions.back();
  int64_t count = call.shape().elements.at(0).dimensions.back();
  bool largest = WantsLargest(call.instruction);
  return VisitWide(operand.shape().element_type, [&]<typename Wide>() -> Result<Literal> {
    if constexpr (kIsComplex<Wide>) {
      return UnsupportedOp(call.module, call.id);
    } else {
      std::vector<Wide> values = ReadAll<Wide>(operand);
      std::vector<Wide> best;
      std::vector<int64_t> indices;
      for (size_t row = 0; row < values.size(); row += static_cast<size_t>(extent)) {
        for (int64_t position : BestPositions(values.data() + row, extent, count, largest)) {
          best.push_back(values[row + static_cast<size_t>(position)]);
          indices.push_back(position);
        }
      }
      return Literal::Tuple({WriteAll(call.shape().elements[0], best), WriteAll(call.shape().elements.at(1), indices)});
    }
  });
}

}  // namespace stead::interp
