// Handlers that work on lanes are compiled once for each instruction set, in a namespace of its own, so that no copy
// made for one machine is linked into another; which ones run is chosen by emulator::lane_isa().
#pragma once

#ifndef WARPLENS_ISA_NAME
#define WARPLENS_ISA_NAME machine_code
#endif
