#include "warplens/trace/readers/recorded/cupti_names.h"

#include <iterator>

#include "warplens/base/text.h"

namespace warplens::recorded {
namespace {

struct Copy {
  const char* name;
  CopyKind direction;
};

// CUpti_ActivityMemcpyKind, from cupti_activity.h.
constexpr Copy kCopies[] = {{"Unknown", CopyKind::kOther},
                            {"HtoD", CopyKind::kHostToDevice},
                            {"DtoH", CopyKind::kDeviceToHost},
                            {"HtoA", CopyKind::kHostToDevice},
                            {"AtoH", CopyKind::kDeviceToHost},
                            {"AtoA", CopyKind::kDeviceToDevice},
                            {"AtoD", CopyKind::kDeviceToDevice},
                            {"DtoA", CopyKind::kDeviceToDevice},
                            {"DtoD", CopyKind::kDeviceToDevice},
                            {"HtoH", CopyKind::kHostToHost},
                            {"PtoP", CopyKind::kPeerToPeer},
                            // Nsight Systems goes on with what unified memory moved by itself.
                            {"Unified HtoD", CopyKind::kHostToDevice},
                            {"Unified DtoH", CopyKind::kDeviceToHost},
                            {"Unified DtoD", CopyKind::kDeviceToDevice}};
// CUpti_ActivityMemoryKind.
constexpr const char* kMemories[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                     "Array",   "Managed",  "Device Static", "Managed Static"};
// CUpti_ActivitySynchronizationType.
constexpr const char* kSyncs[] = {"Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};

const Copy& copy_of(uint32_t kind) { return kCopies[kind < std::size(kCopies) ? kind : 0]; }
const char* memory(uint32_t kind) { return kMemories[kind < std::size(kMemories) ? kind : 0]; }

}  // namespace

std::string copy_name(uint32_t kind, uint32_t source, uint32_t destination) {
  return fmt::format("Memcpy {} ({} -> {})", copy_of(kind).name, memory(source), memory(destination));
}

std::string set_name(uint32_t kind) { return fmt::format("Memset ({})", memory(kind)); }

std::string sync_name(uint32_t type) { return kSyncs[type < std::size(kSyncs) ? type : 0]; }

CopyKind copy_direction(uint32_t kind) { return copy_of(kind).direction; }

}  // namespace warplens::recorded
