// The costliest request of chosen instructions, kept to be drawn.
#pragma once
#include <cstdint>

#include "warplens/run/sass/op.h"
#include "warplens/simt/requests/request.h"
#include "warplens/simt/requests/sample.h"

namespace warplens::simt::sass_machine {

/// Keeps the request when it costs more than those kept of this instruction: `cost` sectors or passes for `ideal`.
/// Joins are of loads; with kByAll `at` says of all lanes where they point.
void watch_request(Warp& warp, const Addresses& at, uint32_t on, uint32_t size_bytes, bool shared, bool store,
                   uint64_t cost, uint64_t ideal, Joins joins = Joins::kByActive);

}  // namespace warplens::simt::sass_machine
