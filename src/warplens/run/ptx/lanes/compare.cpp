// Comparison, selection, predicates.
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

#define WL_COMPARE(key, T, expression) \
  t.add(key, [](Warp& w, const Op& op) { compare<T>(w, op, [](T a, T b) { return expression; }); })

template <typename T>
void add_integer_comparisons(HandlerTable& t, const Key& type) {
  WL_COMPARE("setp.eq." + type, T, a == b);
  WL_COMPARE("setp.ne." + type, T, a != b);
  WL_COMPARE("setp.lt." + type, T, a < b);
  WL_COMPARE("setp.le." + type, T, a <= b);
  WL_COMPARE("setp.gt." + type, T, a > b);
  WL_COMPARE("setp.ge." + type, T, a >= b);
}

template <typename T, bool kFlush>
void add_real_comparisons(HandlerTable& t, const Key& type) {
  const auto key = [&](const char* name) { return Key("setp.") + name + type; };
#define WL_REAL(name, expression)                                \
  WL_COMPARE(key(name), T, ([](T x, T y) {                       \
               if constexpr (kFlush) x = flush(x), y = flush(y); \
               return expression;                                \
             })(a, b))
  WL_REAL("eq", x == y);
  WL_REAL("ne", x < y || x > y);
  WL_REAL("lt", x < y);
  WL_REAL("le", x <= y);
  WL_REAL("gt", x > y);
  WL_REAL("ge", x >= y);
  WL_REAL("equ", !(x < y || x > y));
  WL_REAL("neu", !(x == y));
  WL_REAL("ltu", !(x >= y));
  WL_REAL("leu", !(x > y));
  WL_REAL("gtu", !(x <= y));
  WL_REAL("geu", !(x < y));
  WL_REAL("num", x == x && y == y);
  WL_REAL("nan", !(x == x && y == y));
#undef WL_REAL
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
  add_integer_comparisons<uint16_t>(t, "u16");
  add_integer_comparisons<int16_t>(t, "s16");
  add_integer_comparisons<uint32_t>(t, "u32");
  add_integer_comparisons<int32_t>(t, "s32");
  add_integer_comparisons<uint64_t>(t, "u64");
  add_integer_comparisons<int64_t>(t, "s64");
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
