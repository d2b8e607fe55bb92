#include "warplens/trace/readers/kineto/chunk.h"

#include "warplens/base/text.h"
#include "warplens/trace/readers/kineto/rows.h"

namespace warplens::kineto {
namespace {

void note(Damage& damage, uint64_t offset, const char* at) {
  if (damage.count++ > 0) return;
  damage.first_offset = offset;
  for (const char* p = at;
       p < at + 40 && static_cast<unsigned char>(*p) >= 0x20 && static_cast<unsigned char>(*p) < 0x7F; ++p)
    damage.what += *p;
}

}  // namespace

std::unique_ptr<Chunk> ChunkParser::parse(std::string_view text, uint64_t offset, Stop& stop) {
  auto chunk = std::make_unique<Chunk>();
  interner_.start_chunk();
  const int64_t repaired_before = interner_.repaired();
  stop = parse_events(text.data(), text.data() + text.size(), offset, *chunk);
  chunk->texts = interner_.used();
  chunk->pool = interner_.pool();
  chunk->repaired_texts = interner_.repaired() - repaired_before;
  return chunk;
}

Stop ChunkParser::parse_events(const char* begin, const char* end, uint64_t offset, Chunk& chunk) {
  RowBuilder rows(chunk, interner_);
  bool after_damage = false;
  for (const char* p = begin;;) {
    p = skip_space(p);
    if (p >= end) return {Stop::kAllRead, end};
    if (*p == ',') {
      ++p;
      continue;
    }
    if (*p == ']') return {Stop::kArrayEnd, p + 1};
    Scan scan{p, false};
    if (*p == '{') scan = parse_event(p, event_);
    if (scan.ok) {
      ++chunk.events;
      if (!rows.add(event_)) note(chunk.unusable, offset + static_cast<uint64_t>(p - begin), p);
      p = scan.at;
      after_damage = false;
      continue;
    }
    if (*p == '{' && scan.at >= end) return {Stop::kInsideEvent, p};
    // One damaged place counts once, however many pieces of text it leaves behind.
    if (!after_damage) note(chunk.syntax, offset + static_cast<uint64_t>(scan.at - begin), scan.at);
    after_damage = true;
    p = find_event_start(begin, std::max(scan.at, p + (*p != '{')), end);
  }
}

}  // namespace warplens::kineto
