"""Pictures that follow the notebook's light or dark theme (JupyterLab, VS Code), or else the system's."""

from __future__ import annotations

import re

_LIGHT = ('[data-jp-theme-light="true"]', ".vscode-light")
_DARK = ('[data-jp-theme-light="false"]', ".vscode-dark")
_BOTH_HALVES = re.compile(r"<style>(.*?)@media \(prefers-color-scheme:dark\)\{(.*?)\}</style>", re.DOTALL)
_RULE = re.compile(r"([^{}]+)(\{[^{}]*\})")


def _under(themes: tuple[str, ...], rules: str) -> str:
    """The CSS rules, limited to pages with these themes."""
    return "".join(",".join(f"{theme} {selector}" for theme in themes) + body for selector, body in _RULE.findall(rules))


def themed_svg(svg: str) -> str:
    """A picture with a light and a dark style, which also follows the notebook's theme."""
    return _BOTH_HALVES.sub(lambda halves: halves[0].removesuffix("</style>") + _under(_LIGHT, halves[1]) + _under(_DARK, halves[2]) + "</style>", svg)


_HIDE, _SHOW = "{display:none}", "{display:block}"
_SWITCH = ("<style>.warplens-dark" + _HIDE + "@media (prefers-color-scheme:dark){.warplens-light" + _HIDE + ".warplens-dark" + _SHOW + "}"
           + _under(_LIGHT, ".warplens-light" + _SHOW + ".warplens-dark" + _HIDE) + _under(_DARK, ".warplens-dark" + _SHOW + ".warplens-light" + _HIDE) + "</style>")


def either(pictures: list[tuple[str, str]]) -> str:
    """A light and a dark picture: the page shows the one that fits its theme."""
    if not pictures:
        return ""
    return _SWITCH + "".join(f"<div style='max-width:720px'><div class='warplens-light'>{light}</div><div class='warplens-dark'>{dark}</div></div>"
                             for light, dark in pictures)
