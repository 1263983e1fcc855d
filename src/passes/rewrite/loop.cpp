#include "passes/rewrite/loop.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

// A computation of one parameter while it is filled: builders work before a mark at its end.
class OneParameterComputation {
 public:
  OneParameterComputation(ir::Module& module, std::string name, const Shape& shape)
      : module_(module), id_(module.AddComputation(std::move(name))) {
    ir::Instruction parameter;
    parameter.opcode = Opcode::kParameter;
    parameter.name = "state";
    parameter.shape = shape;
    parameter.attributes = ir::ParameterAttributes{0};
    parameter_ = module.Add(id_, std::move(parameter));
    ir::Instruction mark;
    mark.opcode = Opcode::kTuple;
    mark.shape = Shape::Tuple({});
    mark_ = module.Add(id_, std::move(mark));
  }

  Builder At() { return {module_, mark_}; }
  InstrId parameter() const { return parameter_; }

  ComputationId Finish(InstrId root) {
    module_.SetRoot(id_, root);
    module_.Erase(mark_);
    return id_;
  }

 private:
  ir::Module& module_;
  ComputationId id_;
  InstrId parameter_, mark_;
};

ComputationId MakeCondition(ir::Module& module, const std::string& name, const Shape& shape, int64_t count) {
  OneParameterComputation condition(module, name + "_condition", shape);
  Builder build = condition.At();
  InstrId counter = build.TupleElement(condition.parameter(), 0);
  InstrId end = build.Integer(ElementType::kS32, count);
  return condition.Finish(build.Compare(ir::CompareAttributes::Direction::kLt, counter, end));
}

ComputationId MakeBody(ir::Module& module, const std::string& name, const Shape& shape, const LoopBody& body) {
  OneParameterComputation computation(module, name + "_body", shape);
  Builder build = computation.At();
  InstrId counter = build.TupleElement(computation.parameter(), 0);
  std::vector<InstrId> state;
  for (size_t element = 1; element < shape.elements.size(); ++element) {
    state.push_back(build.TupleElement(computation.parameter(), static_cast<int64_t>(element)));
  }
  std::vector<InstrId> results = body(build, counter, std::move(state));
  InstrId next = build.Op(Opcode::kAdd, module.shape(counter), {counter, build.Integer(ElementType::kS32, 1)});
  results.insert(results.begin(), next);
  return computation.Finish(build.Op(Opcode::kTuple, shape, std::move(results)));
}

}  // namespace

std::vector<InstrId> CountedLoop(Builder& build, const std::string& name, int64_t count,
                                 const std::vector<InstrId>& state, const LoopBody& body) {
  ir::Module& module = build.module();
  std::vector<InstrId> initial = {build.Integer(ElementType::kS32, 0)};
  initial.insert(initial.end(), state.begin(), state.end());
  std::vector<Shape> shapes;
  for (InstrId value : initial) shapes.push_back(module.shape(value));
  const Shape shape = Shape::Tuple(std::move(shapes));

  InstrId loop = build.Op(Opcode::kWhile, shape, {build.Op(Opcode::kTuple, shape, std::move(initial))},
                          ir::WhileAttributes{count});
  ComputationId condition = MakeCondition(module, name, shape, count);
  module.SetCalled(loop, {condition, MakeBody(module, name, shape, body)});
  std::vector<InstrId> results;
  for (size_t element = 1; element < shape.elements.size(); ++element) {
    results.push_back(build.TupleElement(loop, static_cast<int64_t>(element)));
  }
  return results;
}

}  // namespace stead::passes
