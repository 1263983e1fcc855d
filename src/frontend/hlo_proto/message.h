// Protocol buffer messages in memory: MessageFields takes one apart, ProtoMessage puts one together.
//   Bytes that are no message make MessageFields throw a protozero::exception, as protozero's own readers do; reader.cpp
//   makes an error of it. Neither owns the bytes that it is given.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "frontend/hlo_proto/fields.h"

namespace stead::frontend {

template <typename Field>
using ProtoMessage = protozero::pbf_builder<Field>;

// Appends a packed list; an empty list writes nothing.
template <typename Field>
void AddIntegers(ProtoMessage<Field>& message, Field field, const std::vector<int64_t>& values) {
  message.add_packed_int64(field, values.begin(), values.end());
}

// The fields of one message, split off in one sweep. Each is taken by who understands its number; what nobody took can be
// asked for in the end. A field that is absent has the value 0, as in the protocol.
class MessageFields {
 public:
  explicit MessageFields(std::string_view bytes);

  template <typename Field>
  bool Has(Field field) const {
    return Find(Number(field)) != nullptr;
  }
  template <typename Field>
  int64_t TakeInteger(Field field) {
    return TakeVarint(Number(field));
  }
  template <typename Field>
  bool TakeFlag(Field field) {
    return TakeVarint(Number(field)) != 0;
  }
  template <typename Field>
  float TakeFloat(Field field) {
    return TakeFixed32(Number(field));
  }
  template <typename Field>
  double TakeDouble(Field field) {
    return TakeFixed64(Number(field));
  }
  // Text, bytes or a message.
  template <typename Field>
  std::string_view TakeBytes(Field field) {
    return TakeLastBytes(Number(field));
  }
  // Nothing when the field is absent, which is something else than an empty message.
  template <typename Field>
  std::optional<std::string_view> TakeMessage(Field field) {
    if (!Has(field)) return std::nullopt;
    return TakeLastBytes(Number(field));
  }
  // As TakeMessage, but the field stays.
  template <typename Field>
  std::optional<std::string_view> PeekMessage(Field field) const {
    return LastMessage(Number(field));
  }
  // Every occurrence, in order.
  template <typename Field>
  std::vector<std::string_view> TakeAll(Field field) {
    return TakeAllBytes(Number(field));
  }
  // A list of integers, packed or not.
  template <typename Field>
  std::vector<int64_t> TakeIntegers(Field field) {
    return TakeVarints(Number(field));
  }
  template <typename Field>
  void Drop(Field field) {
    MarkTaken(Number(field));
  }

  // The numbers of what was not taken, each once.
  std::vector<ProtoTag> RestNumbers() const;
  // What was not taken: by number, the fields as they stand, tags included.
  std::map<ProtoTag, std::string> TakeRest();

 private:
  // Kept small: hostile bytes hold a field every two bytes.
  struct Entry {
    const char* data = nullptr;  // length-delimited and fixed fields
    uint64_t value = 0;          // the varint, or the size of the data
    ProtoTag number = 0;
    protozero::pbf_wire_type type = protozero::pbf_wire_type::varint;
    bool taken = false;
    std::string_view bytes() const { return {data, value}; }
  };
  std::vector<Entry> entries_;

  template <typename Field>
  static ProtoTag Number(Field field) {
    static_assert(std::is_enum_v<Field>);
    return static_cast<ProtoTag>(field);
  }
  const Entry* Find(ProtoTag number) const;
  std::optional<std::string_view> LastMessage(ProtoTag number) const;
  const Entry* TakeLast(ProtoTag number, protozero::pbf_wire_type type);
  int64_t TakeVarint(ProtoTag number);
  float TakeFixed32(ProtoTag number);
  double TakeFixed64(ProtoTag number);
  std::string_view TakeLastBytes(ProtoTag number);
  std::vector<std::string_view> TakeAllBytes(ProtoTag number);
  std::vector<int64_t> TakeVarints(ProtoTag number);
  void MarkTaken(ProtoTag number);
};

// Adds the fields of `verbatim`, which MessageFields::TakeRest gave, to a message. THROWS protozero::exception when
// the bytes are no fields.
template <typename Field>
void AddVerbatim(ProtoMessage<Field>& message, std::string_view verbatim) {
  protozero::pbf_reader reader(verbatim.data(), verbatim.size());
  while (reader.next()) {
    const Field field = static_cast<Field>(reader.tag());
    switch (reader.wire_type()) {
      case protozero::pbf_wire_type::varint: message.add_uint64(field, reader.get_uint64()); break;
      case protozero::pbf_wire_type::fixed64: message.add_fixed64(field, reader.get_fixed64()); break;
      case protozero::pbf_wire_type::fixed32: message.add_fixed32(field, reader.get_fixed32()); break;
      default: {
        const protozero::data_view bytes = reader.get_view();
        message.add_bytes(field, bytes.data(), bytes.size());
      }
    }
  }
}

}  // namespace stead::frontend
