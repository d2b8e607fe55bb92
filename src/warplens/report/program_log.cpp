#include "warplens/report/program_log.h"

#include <cerrno>
#include <cstring>

#include "warplens/base/sha256.h"
#include "warplens/base/text.h"
#include "warplens/report/packed_report.h"
#include "warplens/report/packing.h"

namespace warplens::report {
namespace {

constexpr std::string_view kBeginning = "warplens program log 1\n";
enum Record : char {
  kReport = 'R',
  kLaunch = 'L',
  kPtx = 'P',
  kDefect = 'D',
  kNote = 'N',
  kChecked = 'C',
  kRefused = 'F',
  kLibraryCall = 'B',
  kErrorRead = 'A',
  kEnd = 'E'
};

struct LoggedPtx {
  std::string kernel;
  std::vector<PtxLine> lines;
};

}  // namespace

template <typename Archive>
void fields(Archive& a, LoggedLaunch& l) {
  a(l.kernel, l.shape, l.report, l.skipped);
}
template <typename Archive>
void fields(Archive& a, PtxLine& l) {
  a(l.number, l.text, l.file, l.line);
}
template <typename Archive>
void fields(Archive& a, LoggedPtx& l) {
  a(l.kernel, l.lines);
}
template <typename Archive>
void fields(Archive& a, CheckedLaunch& l) {
  a(l.kernel, l.by_thread, l.stopped);
}
template <typename Archive>
void fields(Archive& a, RefusedLaunch& l) {
  a(l.kernel, l.why, l.read);
}
template <typename Archive>
void fields(Archive& a, simt::Place& p) {
  a(p.kernel, p.block, p.thread, p.ptx_line, p.function, p.file, p.line, p.caller_file, p.caller_line, p.index,
    p.is_machine_code);
}
template <typename Archive>
void fields(Archive& a, simt::Report& r) {
  a(r.id, r.message, r.place, r.other, r.address, r.size_bytes, r.count);
}

namespace {

template <typename T>
std::string packed(T value) {
  Packer packer;
  packer(value);
  return std::move(packer.bytes);
}

template <typename T>
bool unpacked(std::string_view bytes, T* value) {
  Unpacker unpacker(bytes);
  unpacker(*value);
  return unpacker.ok();
}

Status read_record(char kind, std::string_view bytes, ProgramLog* log) {
  bool ok = true;
  if (kind == kReport) {
    WL_ASSIGN(KernelReport report, unpack(bytes));
    log->reports.push_back(std::move(report));
  } else if (kind == kLaunch) {
    ok = unpacked(bytes, &log->launches.emplace_back()) &&
         (!log->launches.back().skipped.empty() || log->launches.back().report < log->reports.size());
  } else if (kind == kPtx) {
    LoggedPtx one;
    ok = unpacked(bytes, &one);
    log->ptx.try_emplace(std::move(one.kernel), std::move(one.lines));
  } else if (kind == kDefect) {
    ok = unpacked(bytes, &log->defects.emplace_back());
  } else if (kind == kChecked) {
    ok = unpacked(bytes, &log->checked.emplace_back());
  } else if (kind == kRefused) {
    ok = unpacked(bytes, &log->refused.emplace_back());
  } else if (kind == kLibraryCall) {
    log->library_calls.emplace_back(bytes);
  } else if (kind == kErrorRead) {
    for (RefusedLaunch& launch : log->refused) launch.read = true;
  } else if (kind == kNote) {
    log->notes.emplace_back(bytes);
  } else {
    ok = kind == kEnd;
    log->ended = ok;
  }
  return ok ? Status() : invalid_input(fmt::format("the program's log has a damaged record '{}'", kind));
}

}  // namespace

Result<ProgramLogWriter> ProgramLogWriter::create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return io_error(fmt::format("{}: cannot be made: {}", path, std::strerror(errno)));
  std::fwrite(kBeginning.data(), 1, kBeginning.size(), file);
  std::fflush(file);
  return ProgramLogWriter(file);
}

void ProgramLogWriter::put(char kind, const std::string& bytes) {
  const uint64_t size = bytes.size();
  std::fputc(kind, file_.get());
  std::fwrite(&size, sizeof size, 1, file_.get());
  std::fwrite(bytes.data(), 1, bytes.size(), file_.get());
  std::fflush(file_.get());
}

void ProgramLogWriter::launch(const std::string& kernel, const simt::LaunchShape& shape, const KernelReport& report) {
  const std::string bytes = pack(report);
  const auto [known, is_new] = known_.try_emplace(sha256_hex(bytes), known_.size());
  if (is_new) put(kReport, bytes);
  put(kLaunch, packed(LoggedLaunch{kernel, shape, known->second, ""}));
}

void ProgramLogWriter::skipped(const std::string& kernel, const simt::LaunchShape& shape, const std::string& why) {
  put(kLaunch, packed(LoggedLaunch{kernel, shape, 0, why}));
}

void ProgramLogWriter::ptx(const std::string& kernel, std::vector<PtxLine> lines) {
  put(kPtx, packed(LoggedPtx{kernel, std::move(lines)}));
}

void ProgramLogWriter::defect(const simt::Report& defect) { put(kDefect, packed(defect)); }
void ProgramLogWriter::checked(const CheckedLaunch& launch) { put(kChecked, packed(launch)); }
void ProgramLogWriter::refused(const RefusedLaunch& launch) { put(kRefused, packed(launch)); }
void ProgramLogWriter::library_call(const std::string& name) { put(kLibraryCall, name); }
void ProgramLogWriter::error_read() { put(kErrorRead, ""); }
void ProgramLogWriter::note(const std::string& text) { put(kNote, text); }
void ProgramLogWriter::end() { put(kEnd, ""); }

Result<ProgramLog> read_program_log(std::string_view bytes) {
  if (bytes.empty()) return ProgramLog();  // it died as it began
  if (!bytes.starts_with(kBeginning)) return invalid_input("no log of an emulated program");
  bytes.remove_prefix(kBeginning.size());
  ProgramLog log;
  constexpr size_t kHeader = 1 + sizeof(uint64_t);
  while (bytes.size() >= kHeader) {
    uint64_t size = 0;
    std::memcpy(&size, bytes.data() + 1, sizeof size);
    if (size > bytes.size() - kHeader) break;  // cut short
    WL_TRY(read_record(bytes[0], bytes.substr(kHeader, size), &log));
    bytes.remove_prefix(kHeader + size);
  }
  return log;
}

}  // namespace warplens::report
