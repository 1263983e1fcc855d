// The forms of what a program is made of: the module, its functions and their calls, and what says where arrays lie on several
// devices.
#include <fmt/format.h>

#include <array>

#include "frontend/mlir_text/operation_reader.h"

namespace stead::frontend::mlir {

// "@name attributes {...} {...}".
Status OperationReader::ReadModule(OperationDraft& draft) {
  if (cursor_.Peek() == '@') {
    TRY(std::string_view name, attributes_.ReadSymbol());
    SetAttribute(draft, "sym_name", module_.pool.Add(StringAttribute{name}));
  }
  if (cursor_.TryConsumeWord("attributes")) {
    attributes_.KeepIntegerLists(true);
    TRY_STATUS(ReadDictionary(draft));
    attributes_.KeepIntegerLists(false);
  }
  TRY(Region body, ReadRegion({}));
  draft.op.regions.push_back(std::move(body));
  return {};
}

// "public @name(%a: type {...}) -> (type {...}) attributes {...} {...}".
Status OperationReader::ReadFunction(OperationDraft& draft) {
  for (std::string_view visibility : {"public", "private", "nested"}) {
    if (cursor_.TryConsumeWord(visibility)) break;
  }
  TRY(std::string_view name, attributes_.ReadSymbol());
  SetAttribute(draft, "sym_name", module_.pool.Add(StringAttribute{name}));
  TRY(std::vector<BlockArgument> arguments, ReadArguments());
  ArrayAttribute argument_attributes;
  for (const BlockArgument& argument : arguments) argument_attributes.items.push_back(argument.attributes);
  SetAttribute(draft, "arg_attrs", module_.pool.Add(std::move(argument_attributes)));
  if (cursor_.TryConsume("->")) TRY_STATUS(ReadFunctionResults());
  if (cursor_.TryConsumeWord("attributes")) TRY_STATUS(ReadDictionary(draft));
  if (cursor_.Peek() != '{') {
    draft.op.regions.emplace_back();
    return {};
  }
  TRY(Region body, ReadRegion(arguments));
  draft.op.regions.push_back(std::move(body));
  return {};
}

// The body says what is returned.
Status OperationReader::ReadFunctionResults() {
  if (cursor_.Peek() == '(') {
    TRY([[maybe_unused]] std::vector<BlockArgument> results, ReadArguments());
    return {};
  }
  TRY([[maybe_unused]] TypeId type, attributes_.ReadType());
  return {};
}

// "@callee(%a, %b) : types".
Status OperationReader::ReadCall(OperationDraft& draft) {
  TRY(std::string_view callee, attributes_.ReadSymbol());
  SetAttribute(draft, "callee", module_.pool.Add(StringAttribute{callee}));
  TRY_STATUS(cursor_.Expect("("));
  TRY_STATUS(ReadOperandsUntil(")", draft.op.operands));
  return ReadEnd(draft);
}

// "@name = <[\"x\"=8]> {...}".
Status OperationReader::ReadMesh(OperationDraft& draft) {
  TRY(std::string_view name, attributes_.ReadSymbol());
  SetAttribute(draft, "sym_name", module_.pool.Add(StringAttribute{name}));
  TRY_STATUS(cursor_.Expect("="));
  TRY([[maybe_unused]] std::string_view axes, cursor_.SkipBalanced());
  return ReadDictionary(draft);
}

// "(%a) in_shardings=[...] out_shardings=[...] manual_axes={...} (%b: type) {...} : types". Shardings say nothing on one
// device. The same without axes, after a name in angle brackets, is a named computation.
Status OperationReader::ReadManualComputation(OperationDraft& draft) {
  if (cursor_.Peek() == '<') {
    TRY([[maybe_unused]] std::string_view name, cursor_.SkipBalanced());
  }
  TRY_STATUS(cursor_.Expect("("));
  TRY_STATUS(ReadOperandsUntil(")", draft.op.operands));
  while (cursor_.SeesWord()) {
    TRY([[maybe_unused]] std::string_view key, cursor_.ReadWord("a sharding"));
    TRY_STATUS(cursor_.Expect("="));
    TRY([[maybe_unused]] std::string_view sharding, cursor_.SkipBalanced());
  }
  TRY(std::vector<BlockArgument> arguments, ReadArguments());
  TRY(Region body, ReadRegion(arguments));
  draft.op.regions.push_back(std::move(body));
  return ReadEnd(draft);
}

}  // namespace stead::frontend::mlir
