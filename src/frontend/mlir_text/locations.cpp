// Locations: loc("name"("file":1:2)), loc(callsite("f"("a":1:1) at "b":2:2)), loc(fused[...]), loc(#loc1), loc(unknown).
#include <algorithm>

#include "frontend/mlir_text/attribute_reader.h"
#include "frontend/mlir_text/depth_guard.h"

namespace stead::frontend::mlir {

namespace {

// Stacks of calls are as deep as the user's program.
constexpr int kMaximumLocationDepth = 400;

}  // namespace

AttributeId AttributeReader::LocationOf(size_t offset) {
  const SourcePlace place = cursor_.PlaceOf(offset);
  return pool_.Add(FileLocation{file_name_, static_cast<uint64_t>(place.line), static_cast<uint64_t>(place.column)});
}

Result<std::optional<AttributeId>> AttributeReader::ReadOptionalLocation() {
  if (!cursor_.TryConsumeWord("loc")) return std::optional<AttributeId>();
  TRY_STATUS(cursor_.Expect("("));
  TRY(AttributeId location, ReadLocationBody());
  TRY_STATUS(cursor_.Expect(")"));
  return std::optional(location);
}

Result<AttributeId> AttributeReader::ReadLocationBody() {
  DepthGuard guard(depth_);
  TRY_STATUS(guard.Check(cursor_, "locations", kMaximumLocationDepth));
  if (cursor_.Peek() == '#') return ReadHashAttribute();
  if (cursor_.Peek() == '"') return ReadNamedLocation();
  if (cursor_.TryConsumeWord("unknown")) return pool_.Add(UnitAttribute{});
  if (cursor_.TryConsumeWord("fused")) return ReadFusedLocation();
  if (cursor_.Sees("loc")) {
    TRY(std::optional<AttributeId> location, ReadOptionalLocation());
    if (location) return *location;
  }
  if (!cursor_.TryConsumeWord("callsite")) return cursor_.Unexpected("a location");
  TRY_STATUS(cursor_.Expect("("));
  TRY(AttributeId callee, ReadLocationBody());
  TRY_STATUS(cursor_.ExpectWord("at"));
  TRY(AttributeId caller, ReadLocationBody());
  TRY_STATUS(cursor_.Expect(")"));
  return pool_.Add(CallSiteLocation{callee, caller});
}

// "file":line:column, perhaps with the end of a range; or "name", perhaps with what it names in parentheses.
Result<AttributeId> AttributeReader::ReadNamedLocation() {
  TRY(std::string_view name, ReadString("a location"));
  if (cursor_.TryConsume(":")) {
    TRY(int64_t line, cursor_.ReadInteger("a line"));
    TRY_STATUS(cursor_.Expect(":"));
    TRY(int64_t column, cursor_.ReadInteger("a column"));
    if (cursor_.TryConsumeWord("to")) {
      while (cursor_.TryConsume(":") || cursor_.SeesInteger()) {
        if (!cursor_.SeesInteger()) continue;
        TRY([[maybe_unused]] int64_t end, cursor_.ReadInteger("the end of a range"));
      }
    }
    return pool_.Add(FileLocation{name, static_cast<uint64_t>(std::max<int64_t>(line, 0)),
                                  static_cast<uint64_t>(std::max<int64_t>(column, 0))});
  }
  AttributeId child;
  if (cursor_.TryConsume("(")) {
    TRY(child, ReadLocationBody());
    TRY_STATUS(cursor_.Expect(")"));
  } else {
    child = pool_.Add(UnitAttribute{});
  }
  return pool_.Add(NameLocation{name, child});
}

Result<AttributeId> AttributeReader::ReadFusedLocation() {
  if (cursor_.Peek() == '<') {
    TRY([[maybe_unused]] std::string_view metadata, cursor_.SkipBalanced());
  }
  FusedLocation fused;
  TRY_STATUS(cursor_.Expect("["));
  if (!cursor_.TryConsume("]")) {
    do {
      TRY(AttributeId part, ReadLocationBody());
      fused.parts.push_back(part);
    } while (cursor_.TryConsume(","));
    TRY_STATUS(cursor_.Expect("]"));
  }
  return pool_.Add(std::move(fused));
}

}  // namespace stead::frontend::mlir
