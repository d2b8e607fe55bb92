// Answers of queries in every format, written piece by piece.
#pragma once
#include <functional>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/output/table.h"
#include "warplens/query/answer.h"

namespace warplens::cli {

/// `to` gets the pieces in order. `head` precedes the answer: in JSON, the beginning of its object up to `rows`; in
/// text and Markdown, lines of text; CSV has no place for it. `width`: of terminal tables, 0 for no limit.
Status write_answer(const query::Answer& answer, Format format, std::string_view head, size_t width,
                    const std::function<Status(std::string_view)>& to);

}  // namespace warplens::cli
