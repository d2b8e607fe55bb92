#include "warplens/libraries/nccl/communicator.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/libraries/nccl/reduce.h"

namespace warplens::libraries {

Shares shares_of(const Operation& o, int rank, int ranks) {
  const auto all = static_cast<uint64_t>(ranks), own = static_cast<uint64_t>(rank);
  const bool root = o.peer == rank;
  switch (o.meet) {
    case Meet::kAllReduce: return {.left = o.count, .taken = o.count, .reduces = true};
    case Meet::kReduce: return {.left = o.count, .taken = root ? o.count : 0, .reduces = true};
    case Meet::kBroadcast: return {.left = root ? o.count : 0, .taken = o.count, .from = o.peer};
    case Meet::kSplit:
    case Meet::kAllGather: return {.left = o.count, .taken = o.count};
    case Meet::kReduceScatter: return {.left = o.count * all, .at = o.count * own, .taken = o.count, .reduces = true};
    case Meet::kAllToAll: return {.left = o.count * all, .at = o.count * own, .taken = o.count};
    case Meet::kGather: return {.left = o.count, .taken = root ? o.count : 0};
    case Meet::kScatter:
      return {.left = root ? o.count * all : 0, .at = o.count * own, .taken = o.count, .from = o.peer};
    case Meet::kSend:
    case Meet::kReceive: break;
  }
  return {};
}

Status Communicator::begin(const Operation& operation) {
  if (operation.meet == Meet::kSend) return meeting_.send(operation);
  if (operation.meet == Meet::kReceive) return {};
  const auto element = static_cast<uint64_t>(element_bytes(operation.element));
  return meeting_.leave_note(began_++, operation, shares_of(operation, rank(), ranks()).left * element);
}

Status Communicator::finish(const Operation& operation) {
  if (operation.meet == Meet::kSend) return {};
  if (operation.meet != Meet::kReceive) return finish_meeting(operation);
  WL_ASSIGN(const LeftNote message, meeting_.receive(operation.peer, stopped_));
  if (message.size_bytes() != operation.bytes())
    return invalid_input(fmt::format("{} by rank {}, where rank {} sent {} {}", text_of(operation), rank(),
                                     operation.peer, message.note().count, element_name(message.note().element)));
  std::memcpy(operation.out, message.elements(), message.size_bytes());
  return {};
}

Status Communicator::check_alike(const Operation& mine, const Note& other, int rank) const {
  if (other.meet == mine.meet && other.element == mine.element && other.reduction == mine.reduction &&
      other.count == mine.count && other.peer == mine.peer)
    return {};
  const Operation theirs{.meet = other.meet, .element = other.element, .count = other.count};
  return invalid_input(
      fmt::format("the ranks of a communicator call different things: rank {} {}, rank {} {}. A GPU "
                  "would hang or give wrong results. (Roots and reductions must be the same, too.)",
                  this->rank(), text_of(mine), rank, text_of(theirs)));
}

Status Communicator::finish_meeting(const Operation& operation) {
  const uint64_t number = finished_++;
  const Shares shares = shares_of(operation, rank(), ranks());
  const auto element = static_cast<uint64_t>(element_bytes(operation.element));
  std::vector<LeftNote> notes;
  uint64_t all_met = number;
  for (int other = 0; other < ranks(); ++other) {
    WL_ASSIGN(LeftNote note, meeting_.note_of(number, other, call_of(operation.meet), stopped_));
    WL_TRY(check_alike(operation, note.note(), other));
    all_met = std::min(all_met, note.note().met);
    notes.push_back(std::move(note));
  }
  const auto part = [&](int other) { return notes[static_cast<size_t>(other)].elements() + shares.at * element; };
  if (shares.taken != 0 && shares.reduces) {
    std::vector<const void*> parts;
    for (int other = 0; other < ranks(); ++other) parts.push_back(part(other));
    reduce(operation, parts, shares.taken, operation.out);
  } else if (shares.taken != 0 && shares.from) {
    std::memcpy(operation.out, part(*shares.from), shares.taken * element);
  } else if (shares.taken != 0) {
    for (int other = 0; other < ranks(); ++other)
      std::memcpy(static_cast<char*>(operation.out) + static_cast<uint64_t>(other) * shares.taken * element,
                  part(other), shares.taken * element);
  }
  meeting_.ended(number, all_met);
  return {};
}

double Communicator::factor_of(Reduction reduction) const {
  const auto index = static_cast<size_t>(reduction) - static_cast<size_t>(Reduction::kFirstOwn);
  return reduction >= Reduction::kFirstOwn && index < factors_.size() ? factors_[index] : 1;
}

Reduction Communicator::add_factor(double factor) {
  const std::lock_guard lock(mutex_);
  factors_.push_back(factor);
  return static_cast<Reduction>(static_cast<size_t>(Reduction::kFirstOwn) + factors_.size() - 1);
}

void Communicator::keep_error(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = text;
}

}  // namespace warplens::libraries
