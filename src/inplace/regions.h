// The joint optimum over regions: which results of loops and branches are pointers (constraints/pointers.h), found by planning again.
//   A scope is planned on its own, and what is best inside may cost a copy outside. So a plan that is not proved to be the cheapest is
//   made again with other choices, and the cheapest of those plans is taken. Never worse than the plan it starts from.
#pragma once

#include <functional>

#include "base/result.h"
#include "inplace/constraints/scope.h"
#include "inplace/plan.h"

namespace stead::inplace {

// The best plan in which these leaves are pointers, each scope planned on its own.
using PlanWithPointers = std::function<Result<BufferPlan>(const PointerChoices&)>;

// RETURNS `first`, made without pointers, or a plan that copies less. The certificate is that of `first`: it holds for all plans.
BufferPlan ChoosePointers(BufferPlan first, const PlanWithPointers& plan_with);

}  // namespace stead::inplace
