#include "frontend/mlir_text/operation_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "frontend/mlir_text/depth_guard.h"
#include "frontend/mlir_text/vhlo_form.h"

namespace stead::frontend::mlir {

namespace {

constexpr int kMaximumRegionDepth = 200;

}  // namespace

Result<Operation> OperationReader::ReadProgram() {
  Block block;
  while (!cursor_.AtEnd()) {
    if (cursor_.Peek() == '#' || cursor_.Peek() == '!') {
      TRY_STATUS(attributes_.ReadAliasDefinition());
    } else if (cursor_.Sees("{-#")) {
      TRY_STATUS(SkipFileMetadata());
    } else {
      TRY_STATUS(ReadOperation(block));
    }
  }
  TRY_STATUS(attributes_.CheckAliases());
  const bool is_module = block.operations.size() == 1 && module_.name_of(block.operations[0]) == "builtin.module";
  if (is_module) {
    Operation module = std::move(block.operations[0]);
    if (module.regions.empty()) module.regions.emplace_back();
    std::vector<Block>& blocks = module.regions[0].blocks;
    if (blocks.empty()) blocks.emplace_back();
    std::ranges::move(chlo_.TakeFunctions(), std::back_inserter(blocks[0].operations));
    return module;
  }
  std::ranges::move(chlo_.TakeFunctions(), std::back_inserter(block.operations));
  Operation root;
  root.name_id = names_.IdOf("builtin.module");
  root.location_id = attributes_.LocationOf(0);
  root.regions.emplace_back().blocks.push_back(std::move(block));
  return root;
}

// Constants that stand outside of their operations; an operation that uses one is refused.
Status OperationReader::SkipFileMetadata() {
  const size_t start = cursor_.Next();
  const size_t end = cursor_.text().find("#-}", start);
  if (end == std::string_view::npos) return cursor_.ErrorAt(start, "`{-#` does not end in `#-}`");
  cursor_.MoveTo(end + 3);
  return {};
}

// Functions leave out their dialect inside of them; the dialect that StableHLO began as has its operations.
std::string_view OperationReader::FullName(std::string_view name) {
  if (name == "return" || name == "call") return name == "call" ? "func.call" : "func.return";
  if (name == "module") return "builtin.module";
  if (name == "unrealized_conversion_cast") return "builtin.unrealized_conversion_cast";
  if (name.starts_with("mhlo.")) return module_.pool.Keep(fmt::format("stablehlo.{}", name.substr(5)));
  return name;
}

Status OperationReader::Define(std::string_view name, size_t offset, std::vector<ValueId> values) {
  if (!values_.emplace(name, std::move(values)).second)
    return cursor_.ErrorAt(offset, fmt::format("`%{}` is defined twice", name));
  names_in_order_.push_back(name);
  return {};
}

void OperationReader::LeaveScope(size_t mark) {
  for (size_t position = mark; position < names_in_order_.size(); ++position) values_.erase(names_in_order_[position]);
  names_in_order_.resize(mark);
}

Result<std::vector<OperationReader::ResultName>> OperationReader::ReadResultNames() {
  std::vector<ResultName> names;
  if (cursor_.Peek() != '%') return names;
  do {
    const size_t offset = cursor_.Next();
    TRY(std::string_view name, cursor_.ReadMarked('%', "the name of a result"));
    int64_t count = 1;
    if (cursor_.TryConsume(":")) {
      TRY(count, cursor_.ReadInteger("a number of results"));
    }
    if (count < 1) return cursor_.ErrorAt(offset, "a name stands for no result");
    names.push_back({name, offset, static_cast<size_t>(count)});
  } while (cursor_.TryConsume(","));
  TRY_STATUS(cursor_.Expect("="));
  return names;
}

Status OperationReader::ReadOperation(Block& block) {
  TRY(std::vector<ResultName> names, ReadResultNames());
  OperationDraft draft;
  draft.start = cursor_.Next();
  for (const ResultName& name : names) draft.result_names += name.count;
  if (cursor_.Peek() == '"') {
    TRY(std::string_view name, attributes_.ReadString("the name of an operation"));
    draft.name = FullName(name);
    TRY_STATUS(ReadGeneric(draft));
  } else {
    TRY(std::string_view name, cursor_.ReadWord("an operation"));
    draft.name = FullName(name);
    TRY_STATUS((this->*FormOf(draft.name))(draft));
  }
  TRY(std::optional<AttributeId> location, attributes_.ReadOptionalLocation());
  draft.op.location_id = location ? *location : attributes_.LocationOf(draft.start);
  return Finish(draft, names, block);
}

Status OperationReader::Finish(OperationDraft& draft, const std::vector<ResultName>& names, Block& block) {
  if (!draft.applied.empty()) draft.op.regions.push_back(AppliedRegion(draft));
  TRY_STATUS(ToVhloForm(attributes_, draft.name, draft.start, draft.attributes));
  TRY_STATUS(Append(draft, block));
  if (!names.empty() && draft.result_names != draft.op.results.size()) {
    return cursor_.ErrorAt(draft.start, fmt::format("`{}` has {} results, {} are named", draft.name,
                                                    draft.op.results.size(), draft.result_names));
  }
  auto next = draft.op.results.begin();
  for (const ResultName& name : names) {
    const auto end = next + static_cast<ptrdiff_t>(name.count);
    TRY_STATUS(Define(name.name, name.offset, std::vector(next, end)));
    next = end;
  }
  return {};
}

// The operation itself, or what it stands for; `draft` keeps the results.
Status OperationReader::Append(OperationDraft& draft, Block& block) {
  if (!draft.attributes.entries.empty()) draft.op.dictionary_id = module_.pool.Add(std::move(draft.attributes));
  Result<std::optional<std::vector<ValueId>>> expanded = chlo_.Expand(draft.name, draft.op, draft.result_types, block);
  if (!expanded.ok()) return cursor_.ErrorAt(draft.start, expanded.error().what);
  if (*expanded) {
    draft.op.results = std::move(**expanded);
    return {};
  }
  draft.op.name_id = names_.IdOf(draft.name);
  for (TypeId type : draft.result_types) draft.op.results.push_back(module_.value_types.Add(type));
  std::vector<ValueId> results = draft.op.results;
  block.operations.push_back(std::move(draft.op));
  draft.op.results = std::move(results);
  return {};
}

// The region of "applies stablehlo.add": two scalars, the operation, its return.
Region OperationReader::AppliedRegion(const OperationDraft& draft) {
  const AttributeId location = draft.op.location_id;
  const TypeId type = module_.value_types[draft.op.operands.back()];
  Region region;
  Block& block = region.blocks.emplace_back();
  block.arguments = {module_.value_types.Add(type), module_.value_types.Add(type)};
  block.argument_locations = {location, location};
  Operation applied;
  applied.name_id = names_.IdOf(draft.applied);
  applied.location_id = location;
  applied.operands = block.arguments;
  applied.results = {module_.value_types.Add(type)};
  Operation returned;
  returned.name_id = names_.IdOf("stablehlo.return");
  returned.location_id = location;
  returned.operands = applied.results;
  block.operations.push_back(std::move(applied));
  block.operations.push_back(std::move(returned));
  return region;
}

Status OperationReader::ReadGeneric(OperationDraft& draft) {
  TRY_STATUS(cursor_.Expect("("));
  TRY_STATUS(ReadOperandsUntil(")", draft.op.operands));
  attributes_.KeepIntegerLists(draft.name == "builtin.module");
  if (cursor_.TryConsume("<")) {
    TRY_STATUS(ReadDictionary(draft));
    TRY_STATUS(cursor_.Expect(">"));
  }
  attributes_.KeepIntegerLists(false);
  if (cursor_.Peek() == '(') TRY_STATUS(ReadGenericRegions(draft));
  attributes_.KeepIntegerLists(draft.name == "builtin.module");
  TRY_STATUS(ReadDictionary(draft));
  attributes_.KeepIntegerLists(false);
  TRY_STATUS(cursor_.Expect(":"));
  TRY(TypeSignature signature, ReadSignature());
  if (signature.is_list) return cursor_.Unexpected("the types of operands and results");
  if (signature.operands.size() != draft.op.operands.size())
    return cursor_.ErrorAt(draft.start, fmt::format("`{}` has not one type per operand", draft.name));
  draft.result_types = std::move(signature.results);
  return {};
}

Status OperationReader::ReadGenericRegions(OperationDraft& draft) {
  TRY_STATUS(cursor_.Expect("("));
  do {
    TRY(Region region, ReadRegion({}));
    draft.op.regions.push_back(std::move(region));
  } while (cursor_.TryConsume(","));
  return cursor_.Expect(")");
}

Status OperationReader::AddArguments(const std::vector<BlockArgument>& arguments, Block& block) {
  for (const BlockArgument& argument : arguments) {
    const ValueId value = module_.value_types.Add(argument.type);
    block.arguments.push_back(value);
    block.argument_locations.push_back(argument.location);
    if (!argument.name.empty()) TRY_STATUS(Define(argument.name, cursor_.offset(), {value}));
  }
  return {};
}

Status OperationReader::ReadBlockLabel(Region& region) {
  TRY([[maybe_unused]] std::string_view label, cursor_.ReadMarked('^', "a block"));
  Block& block = region.blocks.emplace_back();
  if (cursor_.Peek() == '(') {
    TRY(std::vector<BlockArgument> arguments, ReadArguments());
    TRY_STATUS(AddArguments(arguments, block));
  }
  return cursor_.Expect(":");
}

Result<Region> OperationReader::ReadRegion(const std::vector<BlockArgument>& arguments) {
  DepthGuard guard(depth_);
  TRY_STATUS(guard.Check(cursor_, "regions", kMaximumRegionDepth));
  TRY_STATUS(cursor_.Expect("{"));
  const size_t mark = names_in_order_.size();
  Region region;
  if (!arguments.empty()) TRY_STATUS(AddArguments(arguments, region.blocks.emplace_back()));
  while (!cursor_.TryConsume("}")) {
    if (cursor_.Peek() == '^') {
      TRY_STATUS(ReadBlockLabel(region));
      continue;
    }
    if (region.blocks.empty()) region.blocks.emplace_back();
    TRY_STATUS(ReadOperation(region.blocks.back()));
  }
  LeaveScope(mark);
  return region;
}

Result<ValueId> OperationReader::ReadOperand() {
  const size_t start = cursor_.Next();
  TRY(std::string_view name, cursor_.ReadMarked('%', "a value"));
  int64_t number = 0;
  if (cursor_.offset() < cursor_.text().size() && cursor_.text()[cursor_.offset()] == '#') {
    TRY_STATUS(cursor_.Expect("#"));
    TRY(number, cursor_.ReadInteger("the number of a result"));
  }
  const auto found = values_.find(name);
  if (found == values_.end()) return cursor_.ErrorAt(start, fmt::format("`%{}` is used before it is defined", name));
  if (number < 0 || number >= static_cast<int64_t>(found->second.size()))
    return cursor_.ErrorAt(start, fmt::format("`%{}` has no result {}", name, number));
  return found->second[static_cast<size_t>(number)];
}

Status OperationReader::ReadOperandsUntil(std::string_view closing, std::vector<ValueId>& operands) {
  if (cursor_.TryConsume(closing)) return {};
  do {
    TRY(ValueId operand, ReadOperand());
    operands.push_back(operand);
  } while (cursor_.TryConsume(","));
  return cursor_.Expect(closing);
}

// "%name: type {attributes} loc(...)"; a declaration leaves out the name.
Result<BlockArgument> OperationReader::ReadArgument() {
  BlockArgument argument;
  const size_t start = cursor_.Next();
  if (cursor_.Peek() == '%') {
    TRY(argument.name, cursor_.ReadMarked('%', "the name of an argument"));
    TRY_STATUS(cursor_.Expect(":"));
  }
  TRY(argument.type, attributes_.ReadType());
  TRY(DictionaryAttribute dictionary, attributes_.ReadOptionalDictionary());
  argument.attributes = module_.pool.Add(std::move(dictionary));
  TRY(std::optional<AttributeId> location, attributes_.ReadOptionalLocation());
  argument.location = location ? *location : attributes_.LocationOf(start);
  return argument;
}

Result<std::vector<BlockArgument>> OperationReader::ReadArguments() {
  std::vector<BlockArgument> arguments;
  TRY_STATUS(cursor_.Expect("("));
  if (cursor_.TryConsume(")")) return arguments;
  do {
    TRY(BlockArgument argument, ReadArgument());
    arguments.push_back(argument);
  } while (cursor_.TryConsume(","));
  TRY_STATUS(cursor_.Expect(")"));
  return arguments;
}

Result<TypeSignature> OperationReader::ReadSignature() {
  TypeSignature signature;
  auto read_list = [&](std::vector<TypeId>& types) -> Status {
    do {
      TRY(TypeId type, attributes_.ReadType());
      types.push_back(type);
    } while (cursor_.TryConsume(","));
    return {};
  };
  auto read_in_parentheses = [&](std::vector<TypeId>& types) -> Status {
    TRY_STATUS(cursor_.Expect("("));
    if (cursor_.TryConsume(")")) return {};
    TRY_STATUS(read_list(types));
    return cursor_.Expect(")");
  };
  TRY_STATUS(cursor_.Peek() == '(' ? read_in_parentheses(signature.operands) : read_list(signature.operands));
  signature.is_list = !cursor_.TryConsume("->");
  if (signature.is_list) return signature;
  if (cursor_.Peek() == '(') {
    TRY_STATUS(read_in_parentheses(signature.results));
  } else {
    TRY(TypeId type, attributes_.ReadType());
    signature.results.push_back(type);
  }
  return signature;
}

Status OperationReader::ReadDictionary(OperationDraft& draft) {
  TRY(DictionaryAttribute dictionary, attributes_.ReadOptionalDictionary());
  auto& entries = draft.attributes.entries;
  entries.insert(entries.end(), dictionary.entries.begin(), dictionary.entries.end());
  return {};
}

// One type may stand for all; of several that are not told apart, the last are the results'.
Status OperationReader::ReadEnd(OperationDraft& draft) {
  TRY_STATUS(ReadDictionary(draft));
  if (!cursor_.TryConsume(":")) {
    if (draft.op.operands.empty() && draft.result_names == 0) return {};
    return cursor_.Unexpected("`:` and types");
  }
  TRY(TypeSignature signature, ReadSignature());
  if (!signature.is_list) {
    draft.result_types = std::move(signature.results);
    return {};
  }
  const std::vector<TypeId>& types = signature.operands;
  if (draft.result_names > types.size())
    return cursor_.ErrorAt(draft.start, fmt::format("`{}` has fewer types than results", draft.name));
  draft.result_types.assign(types.end() - static_cast<ptrdiff_t>(draft.result_names), types.end());
  return {};
}

}  // namespace stead::frontend::mlir
