// A verb of the command line: its flags as data, from which parsing, --help and completions follow.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/files.h"
#include "warplens/base/status.h"
#include "warplens/output/table.h"

namespace warplens::cli {

#define WL_EXIT(name, code, meaning) inline constexpr int kExit##name = code;
#include "warplens/cli/exit_codes.def"
#undef WL_EXIT

struct Flag {
  std::string names;  // "--limit" or "-k,--kernel"; the last one is its key
  std::string value;  // "N", "FILE", ...; empty for a switch
  std::string help;
  std::string initial = {};  // value when not given
  std::vector<std::string> choices = {};
  bool repeats = false;
  std::string bare = {};   // value where it is given without one
  std::string group = {};  // its heading in the full help; empty: that of the flag before
};

/// Flags under a heading of the full help.
struct FlagGroup {
  std::string title;
  std::vector<Flag> flags;
};

std::vector<Flag> in_groups(const std::vector<FlagGroup>& groups);

/// What one run of a verb was given. Values are already checked against choices; numbers are checked when asked for.
class Invocation {
 public:
  std::vector<std::string> operands;  // positional arguments
  std::vector<std::string> command;   // what stands after `--`

  bool has(
      std::string_view flag) const;  // given on the command line, by its environment variable or in the config file
  std::string text(std::string_view flag) const;
  std::vector<std::string> list(std::string_view flag) const;
  Result<int64_t> integer(std::string_view flag) const;
  Result<size_t> count(std::string_view flag) const;  // a whole number that is not negative
  Result<double> number(std::string_view flag) const;
  Result<double> percent(std::string_view flag) const;   // "5%" or "5": 0.05
  Result<int64_t> time_ns(std::string_view flag) const;  // "20ms"; a time needs its unit
  Result<int64_t> bytes(std::string_view flag) const;    // "4096" or "48KiB"

  bool operand_ends(std::string_view ending) const;  // the first

  Format format() const;
  /// Whether standard output gets a report in a format that is not for people.
  bool is_read_by_scripts() const;
  /// Writes a verb's result where -o says (standard output by default); never overwrites without -f.
  Status emit(std::string_view text) const;
  /// The same with lines that fit the terminal: for sentences, not for code or what scripts read.
  Status emit_for_people(std::string_view text) const;
  Result<FileWriter> output_file() const;  // the same place, for what is written piece by piece
  /// A table in the chosen format, fitted to the terminal.
  Status emit(const Table& table) const;

  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::set<std::string, std::less<>> given;    // flags of the command line: not the environment's or config file's
  std::set<std::string, std::less<>> assumed;  // flags that nobody gave, with their initial values
  /// Where a flag's value is from that the command line does not have: "WARPLENS_LIMIT", "warplens.toml".
  std::map<std::string, std::string, std::less<>> origins;
  std::string class_rules;  // of the config file, as --classes takes them
  std::string config_note;  // what of the config file was not taken, to be told; empty without any
};

/// What a verb leaves behind, which decides whether it has --format and -o.
enum class Prints : uint8_t {
  kData,     // tables, in every format
  kFile,     // files of its own kind
  kText,     // one text of its own kind
  kNothing,  // what its program or its scenes print
};

/// Flags, separated by spaces, that say something only beside one of `needs`, and beside none of `without`.
struct Tie {
  std::string flags;
  std::string needs = {};
  std::string without = {};
};

/// One way of using a verb: what it is given, and which of the verb's own flags say something there. Others are
/// refused, so that none is silently without effect.
struct Use {
  std::string what;                 // "a launch file", as it stands in messages
  bool (*fits)(const Invocation&);  // of a verb's uses the first that fits holds
  std::string flags;                // separated by spaces; "*": all
  std::vector<Tie> ties = {};
  bool plain = false;  // it prints no table, so that --format and --json say nothing
  bool saves = false;  // what it is given may name files that it writes, which --force overwrites
};

struct Verb {
  std::string name;
  std::string summary;   // one line for the list of verbs
  std::string operands;  // "PROFILE...", for the usage line
  std::string details;   // paragraphs for the full help; --help shows the first
  std::vector<Flag> flags;
  std::vector<std::pair<std::string, std::string>> examples;  // command, what it shows
  Result<int> (*run)(const Invocation&);
  std::vector<Use> uses = {};  // none: every flag says something wherever it is given
  Prints prints = Prints::kData;
  std::vector<std::string> more_formats = {};  // of --format, beyond those of every verb
  bool hands_on = false;                       // all arguments go to another program: they are in Invocation::command
  std::string common = {};  // the verb's own flags that --help shows, separated by spaces; empty: all
};

/// Flags that verbs have in common (--format, --json, -o, -f, --color, --timing, --config), as far as this one prints.
std::vector<Flag> common_flags(const Verb& verb);
/// The verb's own flags, then those.
std::vector<Flag> flags_of(const Verb& verb);

/// Every verb, in the order of --help.
const std::vector<const Verb*>& all_verbs();

/// Verbs for one purpose, as `warplens --help` lists them.
struct VerbGroup {
  std::string title;
  std::vector<const Verb*> verbs;
};

std::vector<VerbGroup> verb_groups();

/// Fills an invocation from `arguments` (what follows the verb), or says what is wrong with them.
Result<Invocation> parse(const Verb& verb, const std::vector<std::string>& arguments);

/// Refuses a flag of the command line that says nothing in the use that the verb is put to, or beside the others.
Status check_use(const Verb& verb, const Invocation& invocation);

/// Whether a flag makes files, or lets them be overwritten.
bool writes_files(const std::string& flag);

/// The environment variable that gives a flag its value: "WARPLENS_SORT_BY" for --sort-by.
std::string environment_name(const Flag& flag);

/// What --help prints: usage, the common flags and two examples, which fit a screen.
std::string help(const Verb& verb);
/// What --help all prints: every flag, in groups, and every example.
std::string full_help(const Verb& verb);
std::string general_help();

}  // namespace warplens::cli
