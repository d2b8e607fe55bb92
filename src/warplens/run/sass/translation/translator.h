// Writes a translation: see translation.h.
#pragma once
#include <string>
#include <vector>

#include "warplens/run/sass/op.h"
#include "warplens/run/sass/translation/assembler.h"

namespace warplens::simt::sass_machine {

/// The contents of registers: the warp, its rows, the active lanes, instructions left of the turn, targets in device
/// memory, and the constants below.
inline constexpr Gpr kWarp = kRbx, kRows = kRbp, kActive = kR12, kLeft = kR13, kReach = kR14, kConstants = kR15;

struct alignas(64) TranslatorConstants {
  // One word everywhere.
  uint32_t ones[16], signs[16], magnitudes[16], nans[16], exponents[16], float_ones[16], float_limits[16];
  uint64_t wide_signs[8], wide_magnitudes[8];
  // Permutations of vectors: every second word of two, and the inverse.
  uint32_t byte_places[16], evens[16], odds[16], first_turns[16], second_turns[16];
  // Lanes from the last to the first, and their bits in a mask.
  uint32_t backwards[16], backward_bits[32];
  uint64_t backward_pairs[8];
  uint32_t steps[5][32];  // bytes of so many lanes, of 1, 2, 4, 8 and 16 each
  int64_t read_cycles[4];
  int64_t farther[2][4];  // of a request for 2 and 3 lines, and for 4: see Answer::line_doublings
};
extern const TranslatorConstants kTranslatorConstants;

/// Comparisons of float vectors: never, less, equal, less or equal, greater, unequal, greater or equal, always,
/// ordered; then the unordered ones, each the opposite of the one at the other end.
inline constexpr uint8_t kFloatOrders[] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                           0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};

class Translator {
 public:
  /// `whole`: all lanes are active. `schedules`: of a launch that is counted, else nullptr.
  Translator(const std::vector<Op>& ops, uint32_t zero_row, bool whole, const std::vector<Schedule>* schedules)
      : ops_(ops), schedules_(schedules), zero_row_(zero_row), whole_(whole) {}
  /// The code, which begins with how it is entered.
  std::vector<uint8_t> translate();
  /// Where each instruction begins.
  std::vector<uint32_t> entries;

 private:
  /// Mask registers of both halves of the lanes that an instruction changes; 0: all lanes.
  struct Changes {
    int low = 0, high = 0;
    Gpr lanes = kActive;
    int of(int half) const { return half ? high : low; }
  };
  static constexpr int kActiveLow = 1, kActiveHigh = 2, kGuardLow = 3, kGuardHigh = 4, kResultLow = 5, kResultHigh = 6,
                       kMask = 7;  // the last: for general use

  void enter();
  void leave(uint32_t pc);
  void one(const Op& op);
  void arithmetic(const Op& op, const Changes& on);
  void translate_lanes(const Op& op, const Changes& on);
  Changes all_active() const { return whole_ ? Changes{} : Changes{kActiveLow, kActiveHigh, kActive}; }
  /// Lanes that the guard leaves on; jumps if there are none.
  Changes guarded(const Op& op, size_t* nobody);
  void call(const Op& op);
  void call_handler(const Op& op);
  void leave_if_stopped();
  void flow(const Op& op);
  void begin_region(const Op& op);
  void end_region(const Op& op);
  void branch(const Op& op);
  void go_to(const Op& op, uint32_t target);
  void restore_masks();

  // Where the launch is counted: see translate_counts.cpp.
  void count_on(const Op& op, Gpr lanes);
  struct Cost {  // beyond the latency: see Answer
    uint32_t extra_cycles = 0, line_doublings = 0;
    int extra_vector = -1;  // with cycles to be added everywhere
  };
  void issue(const Op& op) { issue(op, Cost()); }
  void issue(const Op& op, const Cost& cost);
  void branch_counted(const Op& op, uint32_t target);
  void go_to_counted(const Op& op, uint32_t target);

  /// Half a row: in memory, or still in the vector in which the last result was made.
  struct Source {
    Place place;
    int vector = -1;
  };
  void use(VectorOp op, int to, int first, const Source& second, int mask = 0);
  void load(int to, const Source& from, int mask = 0) { use(kLoadWords, to, 0, from, mask); }

  // Sources: rows, or constant lanes whose address is loaded first.
  bool is_zero(const Operand& o) const { return !o.fixed && o.row == zero_row_; }
  void address_sources(const Op& op);
  Source a(const Op& op, int half, int word = 0) const { return source(op.a, kRsi, half, word); }
  Source b(const Op& op, int half, int word = 0) const { return source(op.b, kRdi, half, word); }
  Source c(const Op& op, int half, int word = 0) const { return source(op.c, kR8, half, word); }
  Source source(const Operand& o, Gpr address, int half, int word) const;
  static Place constant(const void* row);
  static Place of_warp(size_t offset) { return {kWarp, static_cast<int32_t>(offset)}; }
  static Place of_row(uint32_t row, int half) {
    return {kRows, static_cast<int32_t>(row * sizeof(Lanes)) + half * static_cast<int32_t>(sizeof(Lanes) / 2)};
  }
  void finish(uint32_t row, const Changes& on, int half, int vector);
  /// One word everywhere.
  void fill(int vector, uint32_t word);
  /// Each word's bytes in another order: the place of each in its word, or 128 for none. Changes a vector `other`.
  void shuffle_bytes(int vector, uint32_t places, int other);
  /// The row that an instruction has written stays in vectors where `keeps_` says so.
  void forget(uint32_t row);

