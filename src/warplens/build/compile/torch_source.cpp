#include "warplens/build/compile/torch_source.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/build/compile/host_code.h"

namespace warplens::compile {
namespace {

/// The header that a line includes: "torch/extension.h"; empty when it is no such line.
std::string_view included(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return {};
  line = trim(line.substr(1));
  if (!line.starts_with("include")) return {};
  line = trim(line.substr(7));
  if (line.size() < 2 || (line[0] != '<' && line[0] != '"')) return {};
  const size_t end = line.find(line[0] == '<' ? '>' : '"', 1);
  return end == std::string_view::npos ? std::string_view() : line.substr(1, end - 1);
}

bool is_of_torch(std::string_view header) {
  for (const char* folder : {"torch/", "ATen/", "c10/", "pybind11/", "THC/"}) {
    if (header.starts_with(folder)) return true;
  }
  return false;
}

bool mentions(std::string_view text, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string_view::npos; });
}

bool is_for_device(std::string_view head) { return mentions(head, {"__global__", "__device__", "__constant__"}); }

/// Of a function or a module's definition: does it use what only the host has?
bool is_for_host(std::string_view head, std::string_view body) {
  if (is_for_device(head) || head.find('(') == std::string_view::npos) return false;
  return mentions(head, {"torch::", "at::", "c10::", "Tensor", "PYBIND11_MODULE", "TORCH_LIBRARY", "std::"}) ||
         mentions(body, {"<<<", "torch::", "at::", "AT_DISPATCH", "TORCH_CHECK", "std::"});
}

size_t end_of_directive(std::string_view text, size_t at) {
  size_t end = text.find('\n', at);
  while (end != std::string_view::npos && text[end - 1] == '\\') end = text.find('\n', end + 1);
  return std::min(end, text.size());
}

void blank_out(std::string* out, size_t from, size_t to) {
  for (size_t k = from; k < to; ++k) {
    if ((*out)[k] != '\n') (*out)[k] = ' ';
  }
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Blanks every `name(...)` of a text whose literals are blank, and a semicolon behind it.
void blank_uses(std::string_view text, std::string_view name, std::string* out) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size())) {
    size_t end = at + name.size();
    if ((at > 0 && is_of_name(text[at - 1])) || end >= text.size() || text[end] != '(') continue;
    int depth = 0;
    do depth += (text[end] == '(') - (text[end] == ')');
    while (++end < text.size() && depth > 0);
    if (end < text.size() && text[end] == ';') ++end;
    blank_out(out, at, end);
  }
}

/// Macros that launch kernels define the host's functions: they go, and so does every use of them.
void blank_launching_macros(std::string* out) {
  constexpr std::string_view kDefine = "#define ";
  const std::string text = blank_literals(*out);
  std::vector<std::string> names;
  for (size_t at = text.find(kDefine); at != std::string::npos; at = text.find(kDefine, at + 1)) {
    const size_t end = end_of_directive(text, at), name = at + kDefine.size();
    if (text.substr(at, end - at).find("<<<") == std::string::npos) continue;
    size_t behind = name;
    while (behind < end && is_of_name(text[behind])) ++behind;
    names.push_back(text.substr(name, behind - name));
    blank_out(out, at, end);
  }
  const std::string left = blank_literals(*out);
  for (const std::string& name : names) blank_uses(left, name, out);
}

/// Walks the declarations of a source whose literals are blank, and blanks in `out` those of the host.
class Declarations {
 public:
  Declarations(std::string_view text, std::string* out) : text_(text), out_(out) {}

  void walk() {
    for (size_t at = 0; at < text_.size();) at = step(at);
  }

 private:
  size_t step(size_t at) {
    switch (text_[at]) {
      case '#': return start_ = end_of_directive(text_, at);
      case ';': return finish(at + 1, text_.substr(start_, at - start_), "");
      case '}': return start_ = at + 1;  // of a namespace
      case '{': return open(at);
      default: return at + 1;
    }
  }
  size_t open(size_t at) {
    const std::string_view head = text_.substr(start_, at - start_);
    const std::string_view word = trim(head);
    if (word.starts_with("namespace") || word.starts_with("inline namespace") ||
        (word.starts_with("extern") && word.find('(') == std::string_view::npos))
      return start_ = at + 1;
    const size_t end = end_of_braces(at);
    const std::string_view body = text_.substr(at, end - at);
    if (head.find('(') == std::string_view::npos) return end;  // a type, or an initial value: up to its semicolon
    return finish(end, head, body);
  }
  size_t finish(size_t end, std::string_view head, std::string_view body) {
    const bool prototype = body.empty() && !is_for_device(head) && mentions(head, {"torch::", "at::Tensor", "std::"});
    if (prototype || (!body.empty() && is_for_host(head, body))) {
      blank_out(out_, start_, end);
    }
    return start_ = end;
  }
  size_t end_of_braces(size_t at) const {
    int depth = 0;
    for (; at < text_.size(); ++at) {
      if (text_[at] == '{') ++depth;
      if (text_[at] == '}' && --depth == 0) return at + 1;
    }
    return text_.size();
  }

  std::string_view text_;
  std::string* out_;
  size_t start_ = 0;  // of the declaration at hand
};

/// Every line as `mended` has it, which gets the line and the header that it includes.
template <typename Mend>
std::string line_by_line(std::string_view source, Mend mended) {
  std::string out;
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view line = source.substr(at, end - at);
    out += mended(line, included(line));
    if (end < source.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

void blank_host(std::string* source) {
  blank_launching_macros(source);
  const std::string text = blank_literals(*source);
  Declarations(text, source).walk();
}

}  // namespace

std::string_view torch_header(std::string_view source) {
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.find('\n', at), source.size());
    if (const std::string_view header = included(source.substr(at, end - at)); is_of_torch(header)) return header;
    at = end + 1;
  }
  return {};
}

std::string with_served_torch(std::string_view source) {
  bool served = false;
  std::string out = line_by_line(source, [&](std::string_view line, std::string_view header) -> std::string {
    if (is_of_torch(header)) return std::exchange(served, true) ? "" : fmt::format("#include <{}>", kTorchHeader);
    return std::string(header.empty() || host_code_reason(line).empty() ? line : "");
  });
  blank_host(&out);
  return out;
}

std::string with_own_torch(std::string_view source) {
  std::string out = line_by_line(source, [](std::string_view line, std::string_view header) -> std::string {
    const bool needs_python = header == "torch/extension.h" || header == "torch/python.h" ||
                              header.starts_with("torch/csrc/") || header.starts_with("pybind11/");
    return std::string(needs_python ? "#include <torch/types.h>" : line);
  });
  blank_host(&out);
  return out;
}

}  // namespace warplens::compile
