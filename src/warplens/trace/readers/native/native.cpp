// warplens' own files: mapped when they can be, read into memory when they come compressed or through a pipe.
#include "warplens/base/files.h"
#include "warplens/trace/profile/append.h"
#include "warplens/trace/profile/native/read.h"
#include "warplens/trace/readers/format.h"

namespace warplens {
namespace {

Result<Profile> load(Input& input) {
  if (input.is_plain_file()) {
    WL_ASSIGN(MappedFile file, MappedFile::open(input.name()));
    auto backing = std::make_shared<MappedFile>(std::move(file));
    return native::read(backing->bytes(), backing, input.name());
  }
  WL_ASSIGN(std::string bytes, input.read_all(Input::kAnySize));
  auto backing = std::make_shared<std::string>(std::move(bytes));
  if (!input.damage().ok()) return input.damage().in(input.name());
  return native::read(*backing, backing, input.name());
}

Status read(Input& input, const ReadOptions&, Profile& profile) {
  WL_ASSIGN(Profile loaded, load(input));
  if (profile.ranks.size() == 0) {
    profile = std::move(loaded);
  } else {
    append_profile(profile, loaded);
  }
  return {};
}

}  // namespace

extern const TraceFormat kNative;
const TraceFormat kNative = {"warplens profiles (.wlens)", native::sniff, read};

}  // namespace warplens
