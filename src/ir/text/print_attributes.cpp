#include "ir/text/print_attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "ir/text/attribute_fields.h"

namespace stead::ir {
namespace {

// Words that XLA's reader takes for something else than a name.
constexpr std::string_view kReservedWords[] = {
    "HloModule", "ENTRY",      "ROOT",       "true",   "false",   "inf",
    "nan",       "maximal",    "replicated", "manual", "unknown", "last_tile_dim_replicate",
    "shard_as",  "shard_like", "token",      "opaque",
};

// XLA's list of element types grows (`s1`, `f4e2m1fn`), so whatever has their form counts: letters of a kind, then digits.
bool LooksLikeElementType(std::string_view name) {
  size_t digits = name.find_first_of("0123456789");
  std::string_view kind = name.substr(0, digits);
  bool is_kind = kind == "s" || kind == "u" || kind == "f" || kind == "bf" || kind == "c";
  return (digits != std::string_view::npos && is_kind) || ElementTypeFromName(name).has_value();
}

std::string Braced(const Dimensions& dimensions) { return fmt::format("{{{}}}", fmt::join(dimensions, ",")); }

std::string JoinText(size_t count, std::string_view separator, const std::function<std::string(size_t)>& piece) {
  std::string text;
  for (size_t index = 0; index < count; ++index) {
    if (index > 0) text += separator;
    text += piece(index);
  }
  return text;
}

std::string Text(int64_t value) { return std::to_string(value); }
std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(const Dimensions& dimensions) { return Braced(dimensions); }
std::string Text(const std::string& word) { return word; }
std::string Text(CompareAttributes::Direction direction) { return std::string(DirectionName(direction)); }
std::string Text(CompareAttributes::Type type) { return std::string(CompareTypeName(type)); }
std::string Text(const OnlyElementRef<const Dimensions>& only) {
  return only.list.empty() ? "0" : std::to_string(only.list.front());
}
std::string Text(const BracedIntegerRef<const int64_t>& braced) { return fmt::format("{{{}}}", braced.value); }
std::string Text(const QuotedRef<const std::string>& quoted) { return fmt::format("\"{}\"", Escape(quoted.text)); }

std::string Text(const SliceRef<const SliceAttributes>& slice) {
  const SliceAttributes& fields = slice.fields;
  auto range = [&](size_t dim) {
    std::string stride = fields.strides[dim] == 1 ? "" : fmt::format(":{}", fields.strides[dim]);
    return fmt::format("[{}:{}{}]", fields.starts[dim], fields.limits[dim], stride);
  };
  return fmt::format("{{{}}}", JoinText(fields.starts.size(), ", ", range));
}

std::string Text(const PaddingRef<const PadAttributes>& padding) {
  const PadAttributes& fields = padding.fields;
  auto amounts = [&](size_t dim) {
    std::string interior = fields.interior[dim] == 0 ? "" : fmt::format("_{}", fields.interior[dim]);
    return fmt::format("{}_{}{}", fields.low[dim], fields.high[dim], interior);
  };
  return fields.low.empty() ? "{}" : JoinText(fields.low.size(), "x", amounts);
}

// The letters of one array: where its batch and feature (or input and output feature) dimensions and spatial ones lie.
std::string Labels(int64_t first, char first_letter, int64_t second, char second_letter, const Dimensions& spatial) {
  std::string labels(spatial.size() + 2, '?');
  auto place = [&](int64_t dim, char letter) {
    if (dim >= 0 && dim < static_cast<int64_t>(labels.size())) labels[dim] = letter;
  };
  place(first, first_letter);
  place(second, second_letter);
  for (size_t number = 0; number < spatial.size(); ++number) place(spatial[number], static_cast<char>('0' + number));
  return labels;
}

std::string Text(const WindowRef<const std::vector<WindowDimension>>& reference) {
  return WindowText(reference.window);
}

std::string Text(const ConvolutionLabelsRef<const ConvolutionAttributes>& reference) {
  return ConvolutionLabelsText(reference.fields);
}

std::string Text(const AliasesRef<const std::vector<OutputOperandAlias>>& reference) {
  auto piece = [&](size_t entry) {
    const OutputOperandAlias& alias = reference.aliases[entry];
    return fmt::format("{}: ({}, {})", ShapeIndexToString(alias.output_index), alias.operand,
                       ShapeIndexToString(alias.operand_index));
  };
  return fmt::format("{{{}}}", JoinText(reference.aliases.size(), ", ", piece));
}

bool Differs(const AliasesRef<const std::vector<OutputOperandAlias>>& reference,
             const std::vector<OutputOperandAlias>&) {
  return !reference.aliases.empty();
}
template <typename T>
bool Differs(const T& field, const T& standard) {
  return field != standard;
}

class FieldWriter {
 public:
  explicit FieldWriter(std::string& text) : text_(text) {}

