#include "warplens/base/demangled_size.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace warplens {
namespace {

constexpr double kMostOfOne = 64;  // characters of an operator, a type without a name, or the marks around a part
constexpr int kDeepestPart = 256;
constexpr size_t kFewReferences = 16;  // 1.44^16 is 340: what three references to each of the parts before can reach

bool is_figure(char c) { return '0' <= c && c <= '9'; }
bool is_capital(char c) { return 'A' <= c && c <= 'Z'; }

/// Reads as much of the C++ ABI's grammar as tells where parts end. A reference to part k is bounded by the largest
/// part that was complete when k + 1 parts of the kinds counted here were: it was complete then, too.
class Sizes {
 public:
  explicit Sizes(std::string_view text) : text_(text) {}

  double whole() {
    double out = 0;
    while (at_ < text_.size() && !lost_) out += sequence('_') + (at_ < text_.size() ? (++at_, 1) : 0);
    if (!lost_) return out;
    const auto references = static_cast<size_t>(std::count(text_.begin(), text_.end(), 'S'));
    return references <= kFewReferences ? 0 : std::numeric_limits<double>::infinity();
  }

 private:
  char next(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  /// Up to an E, which stays. `kind`: the letter that opened it.
  double sequence(char kind) {
    if (++depth_ > kDeepestPart) lost_ = true;
    const bool is_scope = kind == 'N', is_function = depth_ == 1;
    double sum = 0, last = 0;
    for (bool is_first = true; at_ < text_.size() && next() != 'E' && !lost_; is_first = false) {
      const char c = next();
      const double one = item();
      sum += one;
      last = c == 'I' ? last + one : one;  // a template's name with its arguments
      largest_ = std::max(largest_, is_scope ? sum : last);
      const bool is_part = is_scope   ? c != 'S' && next() != 'E'
                           : c == 'I' ? !is_function
                                      : (is_figure(c) || c == 'N') && (!is_first || !is_function);
      if (is_part) complete(is_scope ? sum : last);
    }
    --depth_;
    return sum;
  }

  void complete(double size) {
    largest_ = std::max(largest_, size);
    at_completion_.push_back(largest_);
  }

  double group(char kind) {
    ++at_;
    const double inner = sequence(kind) + kMostOfOne;
    if (next() != 'E') lost_ = true;
    ++at_;
    return inner;
  }

  size_t number() {
    size_t out = 0;
    while (is_figure(next()) && out < text_.size()) out = out * 10 + static_cast<size_t>(text_[at_++] - '0');
    return out;
  }

  double item() {
    const char c = next();
    if (lost_ || ++depth_ > kDeepestPart) return lost_ = true, 0;
    const double out = is_figure(c) ? name() : is_capital(c) ? capital(c) : small();
    --depth_;
    return out;
  }

  double small() {
    ++at_;
    return kMostOfOne;
  }

  double name() {
    const size_t size = number();
    if (size > text_.size() - at_) return lost_ = true, 0;
    at_ += size;
    return static_cast<double>(size) + kMostOfOne;
  }

  double capital(char c) {
    switch (c) {
      case 'S': return reference();
      case 'T': return parameter();
      case 'L': return literal();
      case 'I':
      case 'J':
      case 'N':
      case 'X':
      case 'Z': return group(c);
      case 'F': {
        const double out = group(c);
        complete(out);
        return out;
      }
      case 'P':
      case 'R':
      case 'O': {
        ++at_;
        const double out = item() + kMostOfOne;
        complete(out);
        return out;
      }
      case 'A': return array();
      case 'D':
      case 'C': return special();
      case 'U': return lambda();
      case 'K':
      case 'V':
      case 'M': return small();
      default: lost_ = true; return 0;
    }
  }

  double reference() {
    ++at_;
    if (next() != '_' && !is_figure(next()) && !is_capital(next()))
      return small();  // std::string and others of the standard
    size_t part = 0;
    bool first = next() == '_';
    for (; is_figure(next()) || is_capital(next()); ++at_)
      part = std::min<size_t>(part * 36 + static_cast<size_t>(is_figure(next()) ? next() - '0' : next() - 'A' + 10),
                              1 << 20);
    if (next() != '_') lost_ = true;
    ++at_;
    if (!first) ++part;
    return (part < at_completion_.size() ? at_completion_[part] : largest_) + kMostOfOne;
  }

  double parameter() {
    ++at_;
    if (next() != '_' && !is_figure(next())) return lost_ = true, 0;  // of tables of virtual functions
    number();
    if (next() != '_') lost_ = true;
    ++at_;
    return largest_ + kMostOfOne;
  }

  double literal() {
    ++at_;
    double out = kMostOfOne;
    if (next() == '_') return group('L');  // of another name
    const bool is_plain = !is_figure(next()) && !is_capital(next());
    if (!is_plain) out += item();
    for (; at_ < text_.size() && next() != 'E'; ++at_) ++out;
    ++at_;
    return out;
  }

  double array() {
    ++at_;
    if (!is_figure(next())) return lost_ = true, 0;
    number();
    if (next() != '_') lost_ = true;
    return small();
  }

  double special() {
    const char of = next(1);
    at_ += 2;
    if (is_figure(of)) return largest_ + kMostOfOne;  // a constructor repeats the name of its class
    if (of != 't' && of != 'T') return kMostOfOne;
    --at_;
    return group(of);
  }

  double lambda() {
    const char of = next(1);
    ++at_;
    if (of != 'l' && of != 't') return lost_ = true, 0;
    const double out = of == 'l' ? group('U') : small();
    number();
    if (next() != '_') lost_ = true;
    ++at_;
    return out + kMostOfOne;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool lost_ = false;
  double largest_ = 0;
  std::vector<double> at_completion_;
};

}  // namespace

double most_demangled_characters(std::string_view mangled) { return Sizes(mangled.substr(2)).whole(); }

}  // namespace warplens
