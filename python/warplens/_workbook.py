"""Tables as sheets of an Excel workbook."""

from __future__ import annotations

import os
import re
from typing import Any

Path = str | os.PathLike[str]

_LONGEST_TEXT, _MOST_ROWS, _LONGEST_TITLE = 32_767, 1_048_575, 31  # Excel's limits; a row is the head
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        value = ", ".join(f"{name}: {_value(item)}" for name, item in value.items())
    elif isinstance(value, (list, tuple)):
        value = ", ".join(str(_value(item)) for item in value)
    if not isinstance(value, str):
        return value
    text = _NOT_IN_XML.sub("\ufffd", value)
    return ("'" + text if text.startswith("=") else text)[:_LONGEST_TEXT]  # a text, no formula


def write_workbook(path: Path, sheets: dict[str, list[dict[str, Any]]], overwrite: bool) -> None:
    """A sheet for each entry that has rows. Its heads are names with units."""
    import pandas

    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f"{os.fspath(path)} exists; overwrite=True replaces it")
    with pandas.ExcelWriter(path, engine="openpyxl") as book:
        for title, rows in sheets.items():
            if not rows:
                continue
            values = [{name: _value(value) for name, value in row.items()} for row in rows[:_MOST_ROWS]]
            pandas.DataFrame(values).to_excel(book, sheet_name=title[:_LONGEST_TITLE], index=False, freeze_panes=(1, 0))
