// Status and Result: errors are values; no exception crosses a module.
#pragma once
#include <optional>
#include <string>
#include <utility>

namespace warplens {

enum class ErrorCode { kOk, kInvalidInput, kNotFound, kIo, kUnsupported, kUsage, kInternal };

/// Success, or an error whose message gives the cause, the place and the remedy.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  /// The same error with `context: ` in front of its message.
  Status in(const std::string& context) const { return ok() ? *this : Status(code_, context + ": " + message_); }

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

inline Status invalid_input(std::string message) { return {ErrorCode::kInvalidInput, std::move(message)}; }
inline Status not_found(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }
inline Status io_error(std::string message) { return {ErrorCode::kIo, std::move(message)}; }
inline Status unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }
inline Status usage_error(std::string message) { return {ErrorCode::kUsage, std::move(message)}; }
inline Status internal_error(std::string message) { return {ErrorCode::kInternal, std::move(message)}; }

/// A value, or the Status that explains why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT: implicit, so that `return value;` works
  Result(Status status) : status_(std::move(status)) {}  // NOLINT
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace warplens

#define WL_CONCAT_(a, b) a##b
#define WL_CONCAT(a, b) WL_CONCAT_(a, b)

/// Returns the error of `expression` (a Status) from the enclosing function, if it is one.
#define WL_TRY(expression)                                                \
  do {                                                                    \
    if (auto wl_status = (expression); !wl_status.ok()) return wl_status; \
  } while (0)

/// Declares `declaration` from the value of `expression` (a Result), or returns its error.
#define WL_ASSIGN(declaration, expression)                                                    \
  auto WL_CONCAT(wl_result_, __LINE__) = (expression);                                        \
  if (!WL_CONCAT(wl_result_, __LINE__).ok()) return WL_CONCAT(wl_result_, __LINE__).status(); \
  declaration = std::move(WL_CONCAT(wl_result_, __LINE__)).value()
