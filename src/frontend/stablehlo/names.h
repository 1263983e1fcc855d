// Names and quoted strings as HLO text writes them.
#pragma once

#include <string>
#include <string_view>

namespace stead::frontend {

// A name that HLO text can carry: other characters become '_', and words of the text's own language get one appended.
std::string HloName(std::string_view name);

// The last part of an operation's path: "sin" of "jit(f)/jit(main)/sin".
std::string_view LastPathPart(std::string_view path);

// `text` in double quotes, with C escapes.
std::string Quoted(std::string_view text);

}  // namespace stead::frontend