  template <typename T>
  void Required(std::string_view key, const T& field) {
    text_ += fmt::format(", {}={}", key, Text(field));
  }
  template <typename T>
  void Always(std::string_view key, const T& field) {
    Required(key, field);
  }
  template <typename T, typename Standard>
  void Optional(std::string_view key, const T& field, const Standard& standard) {
    if (Differs(field, standard)) Required(key, field);
  }

 private:
  std::string& text_;
};

void AppendCalled(std::string& text, const Module& module, const Instruction& instruction) {
  const std::vector<ComputationId>& called = instruction.called;
  if (called.empty()) return;
  auto name = [&](size_t number) { return NameText(module.computation(called[number]).name); };
  if (instruction.opcode == Opcode::kConditional) {
    bool is_boolean = module.shape(instruction.operands.front()).element_type == ElementType::kPred;
    if (is_boolean && called.size() == 2) {
      text += fmt::format(", true_computation={}, false_computation={}", name(0), name(1));
    } else {
      text += fmt::format(", branch_computations={{{}}}", JoinText(called.size(), ", ", name));
    }
    return;
  }
  if (instruction.opcode == Opcode::kCustomCall) {
    text += fmt::format(", called_computations={{{}}}", JoinText(called.size(), ", ", name));
    return;
  }
  std::span<const std::string_view> keys = CalledKeys(instruction.opcode);
  STEAD_CHECK(keys.size() >= called.size(), instruction.name);
  for (size_t number = 0; number < called.size(); ++number) text += fmt::format(", {}={}", keys[number], name(number));
}

// The extra attributes of an instruction; a copy that the compiler made tells its reason among the frontend attributes.
std::vector<ExtraAttribute> ExtraWithReason(const Instruction& instruction) {
  std::vector<ExtraAttribute> extra = instruction.extra;
  const CopyAttributes* copy = std::get_if<CopyAttributes>(&instruction.attributes);
  if (copy == nullptr || copy->reason == CopyReason::kWritten) return extra;
  std::string reason = fmt::format("{}=\"{}\"", kCopyReasonKey, CopyReasonCode(copy->reason));
  auto found = std::ranges::find(extra, "frontend_attributes", &ExtraAttribute::key);
  if (found == extra.end()) {
    extra.push_back({"frontend_attributes", fmt::format("{{{}}}", reason)});
  } else {
    bool empty = found->value.find('=') == std::string::npos;
    found->value = fmt::format("{{{}{}{}", reason, empty ? "" : ",", found->value.substr(1));
  }
  return extra;
}

void AppendMetadata(std::string& text, const Metadata& metadata) {
  if (metadata.empty()) return;
  std::string fields;
  auto append = [&](std::string_view key, const std::string& value) {
    if (!fields.empty()) fields += " ";
    fields += fmt::format("{}={}", key, value);
  };
  auto append_quoted = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) append(key, fmt::format("\"{}\"", Escape(value)));
  };
  append_quoted("op_type", metadata.op_type);
  append_quoted("op_name", metadata.op_name);
  append_quoted("source_file", metadata.source_file);
  if (metadata.source_line != 0) append("source_line", std::to_string(metadata.source_line));
  if (metadata.stack_frame_id != 0) append("stack_frame_id", std::to_string(metadata.stack_frame_id));
  for (const ExtraAttribute& attribute : metadata.extra) {
    if (!IsOnlyInProto(attribute)) append(attribute.key, attribute.value);
  }
  if (fields.empty()) return;
  text += fmt::format(", metadata={{{}}}", fields);
}

}  // namespace

