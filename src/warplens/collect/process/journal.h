// The recorder's messages to the `warplens record` that started the program: the files that it wrote, and errors. The
// program's own output is left alone.
#pragma once
#include <string>

namespace warplens::collect {

/// Adds a line "KIND<tab>PROCESS<tab>TEXT" to the journal; does nothing without one. Kinds: file, refused, stopped,
/// note.
void tell_journal(const std::string& journal, const char* kind, const std::string& text);

}  // namespace warplens::collect
