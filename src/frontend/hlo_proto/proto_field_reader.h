// Reads the fields of an attribute struct from a message: the visitor of attribute_list.h that reads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_text/cursor.h"

namespace stead::frontend {

class ProtoFieldReader {
 public:
  // `status` takes the first error, after which fields keep their values.
  ProtoFieldReader(MessageFields& fields, Status& status) : fields_(fields), status_(status) {}

  template <typename Field>
  void Integer(Field field, int64_t& number) {
    number = fields_.TakeInteger(field);
  }
  template <typename Field>
  void Count(Field field, int64_t& number) {
    number = fields_.TakeInteger(field);
    if (number == 0) number = 1;
  }
  template <typename Field>
  void Flag(Field field, bool& flag) {
    flag = fields_.TakeFlag(field);
  }
  template <typename Field>
  void Integers(Field field, std::vector<int64_t>& list) {
    list = fields_.TakeIntegers(field);
  }
  template <typename Field>
  void OnlyElement(Field field, int64_t& number) {
    const std::vector<int64_t> list = fields_.TakeIntegers(field);
    if (list.size() != 1) return Fail(fmt::format("{} dimensions, expected one", list.size()));
    number = list.front();
  }
  template <typename Field>
  void Text(Field field, std::string& text) {
    text = fields_.TakeBytes(field);
  }
  template <typename Field>
  void FreeWord(Field field, std::string& word) {
    word = fields_.TakeBytes(field);
    if (!word.empty() && std::ranges::all_of(word, IsWordCharacter)) return;
    Fail(fmt::format("field {} holds no word", static_cast<ProtoTag>(field)));
  }
  template <typename Field>
  void Word(Field field, std::string& word, std::span<const std::string_view> words) {
    const int64_t number = fields_.TakeInteger(field);
    if (number < 0 || static_cast<size_t>(number) >= words.size()) {
      return Fail(fmt::format("{} is no value of the enum with `{}`", number, words.front()));
    }
    word = words[static_cast<size_t>(number)];
  }
  template <typename Field, typename Enum>
  void Named(Field field, Enum& value, std::string_view (*)(Enum), std::optional<Enum> (*from_name)(std::string_view)) {
    const std::string_view name = fields_.TakeBytes(field);
    const std::optional<Enum> found = from_name(name);
    if (!found) return Fail(fmt::format("`{}` is no value of field {}", name, static_cast<ProtoTag>(field)));
    value = *found;
  }
  template <typename Field, typename Enum>
  void OptionalNamed(Field field, Enum& value, std::string_view (*name)(Enum),
                     std::optional<Enum> (*from_name)(std::string_view)) {
    if (fields_.Has(field)) Named(field, value, name, from_name);
  }
  template <typename Inner, typename Field, typename Visit>
  void Message(Field field, Visit visit) {
    MessageFields fields(fields_.TakeBytes(field));
    ProtoFieldReader inner(fields, status_);
    visit(inner);
    inner.RefuseRest(static_cast<ProtoTag>(field));
  }
  template <typename Inner, typename Field, typename... Columns>
  void Rows(Field field, Columns... columns) {
    (columns.values.clear(), ...);
    for (std::string_view message : fields_.TakeAll(field)) {
      MessageFields fields(message);
      (columns.values.push_back(fields.TakeInteger(columns.field)), ...);
      ProtoFieldReader(fields, status_).RefuseRest(static_cast<ProtoTag>(field));
    }
  }
  template <typename Inner, typename Field, typename Element, typename Visit>
  void Records(Field field, std::vector<Element>& list, Visit visit) {
    list.clear();
    for (std::string_view message : fields_.TakeAll(field)) {
      MessageFields fields(message);
      ProtoFieldReader inner(fields, status_);
      visit(inner, list.emplace_back());
      inner.RefuseRest(static_cast<ProtoTag>(field));
    }
  }

 private:
  MessageFields& fields_;
  Status& status_;

  void Fail(std::string what) {
    if (status_.ok()) status_ = InvalidArgument(std::move(what));
  }
  // Inside a message nothing has a place to be kept.
  void RefuseRest(ProtoTag field) {
    const std::vector<ProtoTag> unknown = fields_.RestNumbers();
    if (unknown.empty() || !status_.ok()) return;
    status_ = Unimplemented(fmt::format("field {} of the message in field {}", unknown.front(), field));
  }
};

}  // namespace stead::frontend
