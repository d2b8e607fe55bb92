// repeated-copy: copies of one size to the device again and again within a step, as a constant kept on the host causes.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/repeated_copies.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> repeated_copy(const Context& c) {
  const RepeatedCopies repeated = repeated_copies(c);
  if (repeated.group.copies.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, repeated.without);
  describe(c, repeated.group, f);
  f.title = fmt::format("{} copies of the same size ({} at most) to the device {}",
                        format_count(c.per_step(static_cast<double>(repeated.group.copies.size()))),
                        format_bytes(static_cast<double>(repeated.largest_bytes)), c.each_step());
  const bool shaped = c.p.operators.size() > 0;
  f.detail = fmt::format("{} The saving holds if the data is the same, such as a mask, a table or a position index.",
                         shaped ? "The same operator copies a tensor of the same shape each time."
                                : "Each copies the same number of bytes.");
  f.advice =
      "Keep the data on the device: create it there, copy it once before the loop, or use register_buffer() so that "
      ".to(device) moves it.";
  return f;
}

}  // namespace warplens::findings
