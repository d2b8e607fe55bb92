// Copies between host and device, as several rules count them.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

struct CopyGroup {
  std::vector<const ProgramEvent*> copies;
  int64_t bytes = 0, copied_ns = 0;
  void add(const Context& context, const ProgramEvent& event) {
    copies.push_back(&event);
    bytes += context.bytes_of(event);
    copied_ns += event.duration_ns;
  }
};

inline bool is_pageable(const Context& c, const ProgramEvent& event) {
  return c.event_name(event).find("Pageable") != std::string_view::npos;
}

/// True if the wait in this copy's call was mostly communication: another rank, or the network. Such a wait remains,
/// however the copy is made.
bool waits_for_peers(const Context& context, const ProgramEvent& copy);

/// Adds to `change` that a copy, its operator and the waits for it vanish; the wait stays where it was for peers.
void remove_copies(const Context& context, const std::vector<const ProgramEvent*>& copies, Change& change);

/// Calls that wait for one of these copies: their own and a synchronization after it.
void stop_waiting(const Context& context, const std::vector<const ProgramEvent*>& copies, Change& change);

/// Fills counts, bytes and places.
void describe(const Context& context, const CopyGroup& group, Finding& finding);

}  // namespace warplens::findings
