// Why does a foreign module copy? XLA's copies carry no reason, so it is reconstructed from the data flow:
//   %copy.1 = copy(%x)    %copy = copy(%copy.1)    %y = slice(%copy.1)    %z = dynamic-update-slice(%copy, ...)
// Both copies hold the content of %x. %z overwrites one of them (EffectsOf: a window tie), %y reads that content. Nothing
// leads from %z to %y, so running %y first is legal and neither copy is needed. Where a path %z -> ... -> %y exists, the old
// value must survive the update: the copy (or a smaller one) is forced, and the path is the proof.
//   Cost: instructions + one search per pair of writer and reader.
#include "inplace/explain/given_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "analysis/effects.h"
#include "inplace/cost.h"

namespace stead::inplace {
namespace {

using ir::CopyReason;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

struct Frequency {
  int64_t executions = 0;
  bool in_loop = false;
  bool in_branch = false;
};

// How often each computation runs per call of the module; fusions and calls run as often as their callers.
std::unordered_map<ir::ComputationId, Frequency> Frequencies(const Module& module, int64_t unknown_trip_count) {
  std::unordered_map<ir::ComputationId, Frequency> result;
  result[module.entry] = {1, false, false};
  std::vector<ir::ComputationId> callers_first = module.ComputationsPostOrder();
  std::ranges::reverse(callers_first);
  for (ir::ComputationId caller : callers_first) {
    Frequency around = result[caller];
    for (InstrId id : module.computation(caller).instructions) {
      const Instruction& instruction = module.instruction(id);
      Frequency inner = around;
      if (instruction.opcode == Opcode::kWhile) {
        const auto* attributes = std::get_if<ir::WhileAttributes>(&instruction.attributes);
        inner.executions *=
            attributes != nullptr && attributes->trip_count ? *attributes->trip_count : unknown_trip_count;
        inner.in_loop = true;
      }
      inner.in_branch = inner.in_branch || instruction.opcode == Opcode::kConditional;
      for (ir::ComputationId callee : instruction.called) {
        Frequency& total = result[callee];
        total.executions += inner.executions;
        total.in_loop = total.in_loop || inner.in_loop;
        total.in_branch = total.in_branch || inner.in_branch;
      }
    }
  }
  return result;
}

bool IsCopy(const Instruction& instruction) {
  return instruction.opcode == Opcode::kCopy || instruction.opcode == Opcode::kCopyStart;
}

// The instruction that made the bytes which `id` holds, seen through copies and forwarding of whole arrays.
InstrId OriginOf(const Module& module, InstrId id) {
  for (;;) {
    const Instruction& instruction = module.instruction(id);
    switch (instruction.opcode) {
      case Opcode::kCopy:
      case Opcode::kCopyStart:
      case Opcode::kCopyDone:
      case Opcode::kBitcast:
      case Opcode::kReshape: id = instruction.operands[0]; continue;
      case Opcode::kGetTupleElement: {
        const Instruction* tuple = &module.instruction(instruction.operands[0]);
        if (tuple->opcode == Opcode::kOptimizationBarrier) tuple = &module.instruction(tuple->operands[0]);
        if (tuple->opcode != Opcode::kTuple) return id;
        id = tuple->operands[static_cast<size_t>(instruction.As<ir::TupleElementAttributes>().index)];
        continue;
      }
      default: return id;
    }
  }
}

// A path of data and control dependences from `from` to `to`, both included; empty when there is none.
std::vector<InstrId> DependencePath(const Module& module, InstrId from, InstrId to) {
  std::unordered_map<InstrId, InstrId> next;  // towards `to`
  std::queue<InstrId> open;
  open.push(to);
  next[to] = InstrId();
  while (!open.empty()) {
    InstrId id = open.front();
    open.pop();
    if (id == from) {
      std::vector<InstrId> path;
      for (InstrId step = from; step.valid(); step = next[step]) path.push_back(step);
      return path;
    }
    const Instruction& instruction = module.instruction(id);
    for (const std::vector<InstrId>* before : {&instruction.operands, &instruction.control_predecessors}) {
      for (InstrId earlier : *before) {
        if (next.try_emplace(earlier, id).second) open.push(earlier);
      }
    }
  }
  return {};
}

// Who overwrites and who reads the content of one origin inside its computation.
struct Users {
  std::vector<InstrId> writers, readers;
  InstrId custom_call;  // reads the content; its result is returned in the same parameter's buffer
};

Users UsersOf(const Module& module, InstrId origin) {
  Users users;
  for (InstrId id : module.computation(module.instruction(origin).computation).instructions) {
    const Instruction& instruction = module.instruction(id);
    if (IsCopy(instruction)) continue;
    analysis::Effects effects = analysis::EffectsOf(module, id);
    if (effects.forwards) continue;
    bool writes = std::ranges::any_of(effects.ties, [&](const analysis::Tie& tie) {
      return KeepsBytes(tie.kind) && OriginOf(module, instruction.operands[static_cast<size_t>(tie.operand)]) == origin;
    });
    bool reads = false;
    for (size_t operand = 0; operand < instruction.operands.size(); ++operand) {
      reads = reads || (effects.reads[operand].reads && OriginOf(module, instruction.operands[operand]) == origin);
    }
    if (writes) {
      users.writers.push_back(id);
    } else if (reads) {
      users.readers.push_back(id);
      if (instruction.opcode == Opcode::kCustomCall) users.custom_call = id;
    }
  }
  return users;
}

bool ResultIsAliasedWith(const Module& module, InstrId parameter) {
  if (module.instruction(parameter).opcode != Opcode::kParameter) return false;
  int64_t number = module.instruction(parameter).As<ir::ParameterAttributes>().number;
  return std::ranges::any_of(module.input_output_aliases,
                             [&](const ir::InputOutputAlias& alias) { return alias.parameter == number; });
}

void DescribeOrder(const Module& module, GivenCause& cause) {
  for (InstrId reader : cause.readers) {
    cause.forced_path = DependencePath(module, cause.writer, reader);
    if (!cause.forced_path.empty()) break;
  }
  const std::string& writer = module.instruction(cause.writer).name;
  if (!cause.forced_path.empty()) {
    cause.reason = CopyReason::kOldValueRead;
    cause.why = fmt::format("`{}` depends on `{}`, which overwrites the value that it reads",
                            module.instruction(cause.forced_path.back()).name, writer);
    cause.fix = "read what is needed of the old value before it is overwritten";
    return;
  }
  cause.reason = CopyReason::kOldValueRead;
  cause.why =
      cause.readers.empty()
          ? fmt::format("nothing reads the old value after `{}`: overwriting it is legal", writer)
          : fmt::format("nothing leads from `{}` to its readers: reading first is legal, and then no copy is needed",
                        writer);
  cause.fix = "none in the program: a compiler that orders the reads first needs no copy";
}

void Describe(const Module& module, const Frequency& frequency, GivenCause& cause) {
  const Instruction& origin = module.instruction(cause.value);
  const Instruction& copy = module.instruction(cause.copies.front());
  Users users = UsersOf(module, cause.value);
  cause.readers = users.readers;
  bool entry_parameter = origin.opcode == Opcode::kParameter && origin.computation == module.entry;
  bool given_away = entry_parameter && module.IsDonated(origin.As<ir::ParameterAttributes>().number, {});
  if (!(copy.shape == module.shape(copy.operands[0])) && !copy.shape.is_tuple()) {
    cause.reason = CopyReason::kLayout;
    cause.why = fmt::format("the copy changes the layout from {} to {}", module.shape(copy.operands[0]).ToString(),
                            copy.shape.ToString());
    cause.fix = "give the array the layout that its user wants";
  } else if (users.custom_call.valid() && users.writers.empty() && ResultIsAliasedWith(module, cause.value)) {
    cause.reason = CopyReason::kUnknownEffect;
    cause.writer = users.custom_call;
    cause.why = fmt::format(
        "custom call `{}` does not declare output_to_operand_aliasing, so it may read its operand while it "
        "writes its result; the donation puts both in one buffer: donating alone forces the copy",
        module.instruction(users.custom_call).As<ir::CustomCallAttributes>().target);
    cause.fix = UndeclaredAliasFix();
  } else if (entry_parameter && !given_away) {
    cause.reason = CopyReason::kNotDonated;
    if (!users.writers.empty()) cause.writer = users.writers.front();
    cause.why = "the parameter belongs to the caller, who did not donate it";
    cause.fix = fmt::format("donate argument {}", origin.As<ir::ParameterAttributes>().number);
  } else if (origin.opcode == Opcode::kConstant) {
    cause.reason = CopyReason::kConstant;
    cause.why = "a constant is not writable and may not be handed to the caller";
    cause.fix = "none: the bytes must be made once per call";
  } else if (!users.writers.empty()) {
    cause.writer = users.writers.front();
    DescribeOrder(module, cause);
  } else if (frequency.in_loop) {
    cause.reason = CopyReason::kLoopState;
    cause.why = "loop state is kept in fixed buffers, so a value that changes its slot is copied in every iteration";
    cause.fix = "none in the program: exchanging pointers at the back edge moves no bytes";
  } else if (frequency.in_branch) {
    cause.reason = CopyReason::kBranchResult;
    cause.why = "every branch must put its result into one fixed buffer";
    cause.fix = "none in the program: handing over the pointer moves no bytes";
  } else {
    cause.reason = CopyReason::kWritten;
    cause.why = "the module contains this copy; nothing overwrites the value";
    cause.fix = "none in the program: the copy can be left out";
  }
}

}  // namespace

std::string UndeclaredAliasFix() {
  return "declare it where the call is made: JAX FFI `jax.ffi.ffi_call(name, type, input_output_aliases={0: 0})`; "
         "Pallas "
         "`pl.pallas_call(..., input_output_aliases={0: 0})`; torch_xla: pass the alias through a Pallas call that "
         "declares "
         "it, or build the custom call with output_to_operand_aliasing={{}: (0, {})}; only if the kernel reads each "
         "element "
         "before it writes it";
}

namespace {

// The value on whose account `copy` stands. A copy of an undeclared custom call's result, made to bring it into the operand's
// buffer, stands on account of that operand.
InstrId CauseOf(const Module& module, InstrId copy) {
  InstrId origin = OriginOf(module, copy);
  const Instruction& made_by = module.instruction(origin);
  if (made_by.opcode != Opcode::kCustomCall || !made_by.As<ir::CustomCallAttributes>().aliases.empty()) return origin;
  for (InstrId operand : made_by.operands) {
    InstrId parameter = OriginOf(module, operand);
    if (ResultIsAliasedWith(module, parameter) && module.shape(parameter).Compatible(made_by.shape)) return parameter;
  }
  return origin;
}

}  // namespace

GivenCopies AnalyseGivenCopies(const Module& module, int64_t unknown_trip_count) {
  auto frequencies = Frequencies(module, unknown_trip_count);
  GivenCopies result;
  std::map<InstrId, GivenCause> causes;  // by origin
  std::unordered_map<ir::ComputationId, int64_t> own_bytes;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      const Instruction& instruction = module.instruction(id);
      if (!IsCopy(instruction)) continue;
      InstrId value = CauseOf(module, id);
      GivenCause& cause = causes[value];
      cause.value = value;
      cause.copies.push_back(id);
      cause.bytes = std::max(cause.bytes, instruction.shape.byte_size());
      cause.executions = std::max<int64_t>(1, frequencies[computation].executions);
      result.totals.copies += 1;
      own_bytes[computation] += instruction.shape.byte_size() * cause.executions;
    }
  }
  result.totals.bytes_copied = DearestPath(module, own_bytes);
  for (auto& [origin, cause] : causes) {
    Describe(module, frequencies[module.instruction(origin).computation], cause);
    result.causes.push_back(std::move(cause));
  }
  std::ranges::stable_sort(result.causes, [](const GivenCause& left, const GivenCause& right) {
    return left.bytes * left.executions * static_cast<int64_t>(left.copies.size()) >
           right.bytes * right.executions * static_cast<int64_t>(right.copies.size());
  });
  result.totals.peak_bytes = GivenPeakBytes(module);
  return result;
}

}  // namespace stead::inplace
