// Loads and stores where the launch is counted. Lanes in a row and loads from one address are carried out in place:
// most are counted here, those of device memory that change what is known of its lines by the functions that the
// interpreter counts with. Everything else is left to the handler.
#include "warplens/run/sass/memory/memory.h"
#include "warplens/run/sass/translation/translate_memory.h"

namespace warplens::simt::sass_machine {

void Translator::memory_counted(const Op& op) {
  if (is_global(op) && op.size_bytes < 4) return call(op);
  Jumps slow, done;
  size_t nobody = 0;
  const Changes on = op.guarded ? guarded(op, &nobody) : all_active();
  Changes all;
  all.lanes = on.lanes;
  if (on.low == 0) {
    row_counted(op, all, &slow, &done);
  } else {
    code_.scalar(Scalar::kCompare, on.lanes, -1);
    const size_t some = code_.jump(When::kNotZero);
    row_counted(op, all, &slow, &done);
    code_.aim(some, code_.code.size());
    if (is_global(op) && !is_store(op)) {
      first_address(op, on);
      one_counted(op, on, &slow, &done);
    } else if (!is_global(op) && op.size_bytes <= 4) {
      row_counted(op, on, &slow, &done);
    }
  }
  aim_here(slow);
  call(op);
  if (op.guarded) {
    done.push_back(code_.jump());
    code_.aim(nobody, code_.code.size());
    issue(op);
  }
  aim_here(done);
}

/// Of lanes in a row, or else of loads from one address.
void Translator::row_counted(const Op& op, const Changes& on, Jumps* slow, Jumps* done) {
  const size_t no_run = unless_row(op, on);
  whole_address(op, kLanes * op.size_bytes, slow);
  if (is_global(op)) fetch_ahead(op);
  if (!is_global(op)) {
    is_store(op) ? store_run(op, on) : load_run(op, on);
    count_simple(op, on, simt::Shape::kRun);
  } else if (is_store(op)) {
    for (int twice = 0; twice < 2; ++twice) code_.push(kAddress);  // the stack stays aligned
    call_counter(op, on, reinterpret_cast<const void*>(count_row));
    for (int twice = 0; twice < 2; ++twice) code_.pop(kAddress);
    store_run(op, on);
  } else {
    load_run(op, on);
    count_load(op, on, simt::Shape::kRun, done);
  }
  done->push_back(code_.jump());
  code_.aim(no_run, code_.code.size());
  if (on.low == 0 && !is_global(op) && op.size_bytes >= 4 && !(is_store(op) && op.size_bytes == 16)) {
    if (!is_store(op)) {
      Jumps no_one;
      one_counted(op, on, &no_one, done);
      aim_here(no_one);
    }
    return as_before_counted(op, on, slow, done);
  }
  if (is_store(op) || op.size_bytes < 4) return slow->push_back(code_.jump());
  if (on.low != 0) code_.scalar(Scalar::kAdd, kAddress, kAhead);
  one_counted(op, on, slow, done);
}

/// Of a whole warp's lanes that lie as the last time, anywhere in shared memory.
void Translator::as_before_counted(const Op& op, const Changes& on, Jumps* slow, Jumps* done) {
  slow->push_back(unless_as_before(op, on));
  Jumps apart, moved;
  move_as_before(op, &apart);
  moved.push_back(code_.jump());
  aim_here(apart);
  shared_places(op, on, slow);
  is_store(op) ? store_scattered(op, on) : load_scattered(op, on);
  aim_here(moved);
  count_as_before(op, on);
  done->push_back(code_.jump());
}

void Translator::one_counted(const Op& op, const Changes& on, Jumps* slow, Jumps* done) {
  slow->push_back(unless_one(op, on));
  whole_address(op, op.size_bytes, slow);
  load_one(op, on);
  is_global(op) ? count_load(op, on, simt::Shape::kOne, done) : count_simple(op, on, simt::Shape::kOne);
  done->push_back(code_.jump());
}

/// A load from device memory of whole rows, or from one address.
void Translator::count_load(const Op& op, const Changes& on, simt::Shape shape, Jumps* done) {
  Jumps others;
  unless_read_before(op, shape, &others);
  count_simple(op, on, shape);
  done->push_back(code_.jump());
  aim_here(others);
  const auto* const counter =
      shape == simt::Shape::kRun ? reinterpret_cast<const void*>(count_row) : reinterpret_cast<const void*>(count_same);
  call_counter(op, on, counter);
}

/// Of the address; vectors and masks are lost.
void Translator::call_counter(const Op& op, const Changes& on, const void* counter) {
  if (op.guarded) count_on(op, on.lanes);
  code_.move_whole(kRdi, kWarp);
  code_.address(kRsi, &op);
  code_.move_whole(kRdx, kAddress);
  code_.scalar(Scalar::kMove, kRcx, on.lanes);
  code_.address(kRax, counter);
  code_.call(kRax);
  restore_masks();
}

}  // namespace warplens::simt::sass_machine
