// Where an element stands: index expressions over loop counters and values known at run time.
//   An expression is constant + sum of coefficient * variable. Kernels compute the address of every element they touch from
//   such expressions, so what cancels here costs nothing at run time: the quotient and remainder that split a flat position
//   into coordinates meet again in the address and become the flat position.
//   Knows nothing of LLVM; loop_builder.h turns expressions into instructions.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/id.h"

namespace llvm {
class Value;
}

namespace stead::cpu {

using VariableId = Id<struct VariableTag>;

// constant + sum of coefficient * variable.
struct IndexExpression {
  int64_t constant = 0;
  std::vector<std::pair<VariableId, int64_t>> terms;  // by ascending id, coefficients not zero

  static IndexExpression Constant(int64_t value) { return {value, {}}; }
  static IndexExpression Of(VariableId variable) { return {0, {{variable, 1}}}; }
  bool is_constant() const { return terms.empty(); }
  friend auto operator<=>(const IndexExpression&, const IndexExpression&) = default;
};

IndexExpression operator+(const IndexExpression& left, const IndexExpression& right);
IndexExpression operator*(const IndexExpression& expression, int64_t factor);

// One expression per dimension of an array.
using Index = std::vector<IndexExpression>;

struct Variable {
  enum class Kind : uint8_t {
    kScalar,         // the same in every lane: a loop counter or a computed value
    kVectorCounter,  // `value` + lane: the counter of a vectorised loop
    kVector,         // `value` holds one integer per lane
    kQuotient,       // of / divisor
    kRemainder,      // of % divisor
  };
  Kind kind = Kind::kScalar;
  int64_t limit = 0;             // 0 <= variable < limit wherever its value matters
  int depth = 0;                 // the innermost scope it depends on
  bool varies = false;           // between lanes
  llvm::Value* value = nullptr;  // none for quotients and remainders
  IndexExpression of;            // quotients and remainders; not negative where it matters
  int64_t divisor = 1;
};

// The variables of one kernel and the algebra on expressions over them.
class IndexSpace {
 public:
  VariableId Add(Variable variable) { return variables_.Add(std::move(variable)); }
  const Variable& operator[](VariableId id) const { return variables_[id]; }

  // expression / divisor and expression % divisor, rounded down. REQUIRES: the expression is not negative where it matters.
  IndexExpression Quotient(const IndexExpression& expression, int64_t divisor);
  IndexExpression Remainder(const IndexExpression& expression, int64_t divisor);
  // Joins quotients with the remainders that belong to them.
  IndexExpression Simplify(IndexExpression expression) const;

  // Position in an array whose dimensions have these strides, and the coordinates of a position. `sizes` and `order` list
  // the dimensions from the slowest to the fastest in memory.
  IndexExpression Linear(const Index& index, const std::vector<int64_t>& strides) const;
  Index Delinearize(const IndexExpression& position, const std::vector<int64_t>& sizes,
                    const std::vector<int64_t>& order);

  // The innermost scope the expression depends on.
  int Depth(const IndexExpression& expression) const;
  int Depth(const Index& index) const;
  bool Varies(const IndexExpression& expression) const;
  bool Varies(const Index& index) const;
  // Smallest and largest value on lanes that matter.
  std::pair<int64_t, int64_t> Range(const IndexExpression& expression) const;

 private:
  // expression = divisor * multiple + rest.
  struct Division {
    IndexExpression multiple, rest;
  };
  Division Divide(const IndexExpression& expression, int64_t divisor) const;
  IndexExpression Intern(Variable::Kind kind, const IndexExpression& of, int64_t divisor, int64_t limit);

  IdVector<VariableId, Variable> variables_;
  std::map<std::pair<IndexExpression, std::pair<int64_t, Variable::Kind>>, VariableId> divisions_;
};

}  // namespace stead::cpu
