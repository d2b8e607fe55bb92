// A family of kernels, from naive to fast: kernels/NAME/family.json, as kernels/README.md describes it.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/bench/suite/kernel_case.h"

namespace warplens::bench {

/// One implementation: a launch file with ${EXPRESSION} of the axes in its texts, and its lesson.
struct Step {
  std::string name, title;
  std::string finding;             // the finding of this step that leads to the next one; empty: none
  std::string lesson;              // how the next step improves it
  std::vector<std::string> needs;  // expressions of the axes that must be 0: "n%4"
  json::Value launch_file;         // source, options, buffers, launches
};

struct Family {
  std::string name, title, folder;
  std::string bound;               // bandwidth or compute
  std::string size_axis;           // that --sizes sets
  std::vector<Point> small, full;  // sizes for the emulator, and for a GPU
  std::string bytes, flops;        // of a call: expressions of the axes
  std::vector<std::string> references;
  double tolerance = 0;     // 0: by dtype
  std::vector<Step> steps;  // from naive to fast
};

/// The folder of the families: WARPLENS_KERNELS, beside an installed program, or that of a source tree.
Result<std::string> kernels_folder();

/// Families in `folder`, by name.
Result<std::vector<std::string>> family_names(const std::string& folder);

/// Errors name the file and the place in it; an unknown family names the nearest.
Result<Family> read_family(const std::string& folder, const std::string& name);

/// The step by its name, or by the name's first words the last of its kind (flash: flash_wgmma); the error names those
/// that are there.
Result<const Step*> find_step(const Family& family, const std::string& name);

/// The steps by their names, all of them for an empty list.
Result<std::vector<const Step*>> chosen_steps(const Family& family, const std::vector<std::string>& names);

/// A step at one point, all of its launches one call.
Result<KernelCase> case_of(const Family& family, const Step& step, const Point& point);

}  // namespace warplens::bench
