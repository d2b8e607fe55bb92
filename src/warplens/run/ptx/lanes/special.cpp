// Handlers of approximations.
#include "warplens/simt/lanes/special.h"

#include "warplens/run/ptx/lanes/lanes.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {

#define WL_SPECIAL(name, function)                                                                                 \
  t.add(name ".approx.f32",                                                                                        \
        [](Warp& w, const Op& op) { map1<float, float>(w, op, [](float a) { return canonical(function(a)); }); }); \
  t.add(name ".approx.ftz.f32", [](Warp& w, const Op& op) {                                                        \
    map1<float, float>(w, op, [](float a) { return canonical(flush(function(flush(a)))); });                       \
  })

/// The quotient, and for quotients that a sum takes in, their factors.
template <bool kIsFull, bool kFlushes>
void add_division(HandlerTable& t, const Key& kind) {
  static constexpr Division division{kIsFull, kFlushes};
  t.add("div." + kind, [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) { return canonical(division.quotient(a, b)); });
  });
  t.add("numerator." + kind, [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) { return division.numerator(a, b); });
  });
  t.add("reciprocal." + kind,
        [](Warp& w, const Op& op) { map1<float, float>(w, op, [](float b) { return division.reciprocal_of(b); }); });
}

void add_special_handlers(HandlerTable& t) {
  WL_SPECIAL("ex2", ex2_of_any);
  WL_SPECIAL("lg2", lg2_of_any);
  WL_SPECIAL("sin", sine);
  WL_SPECIAL("cos", cosine);
  WL_SPECIAL("tanh", tanh_);
  WL_SPECIAL("rcp", reciprocal);
  WL_SPECIAL("sqrt", root);
  WL_SPECIAL("rsqrt", rsqrt);
  add_division<false, false>(t, "approx.f32");
  add_division<false, true>(t, "approx.ftz.f32");
  add_division<true, false>(t, "full.f32");
  add_division<true, true>(t, "full.ftz.f32");
  t.add("rcp.approx.ftz.f64", [](Warp& w, const Op& op) {
    map1<double, double>(w, op, [](double a) { return upper_half(flush64(1.0 / flush64(upper_half(a)))); });
  });
  t.add("rsqrt.approx.ftz.f64", [](Warp& w, const Op& op) {
    map1<double, double>(w, op,
                         [](double a) { return upper_half(flush64(1.0 / __builtin_sqrt(flush64(upper_half(a))))); });
  });
  t.add("rsqrt.approx.f64",
        [](Warp& w, const Op& op) { map1<double, double>(w, op, [](double a) { return 1.0 / __builtin_sqrt(a); }); });
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
