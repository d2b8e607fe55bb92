// A module back to PTX text. parse(print(m)) equals m.
#pragma once
#include <string>

#include "warplens/isa/ptx/module.h"

namespace warplens::ptx {

std::string print(const Module& module);

/// One instruction with its guard, without indentation or newline: "@!%p1 add.s32 %r1, %r2, 3;"
std::string print(const Module& module, const Function& function, const Instruction& instruction);

/// ".visible .global .align 4 .b8 name[16] = {1, 2}" without semicolon.
std::string print(const Module& module, const Variable& variable);

}  // namespace warplens::ptx
