// The members of a JSON object, read one by one; members left unread are an error.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/status.h"

namespace warplens::launch {

class Fields {
 public:
  /// `place` names the object in messages: "launches[0]"; "" for the whole file. Errors: not an object, a member twice.
  static Result<Fields> of(const json::Value& value, std::string place);

  bool has(std::string_view key) const;
  /// The member `key`, or nullptr. Asking for it makes it a known one.
  const json::Value* take(std::string_view key);
  /// Absent members keep `out` as it is. Errors: another type, out of range.
  Status text(std::string_view key, std::string& out);
  Status flag(std::string_view key, bool& out);
  Status number(std::string_view key, double& out);
  Status number(std::string_view key, std::optional<double>& out);
  Status integer(std::string_view key, int64_t low, int64_t high, int64_t& out);
  /// After all reads: an error names the first unread member, and the nearest that exists.
  Status done() const;

  /// "; there is 'lanches'": the member whose name is near `key`, which is missing; "" if none is.
  std::string instead_of(std::string_view key) const;

  /// "launches[0].grid"
  std::string at(std::string_view key) const;

 private:
  Fields(const json::Value::Object* object, std::string place) : object_(object), place_(std::move(place)) {}
  const json::Value::Object* object_;
  std::string place_;
  std::vector<std::string> known_;
};

/// "a number", "a text", "an object", ... for messages.
std::string type_name(const json::Value& value);

}  // namespace warplens::launch
