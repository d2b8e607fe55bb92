// Counted launches as a page for a browser.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/counters/program_report.h"
#include "warplens/launch/run.h"
#include "warplens/page/page.h"

namespace warplens::cli {

class CarriedPtx;

page::Page page_of(const launch::RunResult& result);
/// `others`: read from a file that was counted elsewhere.
page::Page page_of(const counters::ProgramReport& report, const std::string& title, bool others,
                   const CarriedPtx* program);

/// Runs or reads the operand of `invocation`, of the verb `kernel`, for a page. `gpu_flag`: the name of --device in the
/// user's verb.
Result<page::Page> kernel_page(const Invocation& invocation, const char* gpu_flag);

/// --page, where it was given.
Status write_kernel_page(const Invocation& invocation, const launch::RunResult& result);
Status write_kernel_page(const Invocation& invocation, const counters::ProgramReport& report);

}  // namespace warplens::cli
