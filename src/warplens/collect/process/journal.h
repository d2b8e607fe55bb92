// What the recorder tells the `warplens record` that started the program: which files there are, and what went wrong.
// The program's own output is left alone.
#pragma once
#include <string>

namespace warplens::collect {

/// Adds a line "KIND<tab>PROCESS<tab>TEXT" to the journal; nothing where there is none. Kinds: file, refused, stopped,
/// note.
void tell_journal(const std::string& journal, const char* kind, const std::string& text);

}  // namespace warplens::collect
