// Writes the fields of an attribute struct into a message: the visitor of attribute_list.h that writes.
//   A sub-message without fields would vanish unless its bytes are added as a whole, which is what Message does.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"

namespace stead::frontend {

template <typename Owner>
class ProtoFieldWriter {
 public:
  // `status` takes the first error.
  ProtoFieldWriter(ProtoMessage<Owner>& message, Status& status) : message_(message), status_(status) {}

  void Integer(Owner field, int64_t number) { message_.add_int64(field, number); }
  void Count(Owner field, int64_t number) { message_.add_int64(field, number); }
  void Flag(Owner field, bool flag) { message_.add_bool(field, flag); }
  void Integers(Owner field, const std::vector<int64_t>& list) { AddIntegers(message_, field, list); }
  void OnlyElement(Owner field, int64_t number) { AddIntegers(message_, field, {number}); }
  void Text(Owner field, std::string_view text) {
    if (!text.empty()) message_.add_string(field, text.data(), text.size());
  }
  void FreeWord(Owner field, std::string_view word) { Text(field, word); }
  void Word(Owner field, std::string_view word, std::span<const std::string_view> words) {
    const auto found = std::ranges::find(words, word);
    if (found != words.end()) return message_.add_enum(field, static_cast<int32_t>(found - words.begin()));
    if (status_.ok()) status_ = Unimplemented(fmt::format("`{}` as a protocol buffer", word));
  }
  template <typename Enum>
  void Named(Owner field, Enum value, std::string_view (*name)(Enum), std::optional<Enum> (*)(std::string_view)) {
    Text(field, name(value));
  }
  template <typename Enum>
  void OptionalNamed(Owner field, Enum value, std::string_view (*name)(Enum),
                     std::optional<Enum> (*from_name)(std::string_view)) {
    if (value != Enum()) Named(field, value, name, from_name);
  }
  template <typename Inner, typename Visit>
  void Message(Owner field, Visit visit) {
    std::string bytes;
    ProtoMessage<Inner> message(bytes);
    ProtoFieldWriter<Inner> inner(message, status_);
    visit(inner);
    message_.add_message(field, bytes);
  }
  template <typename Inner, typename First, typename... Columns>
  void Rows(Owner field, First first, Columns... columns) {
    for (size_t row = 0; row < first.values.size(); ++row) {
      ProtoMessage<Inner> message(message_, field);
      message.add_int64(first.field, first.values[row]);
      (message.add_int64(columns.field, columns.values[row]), ...);
    }
  }
  template <typename Inner, typename Element, typename Visit>
  void Records(Owner field, const std::vector<Element>& list, Visit visit) {
    for (const Element& element : list) {
      ProtoMessage<Inner> message(message_, field);
      ProtoFieldWriter<Inner> inner(message, status_);
      visit(inner, element);
    }
  }

 private:
  ProtoMessage<Owner>& message_;
  Status& status_;
};

}  // namespace stead::frontend
