// How verbs print results about profiles. Every report goes through here, so each one states the integrity of its data,
// and no gate passes on incomplete data.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/cli/gate.h"
#include "warplens/cli/verb.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

class ProfileReport {
 public:
  using Members = std::function<void(json::Writer&)>;

  /// Both refer to their arguments, which must outlive them.
  ProfileReport(const Invocation& invocation, const Profile& profile);
  ProfileReport(const Invocation& invocation, const Profile& base, const Profile& fresh);

  /// For people: the verdict, then `body`.
  Status text(std::string_view body) const;
  /// Markdown: the verdict where something is wrong, then `body`.
  Status markdown(std::string_view body) const;
  /// An object: schema_version, integrity, integrity_issues, then those of `members`. `indented`: not for long lists.
  Status json(const Members& members, bool indented = true) const;
  /// The beginning of such an object, up to where its next member's comma goes: for answers too long to hold.
  std::string json_head() const;
  /// "integrity: ..." and an empty line if something is wrong, else nothing: for the top of text output.
  std::string warning() const;
  /// `table` in the chosen format; as text, `body` replaces it.
  Status table(const Table& table, std::string_view body) const;
  /// A format of someone else's, which has no place for the verdict: standard error gets it where something is wrong.
  Status foreign(std::string_view text) const;
  /// The verdict on standard error, where something is wrong: for verbs that write files.
  void warn() const;

  /// The exit code of --fail-on; an error where the data is not fit to be judged and --allow-damaged was not given.
  Result<int> gate(const Gate& gate) const;
  /// For the top of a page: "integrity   whole: nothing is missing", with a second line if no gate would judge.
  std::string verdict_line() const;

 private:
  struct Subject {
    std::string name;  // "base", "new"; empty where there is one profile
    const Profile& profile;
  };
  std::string verdict() const;
  bool something_is_wrong() const;
  std::optional<std::string> unfit() const;
  void begin(json::Writer& writer) const;

  const Invocation& invocation_;
  std::vector<Subject> subjects_;
};

/// For verbs with --fail-on.
Flag allow_damaged_flag();

}  // namespace warplens::cli
