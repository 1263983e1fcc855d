#include "passes/expand/random.h"

#include "passes/expand/array_math.h"
#include "passes/expand/distribution.h"
#include "passes/expand/random_bits.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

// Which states and results are known; what verifies otherwise is left to the interpreter's answer.
bool IsKnown(const ir::Module& module, const ir::Instruction& generator, bool is_three_fry) {
  const Shape& state = module.shape(generator.operands[0]);
  bool has_state = state.element_type == ElementType::kU64 && state.rank() == 1 &&
                   (state.dimensions[0] == 2 || (state.dimensions[0] == 3 && !is_three_fry));
  const Shape& shape = generator.shape.is_tuple() ? generator.shape.elements.at(1) : generator.shape;
  return has_state && generator.shape.is_tuple() && ir::IsInteger(shape.element_type) &&
         ir::ElementBits(shape.element_type) >= 8;
}

bool ExpandGenerator(ir::Module& module, InstrId id) {
  const ir::Instruction generator = module.instruction(id);
  bool is_three_fry = generator.As<ir::RngBitGeneratorAttributes>().algorithm == "rng_three_fry";
  if (!IsKnown(module, generator, is_three_fry)) return false;
  const Shape& shape = generator.shape.elements[1];
  Builder build(module, id);
  // No elements take no blocks, and leave the state as it is.
  if (shape.element_count() == 0) {
    InstrId nothing = build.Constant(ir::Literal::Zeros(shape));
    return Replace(module, id, build.Op(Opcode::kTuple, generator.shape, {generator.operands[0], nothing}));
  }
  RandomBits bits = (is_three_fry ? ThreeFryBits : PhiloxBits)(build, generator.operands[0], shape);
  InstrId elements = build.Reshape(ArrayMath(build).Convert(bits.elements, shape.element_type), shape.dimensions);
  return Replace(module, id, build.Op(Opcode::kTuple, generator.shape, {bits.state, elements}));
}

}  // namespace

Result<PassReport> ExpandRandom(ir::Module& module) {
  bool changed = false;
  uint64_t distribution_count = 0;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      const Opcode opcode = module.instruction(id).opcode;
      if (opcode == Opcode::kRngBitGenerator) changed |= ExpandGenerator(module, id);
      if (opcode == Opcode::kRng) changed |= ExpandDistribution(module, id, ++distribution_count);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
