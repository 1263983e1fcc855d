#include "trials/program_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace stead::trials {

namespace {

constexpr int kRows = 4;
constexpr int kLayers = 3;

constexpr char kHelpers[] = R"(
plus {
  plus.a = s32[] parameter(0)
  plus.b = s32[] parameter(1)
  ROOT plus.r = s32[] add(plus.a, plus.b)
}
largest {
  largest.a = s32[] parameter(0)
  largest.b = s32[] parameter(1)
  ROOT largest.r = s32[] maximum(largest.a, largest.b)
}
replace {
  replace.a = s32[] parameter(0)
  ROOT replace.b = s32[] parameter(1)
}
)";

}  // namespace

std::string RandomProgram(uint64_t seed, const ProgramOptions& options) { return ProgramWriter(seed, options).Write(); }

// Rows of 12 bytes, or of 64, which may be views.
ProgramWriter::ProgramWriter(uint64_t seed, const ProgramOptions& options)
    : options_(options), random_(seed), columns_(OneIn(2) ? 3 : 16) {
  scope_.depth = options.depth;
  types_ = {{Kind::kArray, fmt::format("s32[{},{}]", kRows, columns_)},
            {Kind::kRow, fmt::format("s32[1,{}]", columns_)},
            {Kind::kVector, fmt::format("s32[{}]", columns_)},
            {Kind::kScalar, "s32[]"},
            {Kind::kStack, fmt::format("s32[{},{},{}]", kLayers, kRows, columns_)},
            {Kind::kBits, fmt::format("u32[{},{}]", kRows, columns_)}};
}

std::string ProgramWriter::Write() {
  Kinds parameters;
  for (int count = 1 + Below(4); count > 0; --count) parameters.push_back(OneIn(2) ? Kind::kArray : AnyKind());
  for (size_t number = 0; number < parameters.size(); ++number) {
    scope_.values[parameters[number]].push_back(NewName("p"));
    scope_.body += fmt::format("  {} = {} parameter({})\n", scope_.values[parameters[number]].back(),
                               Type(parameters[number]), number);
  }
  Statements(2 + Below(options_.statements - 1));
  Kinds results = AnyKinds(4);
  bool bare = results.size() == 1 && OneIn(2);
  Names values;
  for (Kind kind : results) values.push_back(Any(kind));
  Root(results, values, bare);
  return fmt::format("HloModule random{}\n{}{}\nENTRY main {{\n{}}}\n", Donations(parameters, results, bare), kHelpers,
                     computations_, scope_.body);
}

// Each parameter is kept, a donor, or tied to a result of its type, which need not be the one that could use it.
std::string ProgramWriter::Donations(const Kinds& parameters, const Kinds& results, bool bare) {
  Names aliases, donors;
  std::vector<bool> taken(results.size(), false);
  for (size_t parameter = 0; parameter < parameters.size(); ++parameter) {
    int choice = Below(4);
    if (choice == 0) continue;
    size_t start = static_cast<size_t>(Below(static_cast<int>(results.size())));
    bool tied = false;
    for (size_t step = 0; choice > 1 && !tied && step < results.size(); ++step) {
      size_t result = (start + step) % results.size();
      if (taken[result] || results[result] != parameters[parameter]) continue;
      taken[result] = tied = true;
      std::string index = bare ? "{}" : fmt::format("{{{}}}", result);
      aliases.push_back(fmt::format("{}: ({}, {{}}, {})", index, parameter,
                                    options_.demands && OneIn(4) ? "must-alias" : "may-alias"));
    }
    if (!tied) donors.push_back(fmt::format("({}, {{}})", parameter));
  }
  std::string text;
  if (!aliases.empty()) text += fmt::format(", input_output_alias={{ {} }}", fmt::join(aliases, ", "));
  if (!donors.empty()) text += fmt::format(", buffer_donor={{ {} }}", fmt::join(donors, ", "));
  return text;
}

Kind ProgramWriter::AnyKind() {
  constexpr Kind kKinds[] = {Kind::kArray, Kind::kArray, Kind::kArray,  Kind::kArray,  Kind::kStack, Kind::kStack,
                             Kind::kRow,   Kind::kRow,   Kind::kScalar, Kind::kVector, Kind::kBits};
  return kKinds[Below(std::size(kKinds))];
}

ProgramWriter::Kinds ProgramWriter::AnyKinds(int most) {
  Kinds kinds(static_cast<size_t>(1 + Below(most)));
  for (Kind& kind : kinds) kind = AnyKind();
  return kinds;
}

