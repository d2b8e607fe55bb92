// SQL over one profile: read only, with limits.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/query/answer.h"
#include "warplens/query/catalog.h"

namespace warplens::query {

struct Limits {
  size_t rows = SIZE_MAX;     // later rows are left out, and Answer::more is set
  int64_t time_ns = 0;        // 0: no limit
  uint64_t memory_bytes = 0;  // of SQLite, for sorting and grouping; 0: half of the free memory
  bool row_by_row = false;    // SQLite's machine also does work that whole columns could do: for comparisons
};

/// Statements are run one after another. Data that a query computed (joins, indexes, gaps) serves the next.
class Session {
 public:
  /// `profile` must outlive the session.
  static Result<std::unique_ptr<Session>> open(const Profile& profile);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// One statement that reads. Errors name the place in `sql`, on lines of their own.
  Result<Answer> run(std::string_view sql, const Limits& limits = {});
  const Catalog& catalog() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// True if `text` ends with a statement's semicolon, outside strings and comments.
bool is_complete(const std::string& text);

}  // namespace warplens::query
