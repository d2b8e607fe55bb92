// Comparison, selection, predicates.
#include "warplens/simt/lanes/compare.h"

#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/real.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

/// p = comparison [op c], q = !comparison [op c]; Op: d = p, e = q, c, logic, flags bit 15 = !c.
inline void finish_comparison(Warp& w, const Op& op, uint32_t compared) {
  uint32_t p = compared, q = ~compared;
  if (op.logic != PredicateLogic::kNone) {
    const uint32_t c = w.predicate(op.c) ^ (op.flags & 0x8000 ? kFull : 0);
    const auto joined = [&](uint32_t x) {
      return op.logic == PredicateLogic::kAnd ? x & c : op.logic == PredicateLogic::kOr ? x | c : x ^ c;
    };
    p = joined(p);
    q = joined(q);
  }
  set_predicate(w, op.d, p);
  set_predicate(w, op.e, q);
}

template <typename T, typename F>
inline void compare(Warp& w, const Op& op, F f) {
  const Stored<T>* a = w.lanes<Stored<T>>(op.a);
  const Stored<T>* b = w.lanes<Stored<T>>(op.b);
  finish_comparison(w, op, mask_of([&](uint32_t i) { return f(get<T>(a[i]), get<T>(b[i])); }));
}

template <typename T, uint32_t kHow, bool kFlush = false>
void add_comparison(HandlerTable& t, const Key& key) {
  t.add(key, [](Warp& w, const Op& op) {
    compare<T>(w, op, [](T a, T b) {
      if constexpr (kFlush) a = flush(a), b = flush(b);
      return holds<kHow>(a, b);
    });
  });
}

template <typename T, bool kFlush = false>
void add_comparisons(HandlerTable& t, const Key& type) {
  add_comparison<T, kEqual, kFlush>(t, "setp.eq" + type);
  add_comparison<T, kLess | kGreater, kFlush>(t, "setp.ne" + type);
  add_comparison<T, kLess, kFlush>(t, "setp.lt" + type);
  add_comparison<T, kLess | kEqual, kFlush>(t, "setp.le" + type);
  add_comparison<T, kGreater, kFlush>(t, "setp.gt" + type);
  add_comparison<T, kGreater | kEqual, kFlush>(t, "setp.ge" + type);
}

template <typename T, bool kFlush>
void add_real_comparisons(HandlerTable& t, const Key& type) {
  add_comparisons<T, kFlush>(t, type);
  add_comparison<T, kEqual | kUnordered, kFlush>(t, "setp.equ" + type);
  add_comparison<T, kLess | kGreater | kUnordered, kFlush>(t, "setp.neu" + type);
  add_comparison<T, kLess | kUnordered, kFlush>(t, "setp.ltu" + type);
  add_comparison<T, kLess | kEqual | kUnordered, kFlush>(t, "setp.leu" + type);
  add_comparison<T, kGreater | kUnordered, kFlush>(t, "setp.gtu" + type);
  add_comparison<T, kGreater | kEqual | kUnordered, kFlush>(t, "setp.geu" + type);
  add_comparison<T, kLess | kEqual | kGreater, kFlush>(t, "setp.num" + type);
  add_comparison<T, kUnordered, kFlush>(t, "setp.nan" + type);
}

template <typename T>
void select(Warp& w, const Op& op) {
  const Stored<T>*a = w.lanes<Stored<T>>(op.a), *b = w.lanes<Stored<T>>(op.b);
  const uint32_t c = w.predicate(op.c);
  for_lanes<T>(w, op.d, [=](uint32_t i) { return get<T>((c >> i) & 1 ? a[i] : b[i]); });
}

template <typename T, typename C>
void select_by_sign(Warp& w, const Op& op) {
  const bool flushing = op.flags & kFtz;
  map3<T, T, T, C>(w, op, [=](T a, T b, C c) {
    if constexpr (std::is_same_v<C, float>) c = flushing ? flush(c) : c;
    return c >= 0 ? a : b;
  });
}

template <typename T>
void test(Warp& w, const Op& op) {
  using U = Stored<T>;
  constexpr U kInfinity = sizeof(T) == 4 ? U{0x7f800000} : U(0x7ff0000000000000);
  constexpr U kSmallest = sizeof(T) == 4 ? U{0x00800000} : U(0x0010000000000000);
  const U* a = w.lanes<U>(op.a);
  const auto magnitude = [a](uint32_t i) { return static_cast<U>(a[i] << 1 >> 1); };
  uint32_t result = 0;
  switch (op.mode) {
    case 0: result = mask_of([&](uint32_t i) { return magnitude(i) < kInfinity; }); break;
    case 1: result = mask_of([&](uint32_t i) { return magnitude(i) == kInfinity; }); break;
    case 2: result = mask_of([&](uint32_t i) { return magnitude(i) <= kInfinity; }); break;
    case 3: result = mask_of([&](uint32_t i) { return magnitude(i) > kInfinity; }); break;
    case 4:
      result = mask_of(
          [&](uint32_t i) { return magnitude(i) < kInfinity && (magnitude(i) >= kSmallest || magnitude(i) == 0); });
      break;
    default: result = mask_of([&](uint32_t i) { return magnitude(i) < kSmallest && magnitude(i) != 0; }); break;
  }
  set_predicate(w, op.d, result);
}

}  // namespace

void add_compare_handlers(HandlerTable& t) {
  add_comparisons<uint16_t>(t, ".u16");
  add_comparisons<int16_t>(t, ".s16");
  add_comparisons<uint32_t>(t, ".u32");
  add_comparisons<int32_t>(t, ".s32");
  add_comparisons<uint64_t>(t, ".u64");
  add_comparisons<int64_t>(t, ".s64");
  add_real_comparisons<float, false>(t, ".f32");
  add_real_comparisons<float, true>(t, ".ftz.f32");
  add_real_comparisons<double, false>(t, ".f64");
  t.add("selp.16", &select<uint16_t>);
  t.add("selp.32", &select<uint32_t>);
  t.add("selp.64", &select<uint64_t>);
  t.add("slct.16.s32", &select_by_sign<uint16_t, int32_t>);
  t.add("slct.32.s32", &select_by_sign<uint32_t, int32_t>);
  t.add("slct.64.s32", &select_by_sign<uint64_t, int32_t>);
  t.add("slct.16.f32", &select_by_sign<uint16_t, float>);
  t.add("slct.32.f32", &select_by_sign<uint32_t, float>);
  t.add("slct.64.f32", &select_by_sign<uint64_t, float>);
  t.add("testp.f32", &test<float>);
  t.add("testp.f64", &test<double>);
  t.add("mov.pred", [](Warp& w, const Op& op) { set_predicate(w, op.d, w.predicate(op.a)); });
  t.add("not.pred", [](Warp& w, const Op& op) { set_predicate(w, op.d, ~w.predicate(op.a)); });
  t.add("and.pred", [](Warp& w, const Op& op) { set_predicate(w, op.d, w.predicate(op.a) & w.predicate(op.b)); });
  t.add("or.pred", [](Warp& w, const Op& op) { set_predicate(w, op.d, w.predicate(op.a) | w.predicate(op.b)); });
  t.add("xor.pred", [](Warp& w, const Op& op) { set_predicate(w, op.d, w.predicate(op.a) ^ w.predicate(op.b)); });
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
