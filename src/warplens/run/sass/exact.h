// Which machine instructions are followed to the last bit: only a run of these leaves its results in memory.
#pragma once
#include "warplens/run/sass/word.h"

namespace warplens::simt::sass_machine {

/// By what the word says; handlers may know better (Op::inexact). tests/instructions_test.py holds it against a GPU.
bool is_followed_exactly(const Word& word);

}  // namespace warplens::simt::sass_machine
