"""The answer of a tool: at most 2 KB, with missing facts, one next step, and the whole report as a resource."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from pydantic import BaseModel, Field

ANSWER_LIMIT_BYTES = 2048
_KEPT_REPORTS = 64


class Answer(BaseModel):
    """The answer of every tool."""

    ok: bool = Field(description="false: a defect, a wrong result, a slower version, or a failed run")
    verdict: str = Field(description="one sentence")
    details: list[str] = Field(default_factory=list, description="the most important first")
    not_known: list[str] = Field(default_factory=list, description="what this answer does not say; it is not a sign that all is well")
    next_step: str = Field(default="", description="one thing to do next")
    resource: str = Field(default="", description="the address of the whole report, as JSON")

    def fitted(self) -> Answer:
        """A copy whose JSON has at most 2 KB: details from the end are dropped and counted, then texts are cut."""
        answer, dropped = self.model_copy(deep=True), 0
        while _size(answer) > ANSWER_LIMIT_BYTES - 60 and len(answer.details) > 1:
            answer.details.pop()
            dropped += 1
        longest = 600
        while _size(answer) > ANSWER_LIMIT_BYTES - 60 and longest > 40:
            longest //= 2
            answer = answer.model_copy(update={
                "verdict": _cut(answer.verdict, longest), "next_step": _cut(answer.next_step, longest),
                "details": [_cut(d, longest) for d in answer.details], "not_known": [_cut(d, longest) for d in answer.not_known[:4]]})
        if dropped:
            answer.details.append(f"({dropped} more in the resource)")
        return answer


def _size(answer: Answer) -> int:
    return len(answer.model_dump_json().encode())


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


class Reports:
    """The latest whole reports, by number."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, str] = OrderedDict()
        self._next = 1

    def keep(self, report: Any) -> str:
        number, self._next = str(self._next), self._next + 1
        self._held[number] = json.dumps(report)
        if len(self._held) > _KEPT_REPORTS:
            self._held.popitem(last=False)
        return f"warplens://report/{number}"

    def text(self, number: str) -> str:
        if number not in self._held:
            raise KeyError(f"report {number} is gone: the server keeps the last {_KEPT_REPORTS}. Run the tool again")
        return self._held[number]
