// Reads the fields of an attribute struct from the attributes of an instruction; the visitor of ir/attribute_fields.h.
#pragma once

#include <string>

#include "base/result.h"
#include "frontend/hlo_text/attribute_parser.h"
#include "ir/text/attribute_fields.h"

namespace stead::frontend {

// One overload for each kind of field.
Status ReadField(Cursor& cursor, int64_t& field);
Status ReadField(Cursor& cursor, bool& field);
Status ReadField(Cursor& cursor, ir::Dimensions& field);
Status ReadField(Cursor& cursor, std::string& field);
Status ReadField(Cursor& cursor, ir::CompareAttributes::Direction& field);
Status ReadField(Cursor& cursor, ir::CompareAttributes::Type& field);
Status ReadField(Cursor& cursor, ir::OnlyElementRef<ir::Dimensions>& field);
Status ReadField(Cursor& cursor, ir::BracedIntegerRef<int64_t>& field);
Status ReadField(Cursor& cursor, ir::QuotedRef<std::string>& field);
Status ReadField(Cursor& cursor, ir::SliceRef<ir::SliceAttributes>& field);
Status ReadField(Cursor& cursor, ir::PaddingRef<ir::PadAttributes>& field);
Status ReadField(Cursor& cursor, ir::WindowRef<std::vector<ir::WindowDimension>>& field);
Status ReadField(Cursor& cursor, ir::ConvolutionLabelsRef<ir::ConvolutionAttributes>& field);
Status ReadField(Cursor& cursor, ir::AliasesRef<std::vector<ir::OutputOperandAlias>>& field);

class FieldReader {
 public:
  FieldReader(ir::Opcode opcode, AttributeList& list, const Cursor& place, size_t offset)
      : opcode_(opcode), list_(list), place_(place), offset_(offset) {}

  // The first error, once all fields are visited.
  const Status& status() const { return status_; }

  template <typename T>
  void Required(std::string_view key, T& field) {
    if (status_.ok() && !Read(key, field) && status_.ok()) status_ = Missing(key);
  }
  template <typename T>
  void Always(std::string_view key, T& field) {
    if (status_.ok()) Read(key, field);
  }
  template <typename T, typename Standard>
  void Optional(std::string_view key, T& field, const Standard&) {
    if (status_.ok()) Read(key, field);
  }

 private:
  ir::Opcode opcode_;
  AttributeList& list_;
  const Cursor& place_;
  size_t offset_;
  Status status_;

  Diagnostic Missing(std::string_view key) const;

  // False when the attribute is absent.
  template <typename T>
  bool Read(std::string_view key, T& field) {
    std::optional<Cursor> cursor = list_.Take(key);
    if (!cursor) return false;
    status_ = ReadField(*cursor, field);
    if (status_.ok() && !cursor->AtEnd()) status_ = cursor->Unexpected("the end of the attribute");
    return true;
  }
};

}  // namespace stead::frontend
