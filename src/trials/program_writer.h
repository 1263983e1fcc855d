// The writer behind RandomProgram: one computation is open at a time, statements append to it and add to its pool of values.
//   program_writer.cpp: names, pools, the module's head and entry. straight_line.cpp: ops. control_flow.cpp: what calls others.
//   regions.cpp: parts of arrays, written by one op and read around it.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "trials/random_program.h"

namespace stead::trials {

// The types of the values that a program computes with.
enum class Kind : uint8_t { kArray, kRow, kVector, kScalar, kStack, kBits };

class ProgramWriter {
 public:
  ProgramWriter(uint64_t seed, const ProgramOptions& options);
  std::string Write();

 private:
  using Names = std::vector<std::string>;
  using Kinds = std::vector<Kind>;
  // A computation that is being written.
  struct Scope {
    std::string body;
    std::map<Kind, Names> values;
    Names counters;  // of the loop around it
    Names steps;     // every instruction, in order
    int depth = 0;   // of computations that may still be opened inside
  };
  struct Statement {
    int weight;
    void (ProgramWriter::*write)();
  };
  static const std::vector<Statement> kStraightLine, kControlFlow;

  // Choices.
  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }
  bool OneIn(int count) { return Below(count) == 0; }
  Kind AnyKind();
  Kinds AnyKinds(int most);

  // Types and names.
  const std::string& Type(Kind kind) const { return types_.at(kind); }
  std::string TupleType(const Kinds& kinds) const;
  std::string NewName(const char* stem) { return std::string(stem) + "." + std::to_string(++names_); }

  // Lines of the open computation. Each gives the name of what it computes.
  std::string Line(const std::string& type, const std::string& expression);
  std::string Inner(const std::string& type, const std::string& expression) { return Line(type, expression); }
  std::string Add(Kind kind, const std::string& expression);
  void Root(const std::string& type, const std::string& expression);
  void Root(const Kinds& kinds, const Names& values, bool bare);
  std::string Tuple(const Kinds& kinds, const Names& values);
  Names TakeApart(const Kinds& kinds, const std::string& tuple);
  std::string Integer(int value);

  // Values of the open computation; made when there is none.
  std::string Any(Kind kind);
  std::string Make(Kind kind);
  std::string Index();
  std::string Flag();

  void Statements(int count);

  // Straight-line statements.
  void Elementwise();
  void Select();
  void Fill();
  void ReadRow();
  void UpdateRow();
  void UpdateColumn();
  void UpdateOwnRow();
  void ReadLayer();
  void UpdateLayer();
  void Scatter();
  void Reduce();
  void Turn();
  void Join();
  void Reshape();
  void Reinterpret();
  void ScalarMath();
  void Barrier();
  void WrittenCopy();
  void ElementwiseFusion();
  void UpdateFusion();
  std::string SomeRow();

  // Updates of known parts, and reads of known parts of what was there before.
  std::string EveryOtherRow(const std::string& array, int first);
  std::string ScatterEveryOtherRow(const std::string& array);
  std::string UpdateFlat(const std::string& array);
  std::string UpdateKnownRow(const std::string& array, int row);
  void ReadPart(const std::string& array);
  void ReadBehind(const std::string& updated, const std::string& before);
  void UpdatePart();
  void BranchesUpdateRows();
  void LoopUpdatesRows();
  std::string RowBranch();

  // Statements that call computations.
  void Loop();
  void Branches();
  void Call();
  std::string Condition(const Kinds& kinds, int counter, bool up, int trips);
  std::string Body(const Kinds& kinds, int counter, bool up);
  std::string Branch(const Kinds& operands, const Kinds& results, bool bare_operand, bool bare_result);
  Scope Open();
  void Close(Scope outer, const std::string& name);

  // The module's head.
  std::string Donations(const Kinds& parameters, const Kinds& results, bool bare);

  ProgramOptions options_;
  std::mt19937_64 random_;
  std::map<Kind, std::string> types_;
  int columns_;
  int names_ = 0;
  std::string computations_;
  Scope scope_;
};

}  // namespace stead::trials
