// warplens convert: any profile into any format that keeps all of it.
#include <filesystem>

#include "warplens/base/output_name.h"
#include "warplens/base/text.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/python_part.h"
#include "warplens/cli/verb.h"
#include "warplens/cli/written_types.h"
#include "warplens/output/terminal.h"
#include "warplens/trace/profile/native/write.h"
#include "warplens/trace/profile/verdict.h"

namespace warplens::cli {
namespace {

bool writes_parquet(const Invocation& invocation) { return invocation.text("--type") == "parquet"; }

/// A folder of Parquet files is the Python package's to write: one input after the other, so that memory holds one.
Result<int> run_parquet(const Invocation& invocation) {
  WL_ASSIGN(const std::string python, python_with("pyarrow.parquet, warplens", "pyarrow"));
  std::vector<std::string> words = module_words(python, "warplens.parquet");
  words.insert(words.end(), {"-o", invocation.text("--output")});
  if (invocation.has("--force")) words.emplace_back("--force");
  words.insert(words.end(), invocation.operands.begin(), invocation.operands.end());
  WL_TRY(become(python, words));
  return kExitOk;
}

/// An unknown ending must not give a file that its name does not describe.
Status check_native_name(const std::string& output) {
  const std::string ending = std::filesystem::path(output).extension().string();
  if (ending.empty() || ending == ".wlens") return {};
  if (ending == ".parquet")
    return usage_error(
        fmt::format("-o {}: Parquet is a folder with a file for each table: give -t parquet -o FOLDER", output));
  return usage_error(
      fmt::format("-o {}: no format is named {}: use a name that ends with .wlens, .json, .json.gz, "
                  ".pftrace or .sqlite, or give -t TYPE",
                  output, ending));
}

Result<int> run_convert(const Invocation& invocation) {
  if (invocation.operands.empty()) return usage_error("give at least one profile");
  if (!invocation.has("--output")) return usage_error("name the output with -o FILE.wlens");
  if (writes_parquet(invocation)) return run_parquet(invocation);
  const bool asks_native = !invocation.assumed.contains("--type") && invocation.text("--type") == "wlens";
  const WrittenType* type = nullptr;
  if (!asks_native) {
    WL_ASSIGN(type, chosen_type(invocation, true));
  }
  if (type == nullptr && invocation.text("--output").ends_with(".csv"))
    return usage_error(
        fmt::format("-o {}: a profile has several tables. Write one with `warplens query PROFILE 'select ...' "
                    "--format csv`, or all with -o FILE.sqlite",
                    invocation.text("--output")));
  if (type == nullptr) WL_TRY(check_native_name(invocation.text("--output")));
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  if (type != nullptr) {
    WL_TRY(write_as(*type, invocation, profile));
  } else {
    WL_TRY(native::write(profile, expand_output_name(invocation.text("--output")), invocation.has("--force")));
  }
  tell("{}\n{}", integrity_verdict(profile), integrity_details(profile));
  return kExitOk;
}

/// What --type takes: the program's own format, those that keep everything, and a folder of tables.
std::vector<std::string> type_names() {
  std::vector<std::string> names = written_type_names(true);
  names.insert(names.begin(), "wlens");
  names.emplace_back("parquet");
  return names;
}

}  // namespace

extern const Verb kConvert;
const Verb kConvert = {
    "convert",
    "write a profile in any format: .wlens, Chrome, Perfetto, SQLite",
    "PROFILE...",
    "Reads traces of any format (several are ranks of one profile) and writes one file. Its name chooses the "
    "format: .wlens (mapped columns with checksums), .json or .json.gz (Chrome), .pftrace (Perfetto), .sqlite. In "
    ".wlens and .sqlite, each rank keeps its clock and its damage. In Chrome's and Perfetto's formats, ranks become "
    "processes. --type parquet writes a folder with one file for each rank and table.",
    with_cut_flags(
        {{"-t,--type", "TYPE", "the format, if the name does not give it", "wlens", type_names()}, any_size_flag()}),
    {{"warplens convert trace.json.gz -o trace.wlens", "convert once, then query often"},
     {"warplens convert rank*.json.gz -o job.wlens", "all ranks of a job in one file"},
     {"warplens convert run.sqlite -o run.pftrace", "an Nsight Systems export for ui.perfetto.dev"},
     {"warplens convert rank*.json.gz -t parquet -o tables", "a folder for DuckDB, Spark, pandas and polars"}},
    run_convert,
    {{"--type parquet", writes_parquet, "--type"},
     {"one file", [](const Invocation&) { return true; }, "--type --any-size " + cut_flag_names()}},
    Prints::kFile};

}  // namespace warplens::cli
