// Operations of MLIR assembly, with their regions and the names of their values -> the tree of a ParsedModule.
//   "%0:2 = "dialect.op"(%a, %b) <{...}> ({...}) {...} : (types) -> types loc(...)" is the form that every operation has; most
//   are printed in one of their own (pretty_forms.cpp, program_forms.cpp).
//   A name means a value in its region and the regions inside; those of regions that have ended are forgotten.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/parsed_module.h"
#include "frontend/mlir_text/attribute_reader.h"
#include "frontend/mlir_text/chlo_expansion.h"

namespace stead::frontend::mlir {

// An operation while it is read.
struct OperationDraft {
  std::string_view name;  // "stablehlo.add"
  size_t start = 0;       // in the text
  size_t result_names = 0;
  Operation op;
  DictionaryAttribute attributes;
  std::vector<TypeId> result_types;
  std::string_view applied;  // the operation that a reduction in short form applies
};

// What stands after the colon: all types, or those of operands and results apart.
struct TypeSignature {
  bool is_list = false;
  std::vector<TypeId> operands;  // or the list
  std::vector<TypeId> results;
};

// An argument of a block.
struct BlockArgument {
  std::string_view name;
  TypeId type;
  AttributeId attributes;
  AttributeId location;
};

class OperationReader {
 public:
  OperationReader(TextCursor& cursor, ParsedModule& module)
      : cursor_(cursor), module_(module), attributes_(cursor, module.pool), names_(module), chlo_(module, names_) {}

  // The whole text. Operations that stand alone are put into a module.
  Result<Operation> ReadProgram();

  // Reads what follows the name of an operation.
  using FormReader = Status (OperationReader::*)(OperationDraft& draft);

  // pretty_forms.cpp
  Status ReadPlain(OperationDraft& draft);
  Status ReadCompare(OperationDraft& draft);
  Status ReadComposite(OperationDraft& draft);
  Status ReadConstant(OperationDraft& draft);
  Status ReadConvolution(OperationDraft& draft);
  Status ReadCustomCall(OperationDraft& draft);
  Status ReadReduce(OperationDraft& draft);
  Status ReadSlice(OperationDraft& draft);
  Status ReadTupleElement(OperationDraft& draft);
  Status ReadWhile(OperationDraft& draft);
  // program_forms.cpp
  Status ReadCall(OperationDraft& draft);
  Status ReadFunction(OperationDraft& draft);
  Status ReadManualComputation(OperationDraft& draft);
  Status ReadMesh(OperationDraft& draft);
  Status ReadModule(OperationDraft& draft);

 private:
  struct ResultName {
    std::string_view name;
    size_t offset;
    size_t count;
  };

  // operation_reader.cpp
  Result<std::vector<ResultName>> ReadResultNames();
  Status ReadOperation(Block& block);
  Status ReadGeneric(OperationDraft& draft);
  Status ReadGenericRegions(OperationDraft& draft);
  Status Finish(OperationDraft& draft, const std::vector<ResultName>& names, Block& block);
  Status Append(OperationDraft& draft, Block& block);
  Region AppliedRegion(const OperationDraft& draft);
  Result<Region> ReadRegion(const std::vector<BlockArgument>& arguments);
  Status ReadBlockLabel(Region& region);
  Status AddArguments(const std::vector<BlockArgument>& arguments, Block& block);
  Status SkipFileMetadata();
  std::string_view FullName(std::string_view name);
  Status Define(std::string_view name, size_t offset, std::vector<ValueId> values);
  void LeaveScope(size_t mark);

  // Parts of several forms.
  Result<ValueId> ReadOperand();
  Status ReadOperandsUntil(std::string_view closing, std::vector<ValueId>& operands);
  Result<BlockArgument> ReadArgument();
  Result<std::vector<BlockArgument>> ReadArguments();
  Result<TypeSignature> ReadSignature();
  // ": types" at the end of most forms, and the dictionary before it.
  Status ReadEnd(OperationDraft& draft);
  Status ReadDictionary(OperationDraft& draft);
  bool SeesLocation() { return cursor_.Sees("loc("); }
  void SetAttribute(OperationDraft& draft, std::string_view name, AttributeId value) {
    draft.attributes.entries.push_back({name, value});
  }
  // pretty_forms.cpp
  Status ReadClause(OperationDraft& draft, std::string_view key);
  Status ReadFloatFormat(OperationDraft& draft);
  Status ReadConvolutionWindow(OperationDraft& draft);
  Status ReadReducer(OperationDraft& draft);
  // program_forms.cpp
  Status ReadFunctionResults();

  TextCursor& cursor_;
  ParsedModule& module_;
  AttributeReader attributes_;
  OpNameTable names_;
  ChloExpansion chlo_;
  std::unordered_map<std::string_view, std::vector<ValueId>> values_;
  std::vector<std::string_view> names_in_order_;  // of values_, the innermost region's last
  int depth_ = 0;                                 // open regions
};

// How an operation that is not printed in the generic form is read.
OperationReader::FormReader FormOf(std::string_view name);

}  // namespace stead::frontend::mlir
