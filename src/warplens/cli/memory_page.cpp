#include "warplens/cli/memory_page.h"

#include <algorithm>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/launch/read_input.h"

namespace warplens::cli {
namespace {

using memory::DeviceMemory;

std::string bytes_text(int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

page::Section overview(const memory::Snapshot& snapshot, const memory::MemoryReport& report) {
  page::Section out{"overview", "Overview", {}};
  page::Facts facts;
  for (const DeviceMemory& device : report.devices) {
    facts.rows.emplace_back(fmt::format("GPU {}", device.device), memory_state_text(device));
    facts.rows.emplace_back("", memory_peak_text(device));
  }
  for (const std::string& each : memory_left_out(snapshot)) facts.rows.emplace_back("left out", each);
  out.blocks.emplace_back(std::move(facts));
  page::FindingsBlock findings{"", report.findings};
  if (report.findings.empty()) findings.note = std::string("No findings: ") + kNoMemoryFindings + ".";
  out.blocks.emplace_back(std::move(findings));
  return out;
}

std::string verdict(const memory::Snapshot& snapshot, const memory::MemoryReport& report) {
  std::vector<std::string> care = memory_left_out(snapshot);
  if (!std::ranges::all_of(report.devices, &DeviceMemory::peak_from_events))
    care.emplace_back("no history was recorded, so the blocks at the peak are unknown");
  return care.empty() ? "whole: nothing is missing" : "usable with care: " + join(care, "; ");
}

page::Section section_of(const DeviceMemory& device, bool several) {
  page::Section out{several ? fmt::format("gpu{}", device.device) : "memory",
                    several ? fmt::format("GPU {}", device.device) : "Memory",
                    {}};
  if (!device.over_time.empty())
    out.blocks.emplace_back(
        page::Series{fmt::format("Memory of GPU {}", device.device), Kind::kBytes, {{"allocated", device.over_time}}});
  out.blocks.emplace_back(page::TableBlock{"Holders of memory at the peak", memory_peak_text(device),
                                           memory_owners_table(device, SIZE_MAX)});
  if (!device.slices.empty())
    out.blocks.emplace_back(page::TableBlock{memory_growth_title(device), "", memory_growth_table(device)});
  return out;
}

}  // namespace

std::string memory_state_text(const DeviceMemory& d) {
  return fmt::format("{} reserved, {} allocated when the snapshot was taken; {} free in {} pieces, the largest {}",
                     bytes_text(d.reserved_bytes), bytes_text(d.allocated_bytes),
                     bytes_text(d.reserved_bytes - d.allocated_bytes), d.free_pieces, bytes_text(d.largest_free_bytes));
}

std::string memory_peak_text(const DeviceMemory& d) {
  return fmt::format("peak {} allocated{}", bytes_text(d.peak_bytes),
                     d.peak_from_events ? fmt::format(", of {} recorded events", d.events)
                                        : " (no history was recorded: the state of the snapshot)");
}

Table memory_owners_table(const DeviceMemory& device, size_t limit) {
  Table table{{{"bytes", "bytes", Kind::kBytes},
               {"share", "of peak", Kind::kShare},
               {"blocks", "blocks", Kind::kNumber},
               {"category", "category"},
               {"place", "asked for at"}},
              {}};
  for (const memory::Owner& owner : device.owners) {
    if (table.rows.size() == limit) break;
    table.rows.push_back({owner.bytes, static_cast<double>(owner.bytes) / static_cast<double>(device.peak_bytes),
                          owner.blocks, std::string(owner.category), owner.place});
  }
  return table;
}

Table memory_slices_table(const std::vector<memory::Slice>& slices, const char* unit) {
  Table table{{{unit, unit, Kind::kNumber},
               {"peak_bytes", "peak", Kind::kBytes},
               {"end_bytes", "at its end", Kind::kBytes},
               {"growth_bytes", "growth", Kind::kBytes},
               {"allocations", "allocations", Kind::kNumber},
               {"segments_made", "segments made", Kind::kNumber},
               {"segments_freed", "segments freed", Kind::kNumber}},
              {}};
  int64_t part = 0;
  const memory::Slice* before = nullptr;
  for (const memory::Slice& slice : slices) {
    table.rows.push_back({++part, slice.peak_bytes, slice.end_bytes,
                          before ? Cell(slice.end_bytes - before->end_bytes) : Cell(), slice.allocations,
                          slice.segments_made, slice.segments_freed});
    before = &slice;
  }
  return table;
}

Table memory_growth_table(const DeviceMemory& device) {
  return device.steps.empty() ? memory_slices_table(device.slices, "part") : memory_slices_table(device.steps, "step");
}

std::string memory_growth_title(const DeviceMemory& device) {
  return device.steps.empty() ? "Over time, in parts with the same number of events"
                              : "Step by step, each until " + device.steps_end_at;
}

std::vector<std::string> memory_left_out(const memory::Snapshot& snapshot) {
  std::vector<std::string> out;
  if (snapshot.unknown_actions > 0)
    out.push_back(fmt::format("{} events of unknown kinds are left out", snapshot.unknown_actions));
  if (snapshot.broken_entries > 0)
    out.push_back(fmt::format("{} damaged entries are left out", snapshot.broken_entries));
  return out;
}

bool is_memory_snapshot(const std::string& path) { return memory::may_be_snapshot(launch::read_start(path)); }

Result<page::Page> memory_page(const std::string& path, const std::string& title) {
  WL_ASSIGN(std::string bytes, read_file(path));
  const Result<memory::Snapshot> snapshot = memory::read_snapshot(std::move(bytes));
  if (!snapshot.ok()) return snapshot.status().in(path);
  const memory::MemoryReport report = memory::analyse(*snapshot);
  if (report.devices.empty()) return invalid_input(path + ": " + kNoGpuMemory);
  page::Page page{title, verdict(*snapshot, report), {}};
  page.sections.push_back(overview(*snapshot, report));
  for (const DeviceMemory& device : report.devices)
    page.sections.push_back(section_of(device, report.devices.size() > 1));
  return page;
}

}  // namespace warplens::cli
