// Threads and blocks that end while asynchronous copies still use the block's shared memory, which another block may
// have by then.
#include <algorithm>
#include <bit>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"

namespace warplens::simt::ptx_machine {

void ThreadChecker::note_bulk_read(Warp& w, const Op& op, uint32_t lane, uint32_t clock, Address at) {
  auto& reads = w.checks->bulk_reads;
  std::erase_if(reads, [&](const BulkRead& r) { return r.clock <= w.checks->waits(Agent::kBulkRead, r.lane); });
  const BulkRead read{lane, clock, op.row, at};
  if (std::none_of(reads.begin(), reads.end(), [&](const BulkRead& r) { return r.same(read); })) reads.push_back(read);
}

void ThreadChecker::note_load(Warp& w, const Op& op, uint32_t lane, const void* object) {
  CheckedMbarrier* m = find_mbarrier(w, object);
  if (!m) return;
  std::erase_if(m->loads, [&](const TrackedLoad& l) { return l.phase <= m->passed; });
  const TrackedLoad load{m->phase, lane, op.row, &w};
  const auto same = [&](const TrackedLoad& l) { return l.phase == load.phase && l.row == load.row; };
  if (std::none_of(m->loads.begin(), m->loads.end(), same)) m->loads.push_back(load);
}

void ThreadChecker::threads_end(Warp& w, uint32_t lanes) {
  if (!checks(kCheckSync)) return;
  Op op;
  for (const BulkRead& r : w.checks->bulk_reads) {
    if (!(lanes >> r.lane & 1) || r.clock <= w.checks->waits(Agent::kBulkRead, r.lane)) continue;
    op.row = r.row;
    report("unfinished-copy", w, op, r.lane,
           "the thread ends while its copy from shared memory may still read there, and another block may write "
           "there. Wait with cp.async.bulk.commit_group and cp.async.bulk.wait_group.read 0 before the end",
           r.at, 0);
  }
  if (w.cta->exited < w.cta->threads) return;
  for (const auto& [object, m] : w.cta->checks->mbarriers) report_loads(w, object, m);
}

void ThreadChecker::report_loads(Warp& w, const void* object, const CheckedMbarrier& m) {
  if (!checks(kCheckSync)) return;
  Op op;
  for (const TrackedLoad& l : m.loads) {
    if (l.phase <= m.passed) continue;
    op.row = l.row;
    report("unfinished-copy", *l.warp, op, l.lane,
           fmt::format("the block ends before any of its threads waits for this copy, so it may write to another "
                       "block's shared memory; a wait for phase {} of the mbarrier {} is missing",
                       l.phase - 1, place_of_mbarrier(w, object)),
           0, 0);
  }
}

}  // namespace warplens::simt::ptx_machine
