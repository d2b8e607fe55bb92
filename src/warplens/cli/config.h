// warplens.toml: a project's own flags, classes of kernels and devices.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::cli {

struct Config {
  std::string path;                                                              // empty: none was found
  bool was_found = false;                                                        // nobody named it
  std::map<std::string, std::map<std::string, std::vector<std::string>>> flags;  // verb -> "--limit" -> values
  std::string class_rules;                                                       // in the form that --classes takes
  std::map<std::string, std::vector<std::string>> left_out;                      // verb -> "--output": see below
  std::string unread;  // why a file that was found is not read
};

/// `chosen` is the value of --config: "" is the nearest warplens.toml from the working directory upwards, "none" no
/// file. A file that the user did not name may come from anybody. It is read only if the user owns it. Settings that
/// write files, or give a compiler more than a launch file may, are ignored. Devices of the file are added to the
/// catalogue. Errors name the file, the line, and the nearest known key.
Result<Config> read_config(const std::string& chosen);

}  // namespace warplens::cli
