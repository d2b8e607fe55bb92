// Matrix instructions of a warp: mma, wmma, ldmatrix, stmatrix, movmatrix.
#pragma once
#include <cstdint>

#include "warplens/isa/ptx/types.h"
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Op: a, b, c, d = first of each operand's slots; e = first of the two scales' slots.
/// scale_places: first byte of the register in bits 0-1 and 4-5, lane of four in bits 2-3 and 6-7.
void run_mma(Warp& warp, const Op& op);
/// Op: a = address slot (32-bit shared), b = first of the registers' slots.
void run_ldmatrix(Warp& warp, const Op& op);
void run_stmatrix(Warp& warp, const Op& op);
/// Op: a, d = slots.
void run_movmatrix(Warp& warp, const Op& op);
/// Op: a = address slot (64-bit generic), b = first of the registers' slots, c = slot of the stride in elements.
void run_wmma_load(Warp& warp, const Op& op);
void run_wmma_store(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
