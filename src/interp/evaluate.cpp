#include "interp/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/evaluator.h"
#include "interp/ops/control.h"
#include "interp/ops/elementwise.h"
#include "interp/ops/linear_algebra/dot.h"
#include "interp/ops/linear_algebra/linear_algebra.h"
#include "interp/ops/movement/indexing.h"
#include "interp/ops/movement/shape_ops.h"
#include "interp/ops/random.h"
#include "interp/ops/reduce.h"
#include "interp/scalar_computation.h"

namespace stead::interp {
namespace {

using ir::Literal;
using ir::Opcode;

// Each level takes a few kilobytes of the machine's stack.
constexpr int kMaximumCallDepth = 200;

// long: one line per op, so that the table of meanings is in one place
Result<Literal> Dispatch(const OpCall& call) {
  if (ir::IsElementwise(call.instruction.opcode)) return EvaluateElementwise(call);
  switch (call.instruction.opcode) {
    case Opcode::kBroadcast: return EvaluateBroadcast(call);
    case Opcode::kConcatenate: return EvaluateConcatenate(call);
    case Opcode::kPad: return EvaluatePad(call);
    case Opcode::kReverse: return EvaluateReverse(call);
    case Opcode::kSlice: return EvaluateSlice(call);
    case Opcode::kTranspose: return EvaluateTranspose(call);
    case Opcode::kIota: return EvaluateIota(call);
    case Opcode::kReshape: return EvaluateReshape(call);
    case Opcode::kBitcast: return EvaluateBitcast(call);
    case Opcode::kBitcastConvert: return EvaluateBitcastConvert(call);
    case Opcode::kDynamicSlice: return EvaluateDynamicSlice(call);
    case Opcode::kDynamicUpdateSlice: return EvaluateDynamicUpdateSlice(call);
    case Opcode::kGather: return EvaluateGather(call);
    case Opcode::kScatter: return EvaluateScatter(call);
    case Opcode::kGetDimensionSize: return EvaluateGetDimensionSize(call);
    case Opcode::kReduce: return EvaluateReduce(call);
    case Opcode::kReduceWindow: return EvaluateReduceWindow(call);
    case Opcode::kSelectAndScatter: return EvaluateSelectAndScatter(call);
    case Opcode::kMap: return EvaluateMap(call);
    case Opcode::kSort: return EvaluateSort(call);
    case Opcode::kTopK: return EvaluateTopK(call);
    case Opcode::kDot: return EvaluateDot(call);
    case Opcode::kScaledDot: return EvaluateScaledDot(call);
    case Opcode::kConvolution: return EvaluateConvolution(call);
    case Opcode::kFft: return EvaluateFft(call);
    case Opcode::kCholesky: return EvaluateCholesky(call);
    case Opcode::kTriangularSolve: return EvaluateTriangularSolve(call);
    case Opcode::kBatchNormInference: return EvaluateBatchNormInference(call);
    case Opcode::kBatchNormTraining: return EvaluateBatchNormTraining(call);
    case Opcode::kBatchNormGrad: return EvaluateBatchNormGrad(call);
    case Opcode::kRngBitGenerator: return EvaluateRngBitGenerator(call);
    case Opcode::kRngGetAndUpdateState: return EvaluateRngGetAndUpdateState(call);
    case Opcode::kCall:
    case Opcode::kFusion: return EvaluateCall(call);
    case Opcode::kConditional: return EvaluateConditional(call);
    case Opcode::kWhile: return EvaluateWhile(call);
    case Opcode::kConstant: return EvaluateConstant(call);
    case Opcode::kTuple: return EvaluateTuple(call);
    case Opcode::kGetTupleElement: return EvaluateGetTupleElement(call);
    case Opcode::kAfterAll: return Literal::Token();
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kOptimizationBarrier: return call.operand(0);
    // One replica and one partition run here.
    case Opcode::kPartitionId:
    case Opcode::kReplicaId: return Literal::Zeros(call.shape());
    default: return UnsupportedOp(call.module, call.id);
  }
}

Diagnostic WrongArgument(const ir::Module& module, ir::InstrId parameter, const ir::Shape& given) {
  const ir::Instruction& instruction = module.instruction(parameter);
  return InvalidArgument(fmt::format("argument {} has shape {}, parameter `{}` has shape {}",
                                     instruction.As<ir::ParameterAttributes>().number, given.ToString(false),
                                     instruction.name, instruction.shape.ToString(false)),
                         module.SourceOf(parameter));
}

Status CheckArguments(const ir::Module& module, ir::ComputationId computation,
                      std::span<const Literal* const> arguments) {
  const std::vector<ir::InstrId>& parameters = module.computation(computation).parameters;
  if (arguments.size() != parameters.size()) {
    return InvalidArgument(fmt::format("{} arguments were given, computation `{}` has {} parameters", arguments.size(),
                                       module.computation(computation).name, parameters.size()));
  }
  for (size_t number = 0; number < parameters.size(); ++number) {
    if (arguments[number]->elided()) {
      return InvalidArgument(fmt::format("argument {} is known by its shape alone", number),
                             module.SourceOf(parameters[number]));
    }
    if (!arguments[number]->shape().Compatible(module.shape(parameters[number]))) {
      return WrongArgument(module, parameters[number], arguments[number]->shape());
    }
  }
  return {};
}

std::vector<const Literal*> PointersTo(std::span<const Literal> literals) {
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

}  // namespace

Diagnostic UnsupportedOp(const ir::Module& module, ir::InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  std::string what = fmt::format("op `{}`", ir::OpcodeName(instruction.opcode));
  if (instruction.opcode == Opcode::kCustomCall) {
    what += fmt::format(" with target `{}`", instruction.As<ir::CustomCallAttributes>().target);
  }
  for (size_t number = 0; number < instruction.operands.size(); ++number) {
    what += fmt::format("{} {}", number == 0 ? " on" : ",", module.shape(instruction.operands[number]).ToString(false));
  }
  return Unimplemented(what + fmt::format(" with result {} has no meaning here yet", instruction.shape.ToString(false)),
                       module.SourceOf(id));
}

Evaluator::Evaluator(const ir::Module& module) : module_(module) {}
Evaluator::~Evaluator() = default;

ScalarComputation& Evaluator::Scalars(ir::ComputationId computation) {
  std::unique_ptr<ScalarComputation>& prepared = scalars_[computation];
  if (prepared == nullptr) prepared = std::make_unique<ScalarComputation>(*this, computation);
  return *prepared;
}

const Evaluator::Plan& Evaluator::PlanFor(ir::ComputationId id) {
  std::unique_ptr<Plan>& plan = plans_[id];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<Plan>();
  const ir::Computation& computation = module_.computation(id);
  std::unordered_map<ir::InstrId, size_t> places;
  std::vector<size_t> last_step(computation.instructions.size(), 0);
  for (ir::InstrId instruction : computation.instructions) {
    size_t place = places.size();
    places[instruction] = place;
    Step step{instruction, {}, {}};
    for (ir::InstrId operand : module_.instruction(instruction).operands) {
      step.operands.push_back(places.at(operand));
      last_step[places.at(operand)] = place;
    }
    last_step[place] = place;
    plan->steps.push_back(std::move(step));
  }
  plan->root = places.at(computation.root);
  for (size_t place = 0; place < last_step.size(); ++place) {
    if (place != plan->root) plan->steps[last_step[place]].last_uses.push_back(place);
  }
  return *plan;
}

Result<Literal> Evaluator::Run(ir::ComputationId computation, std::span<const Literal* const> arguments) {
  if (depth_ >= kMaximumCallDepth) {
    return ResourceExhausted(fmt::format("computations call each other more than {} deep, down to `{}`",
                                         kMaximumCallDepth, module_.computation(computation).name));
  }
  ++depth_;
  Result<Literal> result = RunPlan(PlanFor(computation), arguments);
  --depth_;
  return result;
}

Result<Literal> Evaluator::RunPlan(const Plan& plan, std::span<const Literal* const> arguments) {
  std::vector<Literal> owned(plan.steps.size());
  // Parameters are read where the caller keeps them.
  std::vector<const Literal*> values(plan.steps.size(), nullptr);
  std::vector<const Literal*> operands;
  for (size_t place = 0; place < plan.steps.size(); ++place) {
    const Step& step = plan.steps[place];
    const ir::Instruction& instruction = module_.instruction(step.id);
    if (instruction.opcode == Opcode::kParameter) {
      size_t number = static_cast<size_t>(instruction.As<ir::ParameterAttributes>().number);
      STEAD_CHECK(number < arguments.size(), instruction.name);
      values[place] = arguments[number];
    } else {
      operands.clear();
      for (size_t operand : step.operands) operands.push_back(values[operand]);
      TRY(owned[place], RunInstruction(step.id, operands));
      values[place] = &owned[place];
    }
    for (size_t unused : step.last_uses) owned[unused] = Literal();
  }
  return *values[plan.root];
}

Result<Literal> Evaluator::RunInstruction(ir::InstrId id, std::span<const Literal* const> operands) {
  return Dispatch(OpCall{*this, module_, id, module_.instruction(id), operands});
}

Result<Literal> EvaluateComputation(const ir::Module& module, ir::ComputationId computation,
                                    std::span<const Literal> arguments) {
  std::vector<const Literal*> pointers = PointersTo(arguments);
  TRY_STATUS(CheckArguments(module, computation, pointers));
  return Evaluator(module).Run(computation, pointers);
}

Result<Literal> Evaluate(const ir::Module& module, std::span<const Literal> arguments) {
  return EvaluateComputation(module, module.entry, arguments);
}

Result<Literal> EvaluateInstruction(const ir::Module& module, ir::InstrId id, std::span<const Literal> operands) {
  return Evaluator(module).RunInstruction(id, PointersTo(operands));
}

}  // namespace stead::interp
