// SQL over a profile, for Python: answers are Arrow streams.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "warplens/query/sql/session.h"

namespace warplens::python {

/// What a statement gave; streams share it.
struct QueryResult {
  std::shared_ptr<query::Answer> answer;
};

/// A session and the profile that it reads; one statement at a time.
class SharedSession {
 public:
  static std::shared_ptr<SharedSession> open(std::shared_ptr<Profile> profile);
  nanobind::typed<nanobind::dict, nanobind::str, nanobind::str> columns(const std::string& table) const;
  QueryResult run(const std::string& sql, std::optional<size_t> limit);

 private:
  std::shared_ptr<Profile> profile_;
  std::unique_ptr<query::Session> session_;
  std::mutex mutex_;
};

}  // namespace warplens::python
