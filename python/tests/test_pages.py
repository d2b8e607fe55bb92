"""warplens.page: the page of `warplens report` in a notebook, with anywidget and without it."""
import pathlib

import pytest

import warplens

TRACE = pathlib.Path(__file__).resolve().parents[2] / "tests/data/traces/square.pt.trace.json.gz"


def test_page_is_shown_in_a_frame_of_its_own(tmp_path):
    page = warplens.page(TRACE)
    shown = page._repr_html_()
    assert 'sandbox="allow-scripts"' in shown and "allow-same-origin" not in shown
    assert "Content-Security-Policy" in page.html and "<script>" not in shown, "the page's text is escaped within the attribute"
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html
    with pytest.raises(FileExistsError):
        page.save(tmp_path / "page.html")


def test_page_as_widget():
    pytest.importorskip("anywidget")
    page = warplens.page(TRACE, height=300)
    widget = page.widget()
    assert widget.page == page.html and widget.height == 300


def test_bad_file_is_told():
    with pytest.raises(ValueError, match="no such file|cannot open|No such file"):
        warplens.page("nowhere.json")
