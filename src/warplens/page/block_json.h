// The blocks of a page, as JSON for its script.
#pragma once
#include "warplens/base/json.h"
#include "warplens/page/packed.h"
#include "warplens/page/page.h"

namespace warplens::page {

/// An object at the writer's place; its long columns go to `packed`, in the order in which data.js reads them.
void write_block(json::Writer& writer, Packed& packed, const Block& block);

}  // namespace warplens::page
