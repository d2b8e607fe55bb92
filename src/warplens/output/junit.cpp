#include "warplens/output/junit.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/xml.h"

namespace warplens {
namespace {

std::string xml_line(std::string_view text) {
  // U+FFFE and U+FFFF are UTF-8, but no characters of XML.
  return replace_all(replace_all(xml_escaped(text), "\xef\xbf\xbe", "\xef\xbf\xbd"), "\xef\xbf\xbf", "\xef\xbf\xbd");
}

std::string xml_lines(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += (out.empty() ? "" : "\n") + xml_line(line);
  return out;
}

std::string inner(const GateCase& each) {
  if (each.outcome == Outcome::kPassed)
    return each.detail.empty() ? "" : fmt::format("\n      <system-out>{}</system-out>\n    ", xml_lines(each.detail));
  const char* tag = each.outcome == Outcome::kFailed ? "failure" : "error";
  return fmt::format("\n      <{0} message=\"{1}\">{2}</{0}>\n    ", tag, xml_line(each.message),
                     xml_lines(each.detail));
}

}  // namespace

std::string to_junit(std::string_view suite, const std::vector<GateCase>& cases) {
  const auto count = [&](Outcome outcome) { return std::ranges::count(cases, outcome, &GateCase::outcome); };
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"0\"",
                                         cases.size(), count(Outcome::kFailed), count(Outcome::kNotJudged));
  const std::string name = xml_line(suite);
  std::string out = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n", counts);
  out += fmt::format("  <testsuite name=\"{}\" {}>\n", name, counts);
  for (const GateCase& each : cases)
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\">{}</testcase>\n", name,
                       xml_line(each.name), inner(each));
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace warplens
