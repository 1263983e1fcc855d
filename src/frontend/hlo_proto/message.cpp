#include "frontend/hlo_proto/message.h"

#include <algorithm>
#include <cstring>

namespace stead::frontend {

namespace {

using WireType = protozero::pbf_wire_type;

template <typename T>
T FromBytes(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

void AppendVarints(std::string_view packed, std::vector<int64_t>& values) {
  const char* position = packed.data();
  const char* const end = position + packed.size();
  while (position != end) values.push_back(static_cast<int64_t>(protozero::decode_varint(&position, end)));
}

}  // namespace

MessageFields::MessageFields(std::string_view bytes) {
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    Entry entry;
    entry.number = reader.tag();
    entry.type = reader.wire_type();
    switch (entry.type) {
      case WireType::varint: entry.value = reader.get_uint64(); break;
      case WireType::length_delimited: {
        const protozero::data_view view = reader.get_view();
        entry.data = view.data();
        entry.value = view.size();
        break;
      }
      default: {
        entry.value = entry.type == WireType::fixed32 ? sizeof(uint32_t) : sizeof(uint64_t);
        reader.skip();
        entry.data = reader.data().data() - entry.value;
      }
    }
    entries_.push_back(entry);
  }
}

const MessageFields::Entry* MessageFields::Find(ProtoTag number) const {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.number == number && !entry.taken; });
  return found == entries_.end() ? nullptr : &*found;
}

std::optional<std::string_view> MessageFields::LastMessage(ProtoTag number) const {
  std::optional<std::string_view> last;
  for (const Entry& entry : entries_) {
    if (entry.number == number && !entry.taken && entry.type == WireType::length_delimited) last = entry.bytes();
  }
  return last;
}

void MessageFields::MarkTaken(ProtoTag number) {
  for (Entry& entry : entries_) {
    if (entry.number == number) entry.taken = true;
  }
}

// The last one counts, as in the protocol.
const MessageFields::Entry* MessageFields::TakeLast(ProtoTag number, WireType type) {
  const Entry* last = nullptr;
  for (Entry& entry : entries_) {
    if (entry.number != number || entry.taken) continue;
    if (entry.type != type) throw protozero::unknown_pbf_wire_type_exception();
    entry.taken = true;
    last = &entry;
  }
  return last;
}

int64_t MessageFields::TakeVarint(ProtoTag number) {
  const Entry* entry = TakeLast(number, WireType::varint);
  return entry == nullptr ? 0 : static_cast<int64_t>(entry->value);
}

float MessageFields::TakeFixed32(ProtoTag number) {
  const Entry* entry = TakeLast(number, WireType::fixed32);
  return entry == nullptr ? 0 : FromBytes<float>(entry->bytes());
}

double MessageFields::TakeFixed64(ProtoTag number) {
  const Entry* entry = TakeLast(number, WireType::fixed64);
  return entry == nullptr ? 0 : FromBytes<double>(entry->bytes());
}

std::string_view MessageFields::TakeLastBytes(ProtoTag number) {
  const Entry* entry = TakeLast(number, WireType::length_delimited);
  return entry == nullptr ? std::string_view() : entry->bytes();
}

std::vector<std::string_view> MessageFields::TakeAllBytes(ProtoTag number) {
  std::vector<std::string_view> all;
  for (Entry& entry : entries_) {
    if (entry.number != number || entry.taken) continue;
    if (entry.type != WireType::length_delimited) throw protozero::unknown_pbf_wire_type_exception();
    entry.taken = true;
    all.push_back(entry.bytes());
  }
  return all;
}

std::vector<int64_t> MessageFields::TakeVarints(ProtoTag number) {
  std::vector<int64_t> values;
  for (Entry& entry : entries_) {
    if (entry.number != number || entry.taken) continue;
    entry.taken = true;
    if (entry.type == WireType::varint) {
      values.push_back(static_cast<int64_t>(entry.value));
    } else if (entry.type == WireType::length_delimited) {
      AppendVarints(entry.bytes(), values);
    } else {
      throw protozero::unknown_pbf_wire_type_exception();
    }
  }
  return values;
}

std::vector<ProtoTag> MessageFields::RestNumbers() const {
  std::vector<ProtoTag> numbers;
  for (const Entry& entry : entries_) {
    if (!entry.taken) numbers.push_back(entry.number);
  }
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

std::map<ProtoTag, std::string> MessageFields::TakeRest() {
  std::map<ProtoTag, std::string> rest;
  for (Entry& entry : entries_) {
    if (entry.taken) continue;
    entry.taken = true;
    protozero::pbf_writer writer(rest[entry.number]);
    switch (entry.type) {
      case WireType::varint: writer.add_uint64(entry.number, entry.value); break;
      case WireType::fixed64: writer.add_fixed64(entry.number, FromBytes<uint64_t>(entry.bytes())); break;
      case WireType::fixed32: writer.add_fixed32(entry.number, FromBytes<uint32_t>(entry.bytes())); break;
      default: writer.add_bytes(entry.number, entry.data, entry.value);
    }
  }
  return rest;
}

}  // namespace stead::frontend
