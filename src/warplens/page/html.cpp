// A page as HTML. What it shows is data: JSON, and packed columns beside it; the script makes elements of both.
#include <fmt/format.h>

#include "warplens/base/base64.h"
#include "warplens/base/printable.h"
#include "warplens/base/sha256.h"
#include "warplens/page/assets.h"
#include "warplens/page/block_json.h"
#include "warplens/page/page.h"
#include "warplens/writers/gzip.h"

namespace warplens::page {
namespace {

std::string page_json(const Page& page, Packed& packed) {
  json::Writer w;
  w.begin_object().member("title", page.title).member("integrity", page.integrity).member("whole", page.whole);
  w.member("part_title", page.part_title);
  w.key("version");
  page.version ? w.value(int64_t{*page.version}) : w.null();
  w.list("parts", page.parts);
  w.key("sections").begin_array();
  for (const Section& section : page.sections) {
    w.begin_object().member("id", section.id).member("title", section.title).member("part", section.part);
    w.key("blocks").begin_array();
    for (const Block& block : section.blocks) write_block(w, packed, block);
    w.end_array().end_object();
  }
  return w.end_array().end_object().take();
}

/// Characters that act or are not seen stand in JSON as escapes. A page shows such an escape as it is written; the
/// second of two # is escaped for build services alone.
std::string with_visible_escapes(std::string_view json) {
  std::string out;
  for (size_t i = 0; i < json.size(); ++i) {
    out += json[i];
    if (json[i] != '\\' || ++i == json.size()) continue;
    const bool acts =
        json[i] == 'u' ? json.substr(i + 1, 4) != "0023" : json[i] == 'b' || json[i] == 'f' || json[i] == 'r';
    if (acts) out += '\\';
    out += json[i];
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else out += c;
  }
  return out;
}

Result<std::string> compressed(std::string_view bytes) {
  std::string out;
  WL_ASSIGN(writers::GzipWriter gzip, writers::GzipWriter::start([&](std::string_view piece) {
              out += piece;
              return Status();
            }));
  WL_TRY(gzip.write(bytes));
  WL_TRY(gzip.finish());
  return base64(out);
}

/// Only this style and this script run; nothing is loaded, sent or framed. `asks`: its own server alone.
std::string policy(std::string_view style, std::string_view script, bool asks) {
  const auto source = [](std::string_view text) { return fmt::format("'sha256-{}'", base64_of_hex(sha256_hex(text))); };
  return fmt::format("default-src 'none'; script-src {}; style-src {}; {}base-uri 'none'; form-action 'none'",
                     source(script), source(style), asks ? "connect-src 'self'; " : "");
}

/// The page's own, and the colours of pictures in both themes.
std::string style() {
  return std::string(kStyle) + svg::style_rules(svg::kLight, ".picture ") +
         svg::style_rules(svg::kDark, ":root[data-theme=\"dark\"] .picture ") + "\n";
}

}  // namespace

Status write_page(const Page& page, const ByteSink& to) {
  const std::string css = style();
  Packed packed;
  const std::string json = page_json(page, packed);
  WL_ASSIGN(const std::string data, compressed(with_visible_escapes(json)));
  WL_ASSIGN(const std::string columns, compressed(packed.bytes()));
  WL_TRY(
      to(fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{} - warplens</title>\n<style>",
                     policy(css, kScript, page.version.has_value()), escaped(printable(page.title)))));
  WL_TRY(to(css));
  WL_TRY(
      to("</style>\n</head>\n<body>\n<noscript>This page needs JavaScript. It loads nothing from a network."
         "</noscript>\n<script type=\"text/plain\" id=\"data\">"));
  WL_TRY(to(data));
  WL_TRY(to("</script>\n<script type=\"text/plain\" id=\"columns\">"));
  WL_TRY(to(columns));
  WL_TRY(to("</script>\n<script>"));
  WL_TRY(to(kScript));
  return to("</script>\n</body>\n</html>\n");
}

std::string perfetto_page() {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>Perfetto - warplens</title>\n<style>{}"
      "</style>\n</head>\n<body>\n<script>{}</script>\n</body>\n</html>\n",
      policy(kStyle, kPerfettoScript, true), kStyle, kPerfettoScript);
}

}  // namespace warplens::page
