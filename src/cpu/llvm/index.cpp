#include "cpu/llvm/index.h"

#include <algorithm>

#include "base/check.h"

namespace stead::cpu {
namespace {

int64_t FloorDivide(int64_t value, int64_t divisor) {
  const int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

}  // namespace

IndexExpression operator+(const IndexExpression& left, const IndexExpression& right) {
  IndexExpression sum{left.constant + right.constant, {}};
  auto from_left = left.terms.begin();
  auto from_right = right.terms.begin();
  while (from_left != left.terms.end() || from_right != right.terms.end()) {
    if (from_right == right.terms.end() || (from_left != left.terms.end() && from_left->first < from_right->first)) {
      sum.terms.push_back(*from_left++);
    } else if (from_left == left.terms.end() || from_right->first < from_left->first) {
      sum.terms.push_back(*from_right++);
    } else {
      const int64_t coefficient = from_left->second + from_right->second;
      if (coefficient != 0) sum.terms.emplace_back(from_left->first, coefficient);
      ++from_left, ++from_right;
    }
  }
  return sum;
}

IndexExpression operator*(const IndexExpression& expression, int64_t factor) {
  if (factor == 0) return {};
  IndexExpression product{expression.constant * factor, expression.terms};
  for (auto& [variable, coefficient] : product.terms) coefficient *= factor;
  return product;
}

int IndexSpace::Depth(const IndexExpression& expression) const {
  int depth = 0;
  for (const auto& [variable, coefficient] : expression.terms) depth = std::max(depth, variables_[variable].depth);
  return depth;
}

int IndexSpace::Depth(const Index& index) const {
  int depth = 0;
  for (const IndexExpression& expression : index) depth = std::max(depth, Depth(expression));
  return depth;
}

bool IndexSpace::Varies(const IndexExpression& expression) const {
  return std::ranges::any_of(expression.terms, [&](const auto& term) { return variables_[term.first].varies; });
}

bool IndexSpace::Varies(const Index& index) const {
  return std::ranges::any_of(index, [&](const IndexExpression& expression) { return Varies(expression); });
}

std::pair<int64_t, int64_t> IndexSpace::Range(const IndexExpression& expression) const {
  int64_t low = expression.constant;
  int64_t high = expression.constant;
  for (const auto& [variable, coefficient] : expression.terms) {
    const int64_t reach = coefficient * (variables_[variable].limit - 1);
    (coefficient > 0 ? high : low) += reach;
  }
  return {low, high};
}

IndexSpace::Division IndexSpace::Divide(const IndexExpression& expression, int64_t divisor) const {
  Division parts;
  parts.multiple.constant = FloorDivide(expression.constant, divisor);
  parts.rest.constant = expression.constant - divisor * parts.multiple.constant;
  for (const auto& [variable, coefficient] : expression.terms) {
    if (coefficient % divisor == 0) {
      parts.multiple.terms.emplace_back(variable, coefficient / divisor);
    } else {
      parts.rest.terms.emplace_back(variable, coefficient);
    }
  }
  // A rest that may be negative would need signed division; the whole expression never does.
  if (Range(parts.rest).first < 0) return {{}, expression};
  return parts;
}

IndexExpression IndexSpace::Intern(Variable::Kind kind, const IndexExpression& of, int64_t divisor, int64_t limit) {
  const auto key = std::pair(of, std::pair(divisor, kind));
  const auto known = divisions_.find(key);
  if (known != divisions_.end()) return IndexExpression::Of(known->second);
  Variable variable;
  variable.kind = kind;
  variable.limit = limit;
  variable.depth = Depth(of);
  variable.varies = Varies(of);
  variable.of = of;
  variable.divisor = divisor;
  const VariableId id = Add(std::move(variable));
  divisions_[key] = id;
  return IndexExpression::Of(id);
}

IndexExpression IndexSpace::Quotient(const IndexExpression& expression, int64_t divisor) {
  if (divisor == 1) return expression;
  const Division parts = Divide(expression, divisor);
  const int64_t highest = Range(parts.rest).second;
  if (highest < divisor && Range(parts.rest).first >= 0) return parts.multiple;
  return parts.multiple + Intern(Variable::Kind::kQuotient, parts.rest, divisor, highest / divisor + 1);
}

IndexExpression IndexSpace::Remainder(const IndexExpression& expression, int64_t divisor) {
  if (divisor == 1) return {};
  const Division parts = Divide(expression, divisor);
  const auto [lowest, highest] = Range(parts.rest);
  if (lowest >= 0 && highest < divisor) return parts.rest;
  return Intern(Variable::Kind::kRemainder, parts.rest, divisor, divisor);
}

IndexExpression IndexSpace::Simplify(IndexExpression expression) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [variable, coefficient] : expression.terms) {
      const Variable& quotient = variables_[variable];
      if (quotient.kind != Variable::Kind::kQuotient || coefficient % quotient.divisor != 0) continue;
      const auto remainder = divisions_.find({quotient.of, {quotient.divisor, Variable::Kind::kRemainder}});
      if (remainder == divisions_.end()) continue;
      const int64_t factor = coefficient / quotient.divisor;
      if (!std::ranges::count(expression.terms, std::pair(remainder->second, factor))) continue;
      const IndexExpression pair =
          IndexExpression::Of(variable) * quotient.divisor + IndexExpression::Of(remainder->second);
      expression = expression + pair * -factor + quotient.of * factor;
      changed = true;
      break;
    }
  }
  return expression;
}

IndexExpression IndexSpace::Linear(const Index& index, const std::vector<int64_t>& strides) const {
  STEAD_CHECK(index.size() == strides.size());
  IndexExpression position;
  for (size_t dim = 0; dim < index.size(); ++dim) position = position + index[dim] * strides[dim];
  return Simplify(std::move(position));
}

Index IndexSpace::Delinearize(const IndexExpression& position, const std::vector<int64_t>& sizes,
                              const std::vector<int64_t>& order) {
  Index index(sizes.size());
  IndexExpression rest = position;
  for (size_t step = order.size(); step-- > 0;) {
    const int64_t dim = order[step];
    if (sizes[dim] == 1) continue;
    // The slowest dimension takes all that is left: a position stays inside its array.
    const bool slowest =
        std::all_of(order.begin(), order.begin() + step, [&](int64_t slower) { return sizes[slower] == 1; });
    index[dim] = slowest ? rest : Remainder(rest, sizes[dim]);
    rest = Quotient(rest, sizes[dim]);
  }
  return index;
}

}  // namespace stead::cpu
