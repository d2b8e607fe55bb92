// The formats that a profile is written in, for `export` and `convert`.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/byte_sink.h"
#include "warplens/cli/verb.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

struct WrittenType {
  const char* name;
  std::vector<std::string> endings;  // of file names that mean it, each also before .gz; the first is the usual one
  bool keeps_all;                    // reads back as the same profile
  Status (*write)(const Invocation&, const Profile&, const ByteSink&);
};

const std::vector<WrittenType>& written_types();
std::vector<std::string> written_type_names(bool that_keep_all);
inline Flag any_size_flag() { return {"--any-size", "", "write more than 64 MiB and 200 times the size of the input"}; }

/// The type of --type, else the one of the output's name, else nullptr. Error: the name belongs to another
/// type.
Result<const WrittenType*> chosen_type(const Invocation& invocation, bool that_keep_all);

/// Writes to the output file, compressed where its name ends with .gz.
Status write_as(const WrittenType& type, const Invocation& invocation, const Profile& profile);

}  // namespace warplens::cli
