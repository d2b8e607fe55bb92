// The compact form of a report, for scripts and agents: `--brief` of every verb, and the answers of `warplens mcp`.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/json.h"

namespace warplens::brief {

/// The JSON of a brief has at most this many bytes.
inline constexpr size_t kLimitBytes = 2048;

struct Brief {
  bool ok = true;                      // false: a defect, a wrong or critical result, a crossed threshold, a failed run
  std::string verdict;                 // one sentence
  std::vector<std::string> details;    // the most important first
  std::vector<std::string> not_known;  // limits of this answer: they are not sign that all is well
  std::string next_step;               // one thing to do next
};

/// The brief of the JSON that `verb` printed, which ended with `exit_code`.
Brief of_report(std::string_view verb, int exit_code, const json::Value& report);
/// The brief of a text that is not JSON, such as an explanation: each paragraph is a detail.
Brief of_text(std::string_view verb, int exit_code, std::string_view text);
/// The brief of a verb that wrote files: the last line of `messages` is the verdict.
Brief of_messages(std::string_view verb, int exit_code, std::string_view messages);
/// The brief of a run that failed with the message `error`.
Brief of_failure(std::string_view verb, std::string_view error);

/// One line of JSON of at most kLimitBytes. Details are dropped from the end and counted, then texts are cut.
/// resource: the file with the whole report; empty without one.
std::string to_json(Brief brief, const std::string& resource);

}  // namespace warplens::brief
