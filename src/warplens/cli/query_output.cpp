#include "warplens/cli/query_output.h"

#include "warplens/base/printable.h"

namespace warplens::cli {
namespace {

constexpr size_t kRowsAtOnce = 20'000;

Status write_csv(const query::Answer& answer, const std::function<Status(std::string_view)>& to) {
  for (size_t row = 0; row == 0 || row < answer.rows; row += kRowsAtOnce) {
    const std::string text = to_csv(query::table_of(answer, row, row + kRowsAtOnce));
    WL_TRY(to(row == 0 ? std::string_view(text) : std::string_view(text).substr(text.find('\n') + 1)));
  }
  return {};
}

Status write_json(const query::Answer& answer, std::string_view head,
                  const std::function<Status(std::string_view)>& to) {
  WL_TRY(to(head));
  WL_TRY(to(",\"rows\":["));
  for (size_t row = 0; row < answer.rows; row += kRowsAtOnce) {
    json::Writer writer;
    write_rows(writer, query::table_of(answer, row, row + kRowsAtOnce));
    const std::string_view text = writer.text();
    WL_TRY(to(row == 0 ? "" : ","));
    WL_TRY(to(text.substr(1, text.size() - 2)));  // without the brackets around a part
  }
  return to(answer.more ? "],\"more\":true}\n" : "],\"more\":false}\n");
}

}  // namespace

Status write_answer(const query::Answer& answer, Format format, std::string_view head, size_t width,
                    const std::function<Status(std::string_view)>& to) {
  if (format == Format::kCsv) return write_csv(answer, to);
  if (format == Format::kJson) return write_json(answer, head, to);
  const std::string text = std::string(head) + render(query::table_of(answer, 0, answer.rows), format, width);
  return to(format == Format::kTable ? printable_lines(text) : text);
}

}  // namespace warplens::cli
