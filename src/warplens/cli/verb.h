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
  bool from_environment = true;
};

/// Flags under a heading of the full help.
struct FlagGroup {
  std::string title;
  std::vector<Flag> flags;
};

std::vector<Flag> in_groups(const std::vector<FlagGroup>& groups);

/// The operands and flags of one run of a verb. Values are checked against choices; numbers are checked when read.
class Invocation {
 public:
  std::vector<std::string> operands;  // positional arguments
  std::vector<std::string> command;   // the words after `--`

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
  /// True if standard output gets a report in a format for programs.
  bool is_read_by_scripts() const;
  /// Writes a verb's result where -o says (standard output by default); never overwrites without -f.
  Status emit(std::string_view text) const;
  /// The same, with lines that fit the terminal: for sentences, not for code or text for scripts.
  Status emit_for_people(std::string_view text) const;
  Result<FileWriter> output_file() const;  // the same place, for text written piece by piece
  /// A table in the chosen format, fitted to the terminal.
  Status emit(const Table& table) const;

  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::set<std::string, std::less<>> given;    // flags of the command line: not the environment's or config file's
  std::set<std::string, std::less<>> assumed;  // flags that were not given, with their initial values
  /// Where a flag's value is from that the command line does not have: "WARPLENS_LIMIT", "warplens.toml".
  std::map<std::string, std::string, std::less<>> origins;
  std::string class_rules;  // of the config file, as --classes takes them
  std::string config_note;  // settings of the config file that were ignored, to be reported; empty without any
};

/// The output of a verb, which decides whether it has --format and -o.
enum class Prints : uint8_t {
  kData,     // tables, in every format
  kFile,     // files of its own kind
  kText,     // one text of its own kind
  kNothing,  // the output of its program or its scenes
};

/// Flags, separated by spaces, that have an effect only beside one of `needs`, and beside none of `without`.
struct Tie {
  std::string flags;
  std::string needs = {};
  std::string without = {};
};

/// One way of using a verb: its operands, and those of the verb's own flags that have an effect there. Others are
/// refused, so no flag is silently ignored.
struct Use {
  std::string what;                 // "a launch file", as in messages
  bool (*fits)(const Invocation&);  // of a verb's uses the first that fits holds
  std::string flags;                // separated by spaces; "*": all
  std::vector<Tie> ties = {};
  bool plain = false;  // it prints no table, so --format and --json have no effect
  bool saves = false;  // its operands may name files that it writes, which --force overwrites
};

struct Verb {
  std::string name;
  std::string summary;   // one line for the list of verbs
  std::string operands;  // "PROFILE...", for the usage line
  std::string details;   // paragraphs for the full help; --help shows the first
  std::vector<Flag> flags;
  std::vector<std::pair<std::string, std::string>> examples;  // command, purpose
  Result<int> (*run)(const Invocation&);
  std::vector<Use> uses = {};  // none: every flag always has an effect
  Prints prints = Prints::kData;
  std::vector<std::string> more_formats = {};  // of --format, beyond those of every verb
  bool hands_on = false;                       // all arguments go to another program: they are in Invocation::command
  std::string common = {};  // the verb's own flags that --help shows, separated by spaces; empty: all
};

/// Common flags of verbs (--format, --json, -o, -f, --color, --timing, --config), as far as they apply to this one.
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

/// Fills an invocation from `arguments` (the words after the verb), or returns the mistake in them.
Result<Invocation> parse(const Verb& verb, const std::vector<std::string>& arguments);

/// Refuses a flag of the command line that has no effect in this use of the verb, or beside the other flags.
Status check_use(const Verb& verb, const Invocation& invocation);

/// Whether a flag makes files, or lets them be overwritten.
bool writes_files(const std::string& flag);

/// The environment variable that sets a flag: "WARPLENS_SORT_BY" for --sort-by; empty: none does.
std::string environment_name(const Flag& flag);

/// The text of --help: usage, the common flags and two examples, which fit a screen.
std::string help(const Verb& verb);
/// The text of --help all: every flag, in groups, and every example.
std::string full_help(const Verb& verb);
std::string general_help();

}  // namespace warplens::cli
