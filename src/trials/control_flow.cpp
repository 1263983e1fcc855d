// Statements with computations of their own: loops, conditionals, calls. The inner computation is written first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trials/program_writer.h"

namespace stead::trials {

const std::vector<ProgramWriter::Statement> ProgramWriter::kControlFlow = {{6, &ProgramWriter::Loop},
                                                                           {4, &ProgramWriter::Branches},
                                                                           {2, &ProgramWriter::Call},
                                                                           {2, &ProgramWriter::BranchesUpdateRows},
                                                                           {2, &ProgramWriter::LoopUpdatesRows}};

// Sets the open computation aside and begins an empty one.
ProgramWriter::Scope ProgramWriter::Open() {
  Scope outer = std::move(scope_);
  scope_ = {};
  scope_.depth = outer.depth - 1;
  return outer;
}

void ProgramWriter::Close(Scope outer, const std::string& name) {
  computations_ += fmt::format("{} {{\n{}}}\n", name, scope_.body);
  scope_ = std::move(outer);
}

// Runs while the counter has not arrived, and sometimes only while another carried number is small.
std::string ProgramWriter::Condition(const Kinds& kinds, int counter, bool up, int trips) {
  std::string name = NewName("condition");
  Scope outer = Open();
  std::string state = NewName("p");
  scope_.body = fmt::format("  {} = {} parameter(0)\n", state, TupleType(kinds));
  std::string at = Inner("s32[]", fmt::format("get-tuple-element({}), index={}", state, counter));
  std::string test = up ? fmt::format("compare({}, {}), direction=LT", at, Integer(trips))
                        : fmt::format("compare({}, {}), direction=GT", at, Integer(0));
  int other = Below(static_cast<int>(kinds.size()));
  if (options_.least_trips == 0 && other != counter && kinds[other] == Kind::kScalar) {
    std::string number = Inner("s32[]", fmt::format("get-tuple-element({}), index={}", state, other));
    std::string small = Inner("pred[]", fmt::format("compare({}, {}), direction=LT", number, Integer(100)));
    test = fmt::format("and({}, {})", Inner("pred[]", test), small);
  }
  scope_.body += fmt::format("  ROOT {} = pred[] {}\n", NewName("r"), test);
  Close(std::move(outer), name);
  return name;
}

std::string ProgramWriter::Body(const Kinds& kinds, int counter, bool up) {
  std::string name = NewName("body");
  Scope outer = Open();
  std::string state = NewName("p");
  scope_.body = fmt::format("  {} = {} parameter(0)\n", state, TupleType(kinds));
  Names given = TakeApart(kinds, state);
  scope_.counters.push_back(given[counter]);
  Statements(Below(5));
  Names next;
  for (size_t element = 0; element < kinds.size(); ++element) {
    if (static_cast<int>(element) == counter) {
      next.push_back(Inner("s32[]", fmt::format("add({}, {})", given[element], Integer(up ? 1 : -1))));
    } else if (OneIn(4)) {
      next.push_back(given[element]);
    } else if (OneIn(3)) {
      // What another carry had: pairs swap, more rotate.
      size_t other = element;
      do other = (other + 1) % kinds.size();
      while (kinds[other] != kinds[element]);
      next.push_back(given[other]);
    } else {
      next.push_back(Any(kinds[element]));
    }
  }
  Root(kinds, next, false);
  Close(std::move(outer), name);
  return name;
}

void ProgramWriter::Loop() {
  Kinds kinds = AnyKinds(4);
  if (OneIn(2)) kinds.push_back(kinds.front());
  int counter = Below(static_cast<int>(kinds.size()) + 1);
  kinds.insert(kinds.begin() + counter, Kind::kScalar);
  bool up = !OneIn(3);
  int trips = options_.least_trips + Below(4 - options_.least_trips);
  std::string condition = Condition(kinds, counter, up, trips), body = Body(kinds, counter, up);
  Names init;
  for (size_t element = 0; element < kinds.size(); ++element) {
    if (static_cast<int>(element) != counter) {
      init.push_back(Any(kinds[element]));
    } else if (options_.least_trips == 0 && OneIn(4)) {
      // A start that only the run knows.
      init.push_back(Inner("s32[]", fmt::format("clamp({}, {}, {})", Integer(0), Any(Kind::kScalar), Integer(3))));
    } else {
      init.push_back(Integer(up ? 0 : trips));
    }
  }
  std::string loop =
      Inner(TupleType(kinds), fmt::format("while({}), condition={}, body={}", Tuple(kinds, init), condition, body));
  TakeApart(kinds, loop);
}

std::string ProgramWriter::Branch(const Kinds& operands, const Kinds& results, bool bare_operand, bool bare_result) {
  std::string name = NewName("branch"), parameter = NewName("p");
  Scope outer = Open();
  scope_.body =
      fmt::format("  {} = {} parameter(0)\n", parameter, bare_operand ? Type(operands[0]) : TupleType(operands));
  if (bare_operand) {
    scope_.values[operands[0]].push_back(parameter);
  } else {
    TakeApart(operands, parameter);
  }
  Statements(Below(4));
  Names values;
  for (Kind kind : results) values.push_back(Any(kind));
  Root(results, values, bare_result);
  Close(std::move(outer), name);
  return name;
}

void ProgramWriter::Branches() {
  Kinds operands = AnyKinds(3), results = OneIn(2) ? operands : AnyKinds(2);
  bool bare_operand = operands.size() == 1 && OneIn(2), bare_result = results.size() == 1 && OneIn(2);
  bool two_way = OneIn(2);
  int count = two_way ? 2 : 1 + Below(3);
  Names branches, given;
  for (int number = 0; number < count; ++number) {
    branches.push_back(Branch(operands, results, bare_operand, bare_result));
  }
  for (int number = 0; number < count; ++number) {
    Names values;
    for (Kind kind : operands) values.push_back(Any(kind));
    given.push_back(number > 0 && OneIn(2) ? given[0] : bare_operand ? values[0] : Tuple(operands, values));
  }
  std::string called = two_way ? fmt::format("true_computation={}, false_computation={}", branches[0], branches[1])
                               : fmt::format("branch_computations={{{}}}", fmt::join(branches, ", "));
  std::string text = fmt::format("conditional({}, {}), {}", two_way ? Flag() : Index(), fmt::join(given, ", "), called);
  if (bare_result) {
    Add(results[0], text);
  } else {
    TakeApart(results, Inner(TupleType(results), text));
  }
}

void ProgramWriter::Call() {
  if (!options_.calls) return Loop();
  std::string name = NewName("called");
  Kinds operands = AnyKinds(3), results = AnyKinds(2);
  Scope outer = Open();
  for (size_t number = 0; number < operands.size(); ++number) {
    scope_.values[operands[number]].push_back(NewName("p"));
    scope_.body += fmt::format("  {} = {} parameter({})\n", scope_.values[operands[number]].back(),
                               Type(operands[number]), number);
  }
  Statements(1 + Below(3));
  Names values, given;
  for (Kind kind : results) values.push_back(Any(kind));
  Root(results, values, false);
  Close(std::move(outer), name);
  for (Kind kind : operands) given.push_back(Any(kind));
  TakeApart(results, Inner(TupleType(results), fmt::format("call({}), to_apply={}", fmt::join(given, ", "), name)));
}

}  // namespace stead::trials
