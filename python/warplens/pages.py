"""The page of `warplens report` in a notebook: `warplens.page("trace.json.gz")`.

With anywidget (`pip install anywidget`) it is a widget, whose page and height can be set from Python; without it, HTML.
The page runs in a separate frame, without access to the notebook.
"""

from __future__ import annotations

import html
import os
from typing import Any

from . import _core
from ._command import output

_SANDBOX = "allow-scripts"

_WIDGET = """
export default { render({ model, el }) {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.width = '100%';
  frame.style.border = '0';
  const show = () => { frame.style.height = `${model.get('height')}px`; frame.srcdoc = model.get('page'); };
  model.on('change', show);
  show();
  el.append(frame);
} };
"""


class Page:
    """A page as text, which notebooks show in a frame. `.html` is the page; `.save(path)` writes it."""

    def __init__(self, text: str, height: int) -> None:
        self.html, self.height = text, height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page; a file that exists is an error."""
        _core.write_file(os.fspath(path), self.html.encode(), False)

    def _repr_html_(self) -> str:
        # IPython warns of HTML that is a frame and nothing else.
        return (f'<div><iframe sandbox="{_SANDBOX}" style="width:100%;height:{self.height}px;border:0" '
                f'srcdoc="{html.escape(self.html, quote=True)}"></iframe></div>')

    def widget(self) -> Any:
        """The page as an anywidget. Raises ImportError if anywidget is not installed."""
        import anywidget
        import traitlets

        class PageWidget(anywidget.AnyWidget):  # type: ignore[misc]
            _esm = _WIDGET
            page = traitlets.Unicode().tag(sync=True)
            height = traitlets.Int().tag(sync=True)

        return PageWidget(page=self.html, height=self.height)

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, display

        try:
            shown = self.widget()
        except ImportError:
            shown = HTML(self._repr_html_())
        display(shown)


def page(*paths: str | os.PathLike[str], flags: tuple[str, ...] = (), height: int = 780) -> Page:
    """The page of `warplens report PATHS FLAGS`, for notebooks. `height` is in pixels. Raises ValueError with the program's words."""
    return Page(output(["report", *(os.fspath(path) for path in paths), *flags]), height)