std::string ProgramWriter::TupleType(const Kinds& kinds) const {
  Names types;
  for (Kind kind : kinds) types.push_back(Type(kind));
  return fmt::format("({})", fmt::join(types, ", "));
}

// Now and then an instruction must also wait for an earlier one that it does not use.
std::string ProgramWriter::Line(const std::string& type, const std::string& expression) {
  std::string name = NewName("v");
  std::string control;
  if (!scope_.steps.empty() && OneIn(16)) {
    control = fmt::format(", control-predecessors={{{}}}", scope_.steps[Below(static_cast<int>(scope_.steps.size()))]);
  }
  scope_.body += fmt::format("  {} = {} {}{}\n", name, type, expression, control);
  scope_.steps.push_back(name);
  return name;
}

std::string ProgramWriter::Add(Kind kind, const std::string& expression) {
  scope_.values[kind].push_back(Line(Type(kind), expression));
  return scope_.values[kind].back();
}

void ProgramWriter::Root(const Kinds& kinds, const Names& values, bool bare) {
  if (bare) {
    scope_.body += fmt::format("  ROOT {} = {} reshape({})\n", NewName("r"), Type(kinds[0]), values[0]);
  } else {
    scope_.body += fmt::format("  ROOT {} = {} tuple({})\n", NewName("r"), TupleType(kinds), fmt::join(values, ", "));
  }
}

std::string ProgramWriter::Tuple(const Kinds& kinds, const Names& values) {
  return Line(TupleType(kinds), fmt::format("tuple({})", fmt::join(values, ", ")));
}

ProgramWriter::Names ProgramWriter::TakeApart(const Kinds& kinds, const std::string& tuple) {
  Names elements;
  for (size_t element = 0; element < kinds.size(); ++element) {
    elements.push_back(Add(kinds[element], fmt::format("get-tuple-element({}), index={}", tuple, element)));
  }
  return elements;
}

std::string ProgramWriter::Integer(int value) { return Line("s32[]", fmt::format("constant({})", value)); }

// Mostly recent values, so that chains of updates form.
std::string ProgramWriter::Any(Kind kind) {
  const Names& values = scope_.values[kind];
  if (values.empty()) return Make(kind);
  size_t back = static_cast<size_t>(OneIn(3) ? Below(static_cast<int>(values.size())) : Below(3));
  return values[values.size() - 1 - std::min(back, values.size() - 1)];
}

std::string ProgramWriter::Make(Kind kind) {
  switch (kind) {
    case Kind::kScalar: return Add(kind, fmt::format("constant({})", Below(kRows)));
    case Kind::kBits: return Add(kind, fmt::format("bitcast-convert({})", Any(Kind::kArray)));
    case Kind::kVector: return Add(kind, fmt::format("reshape({})", Any(Kind::kRow)));
    case Kind::kArray:
    case Kind::kRow:
    case Kind::kStack: break;
  }
  if (OneIn(2)) return Add(kind, fmt::format("broadcast({}), dimensions={{}}", Integer(Below(9))));
  return Add(kind, fmt::format("iota(), iota_dimension={}", kind == Kind::kStack ? 2 : 1));
}

// A place along a dimension, sometimes outside: then it is moved inside by definition.
std::string ProgramWriter::Index() {
  if (!scope_.counters.empty() && !OneIn(3)) {
    const std::string& counter = scope_.counters.back();
    if (!OneIn(3)) return counter;
    return Line("s32[]", fmt::format("{}({}, {})", OneIn(2) ? "add" : "subtract", counter, Integer(Below(3))));
  }
  return OneIn(3) ? Any(Kind::kScalar) : Integer(Below(kRows + 2) - 1);
}

std::string ProgramWriter::Flag() {
  return Line("pred[]", fmt::format("compare({}, {}), direction={}", Index(), Index(), OneIn(2) ? "LT" : "EQ"));
}

void ProgramWriter::Statements(int count) {
  auto pick = [&](const std::vector<Statement>& statements) {
    int total = 0;
    for (const Statement& statement : statements) total += statement.weight;
    int choice = Below(total);
    size_t number = 0;
    while (choice >= statements[number].weight) choice -= statements[number++].weight;
    return statements[number].write;
  };
  for (int number = 0; number < count; ++number) {
    (this->*pick(scope_.depth > 0 && OneIn(4) ? kControlFlow : kStraightLine))();
  }
}

}  // namespace stead::trials
