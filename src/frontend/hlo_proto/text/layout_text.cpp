#include "frontend/hlo_proto/text/layout_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "frontend/hlo_proto/data/element_types.h"
#include "frontend/hlo_text/cursor.h"

namespace stead::frontend {

namespace {

// A tile dimension that is combined with the next one, `*` in text.
constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();
// What a layout without a padding of its tail says.
constexpr int64_t kNoTailPadding = 1;

std::string TakeTiles(MessageFields& layout) {
  std::string text;
  for (std::string_view message : layout.TakeAll(LayoutField::kTiles)) {
    MessageFields tile(message);
    std::vector<std::string> sizes;
    for (int64_t size : tile.TakeIntegers(TileField::kDimensions)) {
      sizes.push_back(size == kCombineDimension ? "*" : std::to_string(size));
    }
    text += fmt::format("({})", fmt::join(sizes, ","));
  }
  return text.empty() ? text : "T" + text;
}

std::string TakeSplits(MessageFields& layout) {
  std::string text;
  for (std::string_view message : layout.TakeAll(LayoutField::kSplitConfigs)) {
    MessageFields split(message);
    const int64_t dimension = split.TakeInteger(SplitConfigField::kDimension);
    text += fmt::format("({}:{})", dimension, fmt::join(split.TakeIntegers(SplitConfigField::kSplitIndices), ","));
  }
  return text.empty() ? text : "SC" + text;
}

std::string TakeNumber(MessageFields& layout, LayoutField field, std::string_view letter, int64_t standard) {
  const int64_t number = layout.TakeInteger(field);
  return number == standard || number == 0 ? "" : fmt::format("{}({})", letter, number);
}

Result<std::string> TakeType(MessageFields& layout, LayoutField field, std::string_view letter) {
  const int64_t number = layout.TakeInteger(field);
  if (number == 0) return std::string();
  const std::optional<ir::ElementType> type = ElementTypeFromProtoNumber(number);
  if (!type) return Unimplemented(fmt::format("layouts with primitive type {}", number));
  return fmt::format("{}({})", letter, ir::ElementTypeName(*type));
}

// The parts of a suffix, in any order: each a letter and what follows in parentheses.
class SuffixWriter {
 public:
  SuffixWriter(ProtoMessage<LayoutField>& layout, Cursor& cursor) : layout_(layout), cursor_(cursor) {}

  Status WritePart() {
    if (cursor_.TryConsume("SC")) return WriteSplits();
    if (cursor_.TryConsume("T")) return WriteTiles();
    if (cursor_.TryConsume("L")) return WriteNumber(LayoutField::kTailPaddingAlignment);
    if (cursor_.TryConsume("E")) return WriteNumber(LayoutField::kElementSizeInBits);
    if (cursor_.TryConsume("S")) return WriteNumber(LayoutField::kMemorySpace);
    if (cursor_.TryConsume("M")) return WriteNumber(LayoutField::kDynamicShapeMetadataPrefixBytes);
    if (cursor_.TryConsume("#")) return WriteType(LayoutField::kIndexPrimitiveType);
    if (cursor_.TryConsume("*")) return WriteType(LayoutField::kPointerPrimitiveType);
    return cursor_.Unexpected("a known part of a layout");
  }

 private:
  ProtoMessage<LayoutField>& layout_;
  Cursor& cursor_;

  Status WriteTiles() {
    while (cursor_.TryConsume("(")) {
      std::vector<int64_t> sizes;
      while (!cursor_.TryConsume(")")) {
        if (!sizes.empty()) TRY_STATUS(cursor_.Expect(",", "between the sizes of a tile"));
        if (cursor_.TryConsume("*")) {
          sizes.push_back(kCombineDimension);
          continue;
        }
        TRY(int64_t size, cursor_.ReadInteger("the size of a tile"));
        sizes.push_back(size);
      }
      std::string bytes;
      ProtoMessage<TileField> tile(bytes);
      AddIntegers(tile, TileField::kDimensions, sizes);
      layout_.add_message(LayoutField::kTiles, bytes);
    }
    return {};
  }

  Status WriteSplits() {
    while (cursor_.TryConsume("(")) {
      TRY(int64_t dimension, cursor_.ReadInteger("a dimension"));
      TRY_STATUS(cursor_.Expect(":", "after the dimension that is split"));
      std::vector<int64_t> indices;
      while (!cursor_.TryConsume(")")) {
        if (!indices.empty()) TRY_STATUS(cursor_.Expect(",", "between the indices of a split"));
        TRY(int64_t index, cursor_.ReadInteger("the index of a split"));
        indices.push_back(index);
      }
      ProtoMessage<SplitConfigField> split(layout_, LayoutField::kSplitConfigs);
      split.add_int64(SplitConfigField::kDimension, dimension);
      AddIntegers(split, SplitConfigField::kSplitIndices, indices);
    }
    return {};
  }

  Status WriteNumber(LayoutField field) {
    TRY_STATUS(cursor_.Expect("(", "after the letter of a part of a layout"));
    TRY(int64_t number, cursor_.ReadInteger("a number"));
    layout_.add_int64(field, number);
    return cursor_.Expect(")", "after a part of a layout");
  }

  Status WriteType(LayoutField field) {
    TRY_STATUS(cursor_.Expect("(", "before a type"));
    TRY(std::string_view name, cursor_.ReadWord("an element type"));
    const std::optional<ir::ElementType> type = ir::ElementTypeFromName(name);
    if (!type) return cursor_.Error(fmt::format("unknown element type `{}`", name));
    layout_.add_enum(field, ir::ElementTypeProtoNumber(*type));
    return cursor_.Expect(")", "after a type");
  }
};

}  // namespace

// The parts in the order in which XLA prints them.
Result<std::string> TakeLayoutSuffix(MessageFields& layout) {
  layout.Drop(LayoutField::kFormat);
  std::string suffix = TakeTiles(layout);
  suffix += TakeNumber(layout, LayoutField::kTailPaddingAlignment, "L", kNoTailPadding);
  TRY(std::string index_type, TakeType(layout, LayoutField::kIndexPrimitiveType, "#"));
  TRY(std::string pointer_type, TakeType(layout, LayoutField::kPointerPrimitiveType, "*"));
  suffix += index_type + pointer_type;
  suffix += TakeNumber(layout, LayoutField::kElementSizeInBits, "E", 0);
  suffix += TakeNumber(layout, LayoutField::kMemorySpace, "S", 0);
  suffix += TakeSplits(layout);
  suffix += TakeNumber(layout, LayoutField::kDynamicShapeMetadataPrefixBytes, "M", 0);
  const std::vector<ProtoTag> unknown = layout.RestNumbers();
  if (!unknown.empty()) return Unimplemented(fmt::format("field {} of LayoutProto", unknown.front()));
  return suffix.empty() ? suffix : ":" + suffix;
}

Status WriteLayoutSuffix(ProtoMessage<LayoutField>& message, std::string_view suffix) {
  const SourceText source(suffix, "");
  Cursor cursor(source);
  cursor.TryConsume(":");
  SuffixWriter writer(message, cursor);
  while (!cursor.AtEnd()) {
    if (writer.WritePart().ok()) continue;
    return Unimplemented(fmt::format("layout `{}` as a protocol buffer", suffix));
  }
  return {};
}

}  // namespace stead::frontend
