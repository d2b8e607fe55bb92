// The costliest request of chosen instructions, kept to be drawn.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "warplens/kernel/access_sample.h"
#include "warplens/sass/op.h"

namespace warplens::sass {

struct Addresses;

/// Keeps the request when it costs more than those kept of this instruction: `cost` sectors or passes for `ideal`.
void watch_request(Warp& warp, const Addresses& at, uint32_t on, uint32_t size_bytes, bool shared, bool store, uint64_t cost,
                   uint64_t ideal);

/// Adds `sample`, or puts it in the place of a cheaper one of its instruction.
void keep_costliest(std::vector<kernel::AccessSample>* samples, const kernel::AccessSample& sample);

}  // namespace warplens::sass
