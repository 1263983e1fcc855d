// What `stead explain` says, as data: one remark per cause, for the text and the JSON renderer alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "inplace/explain.h"

namespace stead::inplace {

// One instruction as a reader sees it.
struct RemarkPoint {
  std::string name;  // empty: the end of the program
  std::string text;  // the instruction's line of HLO
  std::string role;  // "overwrites it", "reads the old value", "must come before the next"
  SourcePlace source;
};

struct Remark {
  enum class Scope { kGiven, kPlan, kNote };  // a copy of the given module; of our plan; something that is not a copy
  Scope scope = Scope::kPlan;
  std::string code;   // "C01"
  std::string what;   // one line
  std::string value;  // name of the value concerned
  int64_t bytes = 0;  // of one copy
  int64_t executions = 0;
  std::vector<std::string> copies;
  std::string writer;
  std::vector<std::string> readers;
  std::vector<RemarkPoint> points;   // value, overwrite, reads
  std::vector<RemarkPoint> witness;  // the cycle that forces the copy, in order
  std::string why, fix;
  SourcePlace source;
};

struct Explanation {
  std::string module;
  Totals given, plan;
  std::vector<Remark> remarks;  // the plan's first, then notes, then the given module's; each by bytes
};

Explanation Explain(const ir::Module& given, const BufferPlan& plan);

// "400.0 MB", "4 bytes".
std::string BytesText(int64_t bytes);

}  // namespace stead::inplace
