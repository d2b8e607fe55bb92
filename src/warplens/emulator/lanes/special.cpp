// Handlers of approximations.
#include "warplens/emulator/lanes/special.h"

namespace warplens::emulator::WARPLENS_ISA_NAME {

#define WL_SPECIAL(name, function)                                                                             \
  t.add(name ".approx.f32", [](Warp& w, const Op& op) {                                                        \
    map1<float, float>(w, op, [](float a) { return canonical(function(a)); });                                 \
  });                                                                                                          \
  t.add(name ".approx.ftz.f32", [](Warp& w, const Op& op) {                                                    \
    map1<float, float>(w, op, [](float a) { return canonical(flush(function(flush(a)))); });                   \
  })

void add_special_handlers(HandlerTable& t) {
  WL_SPECIAL("ex2", ex2);
  WL_SPECIAL("lg2", lg2);
  WL_SPECIAL("sin", sine);
  WL_SPECIAL("cos", cosine);
  WL_SPECIAL("tanh", tanh_);
  WL_SPECIAL("rcp", reciprocal);
  WL_SPECIAL("sqrt", root);
  WL_SPECIAL("rsqrt", rsqrt);
  t.add("div.approx.f32", [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) { return canonical(divide_approximately(a, b)); });
  });
  t.add("div.approx.ftz.f32", [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) {
      return canonical(flush(divide_approximately(flush(a), flush(b))));
    });
  });
  t.add("rcp.approx.ftz.f64", [](Warp& w, const Op& op) {
    map1<double, double>(w, op, [](double a) { return upper_half(flush64(1.0 / flush64(upper_half(a)))); });
  });
  t.add("rsqrt.approx.ftz.f64", [](Warp& w, const Op& op) {
    map1<double, double>(w, op,
                         [](double a) { return upper_half(flush64(1.0 / __builtin_sqrt(flush64(upper_half(a))))); });
  });
  t.add("rsqrt.approx.f64", [](Warp& w, const Op& op) {
    map1<double, double>(w, op, [](double a) { return 1.0 / __builtin_sqrt(a); });
  });
}

}  // namespace warplens::emulator::WARPLENS_ISA_NAME