std::string WindowText(const std::vector<WindowDimension>& window) {
  std::string text = "{";
  auto append = [&](std::string_view name, bool needed,
                    const std::function<std::string(const WindowDimension&)>& piece) {
    if (!needed) return;
    if (text.size() > 1) text += " ";
    text += fmt::format("{}={}", name, JoinText(window.size(), "x", [&](size_t dim) { return piece(window[dim]); }));
  };
  auto differs = [&](int64_t WindowDimension::* field, int64_t value) {
    return std::ranges::any_of(window, [&](const WindowDimension& dim) { return dim.*field != value; });
  };
  auto number = [](int64_t WindowDimension::* field) {
    return [field](const WindowDimension& dim) { return std::to_string(dim.*field); };
  };
  auto padding = [](const WindowDimension& dim) { return fmt::format("{}_{}", dim.padding_low, dim.padding_high); };
  append("size", !window.empty(), number(&WindowDimension::size));
  append("stride", differs(&WindowDimension::stride, 1), number(&WindowDimension::stride));
  append("pad", differs(&WindowDimension::padding_low, 0) || differs(&WindowDimension::padding_high, 0), padding);
  append("lhs_dilate", differs(&WindowDimension::base_dilation, 1), number(&WindowDimension::base_dilation));
  append("rhs_dilate", differs(&WindowDimension::window_dilation, 1), number(&WindowDimension::window_dilation));
  bool reversed = std::ranges::any_of(window, [](const WindowDimension& dim) { return dim.reversal; });
  append("rhs_reversal", reversed, [](const WindowDimension& dim) { return dim.reversal ? "1" : "0"; });
  return text + "}";
}

std::string ConvolutionLabelsText(const ConvolutionAttributes& fields) {
  return fmt::format("{}_{}->{}", Labels(fields.input_batch, 'b', fields.input_feature, 'f', fields.input_spatial),
                     Labels(fields.kernel_input_feature, 'i', fields.kernel_output_feature, 'o', fields.kernel_spatial),
                     Labels(fields.output_batch, 'b', fields.output_feature, 'f', fields.output_spatial));
}

std::string NameText(const std::string& name) {
  bool reserved = LooksLikeElementType(name) || std::ranges::find(kReservedWords, name) != std::end(kReservedWords);
  return reserved ? fmt::format("%{}", name) : name;
}

std::string Escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char character : text) {
    switch (character) {
      case '\n': escaped += "\\n"; break;
      case '\r': escaped += "\\r"; break;
      case '\t': escaped += "\\t"; break;
      case '"': escaped += "\\\""; break;
      case '\'': escaped += "\\'"; break;
      case '\\': escaped += "\\\\"; break;
      default:
        if (character >= ' ' && character <= '~') {
          escaped += character;
        } else {
          escaped += fmt::format("\\{:03o}", static_cast<unsigned char>(character));
        }
    }
  }
  return escaped;
}

std::string AliasesText(const std::vector<InputOutputAlias>& aliases) {
  auto piece = [&](size_t entry) {
    const InputOutputAlias& alias = aliases[entry];
    return fmt::format("{}: ({}, {}, {})", ShapeIndexToString(alias.output_index), alias.parameter,
                       ShapeIndexToString(alias.parameter_index), alias.must ? "must-alias" : "may-alias");
  };
  return JoinText(aliases.size(), ", ", piece);
}

std::string DonorsText(const std::vector<BufferDonor>& donors) {
  auto piece = [&](size_t entry) {
    return fmt::format("({}, {})", donors[entry].parameter, ShapeIndexToString(donors[entry].parameter_index));
  };
  return JoinText(donors.size(), ", ", piece);
}

void AppendExtra(std::string& text, const std::vector<ExtraAttribute>& extra) {
  for (const ExtraAttribute& attribute : extra) {
    // Not through a format: a value can have megabytes.
    text += ", ";
    text += attribute.key;
    text += "=";
    text += attribute.value;
  }
}

void AppendAttributes(std::string& text, const Module& module, const Instruction& instruction) {
  FieldWriter writer(text);
  std::visit([&](const auto& fields) { VisitFields(instruction.opcode, fields, writer); }, instruction.attributes);
  AppendCalled(text, module, instruction);
  if (!instruction.control_predecessors.empty()) {
    auto name = [&](size_t number) {
      return NameText(module.instruction(instruction.control_predecessors[number]).name);
    };
    text += fmt::format(", control-predecessors={{{}}}", JoinText(instruction.control_predecessors.size(), ", ", name));
  }
  AppendExtra(text, ExtraWithReason(instruction));
  AppendMetadata(text, instruction.metadata);
}

}  // namespace stead::ir
