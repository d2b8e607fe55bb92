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
  size_t rows = SIZE_MAX;     // what comes after is left out, and Answer::more says so
  int64_t time_ns = 0;        // 0: as long as it takes
  uint64_t memory_bytes = 0;  // of SQLite, for sorting and grouping; 0: half of what is free
  bool row_by_row = false;    // SQLite's machine also does what could be computed on whole columns: to compare with
};

/// Statements are run one after another. What a query made the session compute (joins, indexes, gaps) serves the next.
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

/// Whether `text` ends with a statement's semicolon: one that stands in no string or comment.
bool is_complete(const std::string& text);

}  // namespace warplens::query
