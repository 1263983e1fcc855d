// The attributes behind an instruction: `, key=value, key=value`.
//   First all of them are split off as text; then each is taken by who understands its key; what is left stays text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/hlo_text/cursor.h"
#include "ir/module.h"

namespace stead::frontend {

// The attributes of one instruction (or of the module's header), as text that lies in the source.
class AttributeList {
 public:
  // Reads `, key=value` as long as a comma follows. RETURNS an error when a key stands there twice.
  static Result<AttributeList> Read(Cursor& cursor);

  // Removes the attribute and returns a cursor over its value; nothing when it is absent.
  std::optional<Cursor> Take(std::string_view key);
  bool Has(std::string_view key) const;
  // What nobody took, in the order of the text.
  std::vector<ir::ExtraAttribute> Rest() const;

 private:
  struct Entry {
    std::string_view key;
    std::string_view value;
    bool taken = false;
  };
  explicit AttributeList(const SourceText& source) : source_(&source) {}

  const SourceText* source_;
  std::vector<Entry> entries_;
};

// The typed attributes of an op (ir/attribute_fields.h). `offset` is the place of the op, for messages about missing ones.
Result<ir::Attributes> TakeAttributes(ir::Opcode opcode, AttributeList& list, const Cursor& place, size_t offset);

// metadata={...}; empty when there is none.
Result<ir::Metadata> TakeMetadata(AttributeList& list);

// `{a, b}` or a single name.
Result<std::vector<std::string_view>> ReadNames(Cursor& cursor);

// known_trip_count in a backend_config, which is raw JSON or a quoted string with JSON in it.
std::optional<int64_t> KnownTripCount(std::string_view backend_config);

// Removes stead_copy_reason from the frontend attributes among `extra` and returns it.
std::optional<ir::CopyReason> TakeCopyReason(std::vector<ir::ExtraAttribute>& extra);

}  // namespace stead::frontend
