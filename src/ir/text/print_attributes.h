// The attributes of an instruction as HLO text, each with a leading ", ".
#pragma once

#include <string>

#include "ir/module.h"

namespace stead::ir {

// Typed fields, called computations, control predecessors, extra attributes, metadata.
void AppendAttributes(std::string& text, const Module& module, const Instruction& instruction);

// ", key=value" for each.
void AppendExtra(std::string& text, const std::vector<ExtraAttribute>& extra);

// True for a field of the protocol buffers that HLO text has no word for and that says nothing about what the program
// computes (which devices it ran on, how large its code became). The module and the metadata keep such fields under a key
// with this prefix for the way back; they are never printed there. Of instructions they are printed.
inline constexpr std::string_view kProtoFieldPrefix = "hlo_proto_field_";
inline bool IsOnlyInProto(const ExtraAttribute& attribute) { return attribute.key.starts_with(kProtoFieldPrefix); }

// "{0}: (0, {}, may-alias)" joined, and "(0, {})" joined, without the outer braces.
std::string AliasesText(const std::vector<InputOutputAlias>& aliases);
std::string DonorsText(const std::vector<BufferDonor>& donors);

// "{size=3x3 pad=1_1x1_1}" and "b01f_01io->b01f"; a dimension that lies outside its array leaves a '?' in the labels.
std::string WindowText(const std::vector<WindowDimension>& window);
std::string ConvolutionLabelsText(const ConvolutionAttributes& convolution);

// A name as others can read it: with '%' where a bare word would mean something else (`pred`, `nan`, `ROOT`).
std::string NameText(const std::string& name);

// The inside of a quoted string: quotes, backslashes and unprintable bytes escaped as in C.
std::string Escape(std::string_view text);

}  // namespace stead::ir
