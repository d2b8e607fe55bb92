// A kernel's problems: cause, remedy, and saving. One rule a file.
#pragma once
#include <vector>

#include "warplens/report/report.h"

namespace warplens::report {

/// A finding, and the launch without its problem: the saving is the model's difference between the two.
struct Defect : Finding {
  Work mended;
  void promise(const KernelReport& report, const Work& without);
  /// Its saving beyond `first`, a fix that comes before it.
  void promise_beyond(const KernelReport& report, const Work& first, const Work& without);
};

/// The findings of every rule in the report, most valuable first.
std::vector<Defect> defects_of(const KernelReport& report);
/// The same as findings: fills its findings, most valuable first, and the time that remains after them. `more`: the
/// findings of rules outside this folder, beside those.
void find_defects(KernelReport* report, std::vector<Defect> more = {});

/// Sets levels by savings, if there are any, and sorts by value. A step that another builds on comes before it, if it
/// is worth a step of its own.
void rank(std::vector<Finding>* findings);

/// Adds the finding if its saving is worth reporting: one threshold for every cause. True if it is.
bool say(Defect finding, std::vector<Defect>* findings);

/// A rule adds its findings.
using Rule = void (*)(const KernelReport& report, std::vector<Defect>* findings);

void find_uncoalesced_access(const KernelReport& report, std::vector<Defect>* findings);
void find_bank_conflicts(const KernelReport& report, std::vector<Defect>* findings);
void find_divergence(const KernelReport& report, std::vector<Defect>* findings);
void find_low_occupancy(const KernelReport& report, std::vector<Defect>* findings);
void find_grid_shape(const KernelReport& report, std::vector<Defect>* findings);  // small-grid, tail-effect
void find_accidental_double(const KernelReport& report, std::vector<Defect>* findings);
void find_unfused_multiply_add(const KernelReport& report, std::vector<Defect>* findings);
void find_local_memory(const KernelReport& report, std::vector<Defect>* findings);  // spills, local-array
void find_atomic_contention(const KernelReport& report, std::vector<Defect>* findings);
void find_redundant_loads(const KernelReport& report, std::vector<Defect>* findings);
void find_unvectorised_access(const KernelReport& report, std::vector<Defect>* findings);
void find_partial_warps(const KernelReport& report, std::vector<Defect>* findings);
void find_excess_synchronization(const KernelReport& report, std::vector<Defect>* findings);
void find_dependence_chains(const KernelReport& report, std::vector<Defect>* findings);
void find_broadcast_loads(const KernelReport& report, std::vector<Defect>* findings);
void find_scattered_constants(const KernelReport& report, std::vector<Defect>* findings);
void find_global_exchange(const KernelReport& report, std::vector<Defect>* findings);
void find_small_blocks(const KernelReport& report, std::vector<Defect>* findings);
void find_register_tiles(const KernelReport& report, std::vector<Defect>* findings);
void find_rolled_loops(const KernelReport& report, std::vector<Defect>* findings);
void find_precise_functions(const KernelReport& report, std::vector<Defect>* findings);
void find_repeated_passes(const KernelReport& report, std::vector<Defect>* findings);
void find_no_tensor_cores(const KernelReport& report, std::vector<Defect>* findings);
void find_integer_division(const KernelReport& report, std::vector<Defect>* findings);

/// The share of the launch's time that `mended` saves by the model; 0 when it is no faster.
double saving(const KernelReport& report, const Work& mended);

/// Every kind of instruction of the launch times `factor`; its sectors stay.
void scale_instructions(double factor, Work* work);
/// One block's own time multiplied by `factor`: turns of a loop with all their waits.
void scale_block_cycles(double factor, Work* work);
/// One block's instruction time multiplied by `factor`; its waits for L2 and device memory stay.
void scale_instruction_cycles(double factor, Work* work);
/// One block's time if L1 answers its loads, with `factor` of its waits for L2 and device memory beyond that.
void set_block_cycles(double l1, double factor, Work* work);
/// A load's wait beyond L1, in cycles: for the last of the lines that a request asks for, from L2 and from DRAM.
struct Waits {
  double l2 = 0, dram = 0;
  void add(const Waits& other, double times) { l2 += times * other.l2, dram += times * other.dram; }
};
Waits waits_for(double lines);
/// The same as set_block_cycles above, where waits of `before` become those of `after`.
void set_block_cycles(double l1, const Waits& after, const Waits& before, Work* work);
/// One block's own time less `cycles`, but at least the time in which its warps can issue their instructions.
void spare_block_cycles(double cycles, Work* work);
/// Takes away that many sectors of loads, first of those that L1 answers.
void take_loads(double sectors, Work* work);
/// Warps of the launch.
double warps_of(const Work& work);

/// How often a warp comes to the line's instructions, on average: 1 in straight code.
double turns_of(const LineCounts& line, const Work& work);

/// The launch with operands in constant memory, or a tile in shared memory, for loads of one word by all lanes.
Work without_broadcasts(const KernelReport& report);

/// Do warps that load one word for all lanes walk through as few as constant memory has close at hand?
bool broadcasts_fit_constants(const KernelReport& report);

/// The launch in blocks of 256 threads that all have something to do, where its own are half as large at most.
Work in_larger_blocks(const KernelReport& report);
/// The launch with neighbouring threads at neighbouring addresses, where they were far apart.
Work coalesced(const KernelReport& report);
/// The launch with whole warps taking part in the steps of a tree, where few lanes of every warp did.
Work with_gathered_lanes(const KernelReport& report);
/// The share of the launch's time that `mended` saves beyond `first`, for a fix that comes after another.
double saving_beyond(const KernelReport& report, const Work& first, const Work& mended);
/// Do threads of a block store values between barriers that others then load?
bool exchanges_through_global(const KernelReport& report);

/// "file:line" of a line, without the folder; empty if it has none.
std::string place(const LineCounts& line);
/// The line that is shown as `place`; nullptr if there is none.
const LineCounts* line_at(const KernelReport& report, std::string_view place);

}  // namespace warplens::report
