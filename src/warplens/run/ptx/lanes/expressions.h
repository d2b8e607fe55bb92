// Handlers that are one expression of a, b and c: t.add() of a key, the types of result and sources, and the
// expression.
#pragma once
#include "warplens/run/ptx/lanes/lanes.h"

#define WL1(key, D, A, expression) \
  t.add(key, [](Warp& w, const Op& op) { map1<D, A>(w, op, [](A a) -> D { return static_cast<D>(expression); }); })
#define WL2(key, D, A, B, expression) \
  t.add(key,                          \
        [](Warp& w, const Op& op) { map2<D, A, B>(w, op, [](A a, B b) -> D { return static_cast<D>(expression); }); })
#define WL3(key, D, A, B, C, expression)                                                    \
  t.add(key, [](Warp& w, const Op& op) {                                                    \
    map3<D, A, B, C>(w, op, [](A a, B b, C c) -> D { return static_cast<D>(expression); }); \
  })