  // Predicates.
  void predicate(Gpr to, const Guard& guard);
  void set_predicate(uint8_t index, Gpr lanes, const Changes& on);
  /// Bits of `lanes` for a half, as the mask kMask.
  void mask_half(Gpr lanes, int half);

  // Memory: see translate_memory.cpp.
  using Jumps = std::vector<size_t>;
  void memory(const Op& op, const Changes& on);
  size_t unless_row(const Op& op, const Changes& on);
  size_t unless_one(const Op& op, const Changes& on);
  void memory_counted(const Op& op);
  void row_counted(const Op& op, const Changes& on, Jumps* slow, Jumps* done);
  void one_counted(const Op& op, const Changes& on, Jumps* slow, Jumps* done);
  void count_simple(const Op& op, const Changes& on, simt::Shape shape);
  void as_before_counted(const Op& op, const Changes& on, Jumps* slow, Jumps* done);
  size_t unless_as_before(const Op& op, const Changes& on);
  void count_as_before(const Op& op, const Changes& on);
  void windows_address(const Op& op, Jumps* otherwise);
  void move_as_before(const Op& op, Jumps* otherwise);
  void as_before(const Op& op, const Changes& on, Jumps* done);
  void learn_soon(const Op& op, const Changes& on, Jumps* learn);
  void learn_pattern_of(const Op& op, const Jumps& learn);
  void unless_read_before(const Op& op, simt::Shape shape, Jumps* slow);
  void count_load(const Op& op, const Changes& on, simt::Shape shape, Jumps* done);
  void call_counter(const Op& op, const Changes& on, const void* counter);
  void first_address(const Op& op, const Changes& on);
  void compare_row(int vector, uint32_t row, const Changes& on, bool first);
  void compare_rest(const Op& op, const Changes& on);
  size_t jump_unless_all(const Changes& on);
  void whole_address(const Op& op, uint32_t bytes, Jumps* slow);
  void first_place(const Op& op, Jumps* slow);
  void bytes_left(const Op& op, Jumps* slow);
  void host_address(const Op& op, Jumps* slow);
  void step_from_last(const Op& op, Gpr step);
  void fetch_ahead(const Op& op);
  void load_run(const Op& op, const Changes& on);
  void store_run(const Op& op, const Changes& on);
  void store_half(const Op& op, const Changes& on, int half, Gpr base, int32_t at);
  void load_one(const Op& op, const Changes& on);
  void shared_places(const Op& op, const Changes& on, Jumps* slow);
  void global_places(const Op& op, const Changes& on, Jumps* slow);
  void load_scattered(const Op& op, const Changes& on);
  void store_scattered(const Op& op, const Changes& on);
  void aim_here(const Jumps& jumps) {
    for (const size_t at : jumps) code_.aim(at, code_.code.size());
  }

  void load_constants(const Op& op, const Changes& on);
  void select(const Op& op, int half);
  void add(const Op& op, int half);
  void add_carry(const Op& op, int half);
  void multiply_add(const Op& op, int half);
  void multiply_add_wide(const Op& op, const Changes& on, int half);
  void shift_add(const Op& op, int half);
  void float_source(const Operand& o, int to, const Source& from);
  void floating(const Op& op, const Changes& on, int half);
  void flush(int vector);
  void one_nan(int vector);
  void shift(const Op& op, int half);
  void shift_wide(const Op& op, int half);
  void permute_bytes(const Op& op, int half);
  void multiply_add_carry(const Op& op, int half);
  void select_float(const Op& op, int half);
  void half_source(const Op& op, uint32_t number, int to, const Source& from);
  void halves(const Op& op, int half);
  void bfloat_source(const Op& op, uint32_t number, uint32_t part, int to, const Source& from);
  void bfloats(const Op& op, const Changes& on, int half);
  void float_extreme(const Op& op, int half);
  void special(const Op& op, const Changes& on, int half);
  void convert(const Op& op, const Changes& on, int half);
  void shuffle(const Op& op, const Changes& on);
  void load_rows(const Source& low, const Source& high, int mask);
  void double_signs(const Operand& o, int vector);
  void doubles(const Op& op, const Changes& on, int half);
  void to_double(const Op& op, const Changes& on, int half);
  void compare_doubles(const Op& op, int half);
  bool several_rows(const Op& op, const Changes& on);
  void extreme(const Op& op, int half);
  void logic(const Op& op, int half);
  void compare(const Op& op, int half);
  void compare_result(const Op& op, const Changes& on);
  /// One result in vector 0, and where there is one, lanes in the result masks.
  void compute(const Op& op, const Changes& on, int half);

  const std::vector<Op>& ops_;
  const std::vector<Schedule>* schedules_;
  uint32_t zero_row_;
  bool whole_;
  Assembler code_;
  static constexpr uint32_t kNoRow = ~uint32_t{0};
  static constexpr int kKept = 16;  // and the next: the halves of the row below
  uint32_t kept_ = kNoRow;
  bool keeps_ = false;  // being written
  struct Late {         // jumps from elsewhere to an instruction that expects a row in vectors
    size_t instruction;
    uint32_t row;
    size_t place;
  };
  std::vector<Late> late_;
  struct Jump {
    size_t at;
    uint32_t target;
  };
  std::vector<Jump> jumps_;     // to instructions
  std::vector<size_t> leaves_;  // to the end, with pc in eax
};

}  // namespace warplens::simt::sass_machine
