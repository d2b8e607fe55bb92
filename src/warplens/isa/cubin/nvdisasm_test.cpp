// The table of instructions against nvdisasm, where there is one: every instruction of every cubin of the tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/text.h"
#include "warplens/isa/cubin/cubin.h"

namespace warplens::cubin {
namespace {

namespace fs = std::filesystem;

std::string find_nvdisasm() {
  if (const std::string found = find_program("nvdisasm"); !found.empty()) return found;
  if (const fs::path toolkit = "/usr/local/cuda/bin/nvdisasm"; fs::exists(toolkit)) return toolkit;
  const fs::path python = tests::source_path(".venv/lib");  // Triton brings one
  if (!fs::exists(python)) return "";
  for (const fs::directory_entry& version : fs::directory_iterator(python)) {
    const fs::path candidate = version.path() / "site-packages/triton/backends/nvidia/bin/nvdisasm";
    if (fs::exists(candidate)) return candidate;
  }
  return "";
}

std::vector<fs::path> cubins() {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(tests::source_path("tests/data"))) {
    if (entry.path().extension() == ".cubin") out.push_back(entry.path());
  }
  return out;
}

/// "FFMA.FTZ" of every instruction by section and address.
std::map<std::pair<std::string, uint32_t>, std::string> names_by_nvdisasm(const std::string& nvdisasm,
                                                                          const fs::path& path) {
  std::map<std::pair<std::string, uint32_t>, std::string> out;
  const auto ran = run_process({nvdisasm, "-hex", "-c", path.string()});
  EXPECT_TRUE(ran.ok() && ran->exit_code == 0) << path;
  if (!ran.ok()) return out;
  const std::regex section(R"(^\s*\.section\s+\.text\.([^,\s]+).*)"),
      line(R"(^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_.a-z]*).*;.*)"),
      alias(R"(\.(MOV|SHL|IADD)(?=\.U32$|$))");  // what nvdisasm calls an IMAD by its operands, not by its bits
  std::istringstream lines(ran->output);
  std::string current;
  for (std::string text; std::getline(lines, text);) {
    std::smatch match;
    if (std::regex_match(text, match, section)) current = match[1];
    else if (std::regex_match(text, match, line))
      out[{current, static_cast<uint32_t>(std::stoul(match[1], nullptr, 16))}] =
          std::regex_replace(match[2].str(), alias, "");
  }
  return out;
}

TEST(Nvdisasm, NamesEveryInstructionOfTheTestsAsTheTableDoes) {
  const std::string nvdisasm = find_nvdisasm();
  if (nvdisasm.empty()) GTEST_SKIP() << "no nvdisasm here; its answers of old are what isa_sass_test compares with";
  size_t compared = 0, files = 0;
  for (const fs::path& path : cubins()) {
    const auto bytes = read_file(path.string());
    ASSERT_TRUE(bytes.ok());
    const auto cubin = read_cubin(*bytes);
    ASSERT_TRUE(cubin.ok()) << path;
    const auto names = names_by_nvdisasm(nvdisasm, path);
    ++files;
    for (const Function& function : cubin->functions) {
      for (const SassInstruction& instruction : function.instructions) {
        const auto found = names.find({function.name, instruction.address});
        if (found == names.end()) continue;  // routines behind a kernel are in the kernel's section
        ++compared;
        EXPECT_EQ(instruction.full_name(), found->second)
            << path.filename() << " " << function.name << fmt::format(" at {:#x}", instruction.address);
      }
    }
  }
  EXPECT_GE(files, 6u);
  EXPECT_GT(compared, 1500u);
  RecordProperty("compared", static_cast<int>(compared));
}

}  // namespace
}  // namespace warplens::cubin
