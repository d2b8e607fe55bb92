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

/// `chosen`: what --config says; "" is the nearest warplens.toml from the working directory upwards, "none" no file.
/// A file that nobody named may come from anybody, so it is read only where it is the user's own, and what would write
/// files or hand a compiler more than a launch file may is left out. Devices of the file are added to the catalogue.
/// Errors name the file, the line, and the nearest known key.
Result<Config> read_config(const std::string& chosen);

}  // namespace warplens::cli
