"""Tasks that a person sets out to do on a page, played with real clicks: each takes at most three. Typing is not a click."""
import pathlib
import re
import sys
import tempfile

import page_files
from browser import Browser

WARPLENS = pathlib.Path(sys.argv[1]).resolve()
MOST = 3


class Person:
    """One who opens a page and clicks; `read` is what is there."""

    def __init__(self, browser, page):
        self.browser, self.clicks = browser, 0
        browser.show(page)

    def click(self, selector, **where):
        self.clicks += 1
        self.browser.click(selector, **where)

    def tab(self, name):
        self.click(f"#tab-{name}")

    def type(self, selector, text, key="\ue007"):
        self.browser.run("const box = document.querySelector(arguments[0]); box.focus(); box.select?.()", selector)
        self.browser.actions(*[("key", letter) for letter in text], ("key", key))

    def press(self, selector, *keys):
        self.browser.run("document.querySelector(arguments[0]).focus()", selector)
        self.browser.actions(*[("key", key) for key in keys])

    def read(self, selector):
        return self.browser.wait(lambda: self.browser.run(
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).map(e => e.innerText).join('\\n')", selector))


def most_valuable_finding(person):
    assert re.search(r"1\. .+\s+.*saves about .* %", person.read("#overview"))


def backward_waits(person):
    """Which layer's backward waits for what?"""
    person.tab("timeline")
    person.type("#timeline input", "pass: backward")
    said = person.read("#timeline .details")
    assert "backward of aten::" in said and "before it" in said and "module" in said, said


def launch_of_kernel(person):
    person.tab("timeline")
    person.type("#timeline input", "gemm")
    person.click("#timeline .details button")
    assert re.search(r"cu\w*Launch\w*", person.read("#timeline .details h3")), person.read("#timeline .details")


def stack_of_kernel(person):
    """Which line of Python launched this kernel?"""
    person.tab("timeline")
    person.type("#timeline input", "layer_norm")
    assert re.search(r"stack\n.*\.py\(\d+\)", person.read("#timeline .details")), person.read("#timeline .details")


def time_of_part(person):
    """What does this stretch cost, by class?"""
    person.tab("timeline")
    x, y, width, height = person.browser.run("const b = document.querySelector('#timeline canvas').getBoundingClientRect(); "
                                             "return [b.x, b.y, b.width, b.height]")
    person.click("#timeline button[aria-pressed]")
    person.clicks += 1
    person.browser.actions(("move", x + width / 2, y + 40), ("down",), ("move", x + width * 0.9, y + height * 0.8), ("up",))
    said = person.read("#timeline .details")
    assert "By lane and class" in said and re.search(r"gemm\t\d+\t[\d.]+ us|gemm\t\d+\t[\d.]+ ms", said), said


def idle_cause(person):
    person.tab("idle")
    assert "launch-gap" in person.read("#idle")


def operator_of_shape(person):
    person.tab("operators")
    person.type("#operators input", "softmax", "\ue004")
    rows = person.read("#operators section:first-child tbody tr")
    assert "softmax" in rows and "addmm" not in rows, rows


def peak_owner(person):
    """What lives at the peak?"""
    person.tab("memory")
    assert re.search(r"[\d.]+ [KMG]iB", person.read("#memory tbody"))


def costliest_line(person):
    """Which line of this kernel costs most?"""
    person.tab("code")
    person.clicks += 1  # what the bars show
    person.type("#code select", "shared")
    person.click("#code .bar button")
    marked = person.browser.run("return [...document.querySelectorAll('#code tr.marked')].map(r => r.innerText)")
    assert page_files.COSTLIEST in person.read("#code [role=status]"), person.read("#code [role=status]")
    assert any("tile[threadIdx.x]" in row for row in marked) and any("LDS" in row for row in marked), marked


def conflict_picture(person):
    """Which lanes meet in a bank, and where in the code?"""
    person.tab("requests")
    assert re.search(r"32 passes \(1 needed\)", person.read("#requests")), person.read("#requests")[:300]
    person.click("#requests .place")
    assert person.browser.run("return document.querySelectorAll('#code tr.marked').length") > 1


def advice_to_code(person):
    """Where in the code is what the first finding is about?"""
    person.click("#kernel .place")
    assert person.browser.run("return document.querySelectorAll('#code tr.marked').length") > 1


def what_changed(person):
    """What changed since yesterday?"""
    assert re.search(r"(faster|slower|no change)", person.read("#change .facts"))
    person.tab("kernels")
    assert "explains" in person.read("#kernels thead")


def steps_aligned(person):
    person.tab("timeline")
    person.press("#timeline label select", "\ue015")
    assert re.search(r"base [\d.]+ ms, new [\d.]+ ms", person.read("#timeline .bar"))


def late_rank(person):
    person.tab("ranks")
    assert re.search(r"rank 3 came last in \d+ collectives", person.read("#ranks .facts"))
    person.press("#ranks canvas", "\ue014", "\ue015", "\ue015", "\ue015")
    assert re.search(r"rank 3, .*: \d+", person.read("#ranks [role=status]")), person.read("#ranks [role=status]")


def slower_benchmark(person):
    said = person.read("#change tbody")
    assert "slower" in said and "naive" in said, said


def where_warps_wait(person):
    """Samples of a program: which line waits, and for what?"""
    assert "LG throttle" in person.read("#launches tbody")
    person.click("#launches .place")
    assert "of the kernel" in person.read("main:not([hidden]) .code thead") and "LG throttle" in person.read("main:not([hidden]) .code")


def stalled_instruction(person):
    """At which instruction of the costliest line do the warps wait?"""
    person.click("#launches .place")
    person.click("main:not([hidden]) .bar button")
    marked = person.browser.run("return [...document.querySelectorAll('main:not([hidden]) .pane:last-child tr.marked')].map(r => r.innerText)")
    assert marked and any(re.match(r"[0-9a-f]{4}\t.*LG throttle", row) for row in marked), marked


def class_of_time(person):
    """What does the GPU do most?"""
    assert person.read("#overview .bars .name").startswith("gemm\n"), person.read("#overview .bars .name")


def length_of_step(person):
    """How long is a step, and how much of it is the GPU idle?"""
    assert re.search(r"A step takes [\d.]+ ms without the profiler", person.read("#overview")) and "GPU busy" in person.read("#overview .facts")
    person.tab("idle")
    assert re.search(r"idle", person.read("#idle thead"))


def costliest_module(person):
    person.tab("operators")
    assert re.search(r"GPT2|AdamW|Linear", person.read("#operators section:nth-of-type(2) tbody")), person.read("#operators section:nth-of-type(2)")


def costliest_python_line(person):
    person.tab("operators")
    assert re.search(r"\.py", person.read("#operators section:nth-of-type(3) tbody"))


def longest_launch(person):
    """How often does this kernel run, and how long is its longest launch?"""
    person.tab("kernels")
    person.type("#kernels input", "softmax", "\ue004")
    heads, row = person.read("#kernels thead"), person.read("#kernels tbody tr:first-child")
    assert "longest" in heads and re.search(r"softmax.* us", row, re.DOTALL | re.IGNORECASE), row


def share_of_optimizer(person):
    """Which share of GPU time does the optimizer take?"""
    person.tab("flames")
    person.press("#flames canvas", *["\ue015"] * 5)
    assert re.search(r"all › .* of all", person.read("#flames .details"))
    canvas = "document.querySelector('#flames canvas')"
    seen = person.browser.run(f"const c = {canvas}, b = c.getBoundingClientRect(), out = []; for (let x = 2; x < b.width; x += 8) {{ "
                              "c.dispatchEvent(new PointerEvent('pointermove', {clientX: b.x + x, clientY: b.y + 9 * 18})); "
                              "out.push(document.querySelector('#flames .details').textContent); } return out")
    assert any("Optimizer.step#AdamW.step" in each and "%" in each for each in seen), seen[:3]


def flames_from_below(person):
    """The same as a flame graph, whose root is at the bottom."""
    person.tab("flames")
    before = person.browser.run("return document.querySelector('#flames canvas').toDataURL()")
    person.click("#flames button[aria-pressed]")
    person.browser.frames()
    assert person.browser.run("return document.querySelector('#flames canvas').toDataURL()") != before


def finding_to_timeline(person):
    """Where in the timeline is what a finding is about?"""
    person.click("#overview .place")
    assert re.search(r"takes\n[\d.]+ (us|ms|ns)", person.read("#timeline .details")), person.read("#timeline .details")


def holder_at_peak(person):
    """In a memory snapshot, which line holds most at the peak, and does memory leak?"""
    assert "memory-leak" in person.read("#overview .finding")
    person.tab("memory")
    assert re.search(r"[\d.]+ [KMG]iB\t[\d.]+ %", person.read("#memory tbody tr:first-child"))


def machine_code_of_program(person):
    """In a program that was counted, which machine instructions is its costliest line?"""
    person.tab("code")
    person.click("#code .bar button")
    marked = person.browser.run("return [...document.querySelectorAll('#code .pane:last-child tr.marked')].map(r => r.innerText)")
    assert any(re.match(r"[0-9a-f]{4}\t\d+\t\S*(LDS|STG|IMAD|LDG|STS)", row) for row in marked), marked


def slower_kernels(person):
    """Which kernels became slower, and how much of the change is theirs?"""
    person.tab("kernels")
    person.type("#kernels input", "slower", "\ue004")
    row = person.read("#kernels tbody tr:first-child")
    assert "slower" in row and " %" in row, row


def interval_of_benchmark(person):
    """How sure is the difference?"""
    heads, row = person.read("#change thead"), person.read("#change tbody tr:first-child")
    assert "low" in heads and "high" in heads and "1.39" in row and "1.411" in row, (heads, row)
    person.tab("new")
    assert "confidence interval" in person.read("#new")


TASKS = {
    "profile_page": (most_valuable_finding, backward_waits, launch_of_kernel, stack_of_kernel, time_of_part, idle_cause, operator_of_shape,
                     peak_owner, class_of_time, length_of_step, costliest_module, costliest_python_line, longest_launch, share_of_optimizer,
                     flames_from_below, finding_to_timeline),
    "kernel_page": (costliest_line, conflict_picture, advice_to_code),
    "program_page": (machine_code_of_program,),
    "change_page": (what_changed, steps_aligned, slower_kernels),
    "ranks_page": (late_rank,),
    "results_page": (slower_benchmark, interval_of_benchmark),
    "counters_page": (where_warps_wait, stalled_instruction),
    "snapshot_page": (holder_at_peak,),
}


def main():
    with tempfile.TemporaryDirectory() as name, Browser(1280, 1000) as browser:
        for make, tasks in TASKS.items():
            page = getattr(page_files, make)(WARPLENS, pathlib.Path(name))
            for task in tasks if page else ():
                person = Person(browser, page)
                task(person)
                assert person.clicks <= MOST, (task.__name__, person.clicks)
                assert browser.console() == [], task.__name__


if __name__ == "__main__":
    main()
