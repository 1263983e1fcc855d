// Attributes that the module keeps as HLO text, as messages, both ways: those that hold values and names. Those that name
// devices: device_text.h.
//   Text...  the attribute's text as XLA prints it; nothing when the message says nothing or more than HLO text has words for
//   Write... reads the text from the cursor into the message; RETURNS an error for text that has no known form
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_text/cursor.h"

namespace stead::frontend {

using InstructionMessage = ProtoMessage<InstructionField>;

// "text", escaped.
std::string QuotedText(std::string_view text);
// {1,2,3}
Result<std::vector<int64_t>> ReadBracedIntegers(Cursor& cursor);
// What XLA puts before element `number` of a long list: a separator, and after every five elements a comment.
std::string ListSeparator(size_t number);

// {key="value",key={"json":1}}: by key, as XLA prints them. Nothing when a key is no word.
std::optional<std::string> FrontendAttributesText(std::string_view message);
Status WriteFrontendAttributes(ProtoMessage<FrontendAttributesField>& message, Cursor& cursor);

// {"json":1} or "anything else".
std::string BackendConfigText(std::string_view config);
Status WriteBackendConfig(InstructionMessage& message, Cursor& cursor);

// operand_precision={high,default} and algorithm=dot_f32_f32_f32; nothing for defaults.
std::optional<std::string> OperandPrecisionText(std::string_view message);
Status WriteOperandPrecision(InstructionMessage& message, Cursor& cursor);
std::optional<std::string> AlgorithmText(std::string_view message);
Status WriteAlgorithm(InstructionMessage& message, Cursor& cursor);

// {tolerance={atol=0,rtol=0,ulps=1}} or {mode=highest}
std::optional<std::string> ResultAccuracyText(std::string_view message);
Status WriteResultAccuracy(InstructionMessage& message, Cursor& cursor);

// {visualizing_index=0,name=1.5}
std::optional<std::string> StatisticsText(std::string_view message);
Status WriteStatistics(InstructionMessage& message, Cursor& cursor);

// {f32[2]{0}, s32[]}, of the field that repeats the shapes.
Result<std::string> ShapesText(const std::vector<std::string_view>& messages);
Status WriteOperandLayouts(InstructionMessage& message, Cursor& cursor);

// {size=3x3} and b01f_01io->b01f, of a custom call that is a convolution.
std::optional<std::string> TakeWindow(MessageFields& instruction);
Status WriteWindow(InstructionMessage& message, Cursor& cursor);
std::optional<std::string> TakeConvolutionLabels(MessageFields& instruction);
Status WriteConvolutionLabels(InstructionMessage& message, Cursor& cursor);

// {{0}: (1, {})}
Result<std::string> AliasesText(MessageFields& fields);
Status WriteAliases(InstructionMessage& message, Cursor& cursor);

}  // namespace stead::frontend
