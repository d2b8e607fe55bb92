"""warplens.page in a notebook that runs: a kernel executes the cells, and Chromium draws their outputs."""
import base64
import html
import json
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = ROOT / "tests/data/traces/square.pt.trace.json.gz"
CELLS = f"import warplens\npage = warplens.page({str(TRACE)!r}, height=500)", "page", "from IPython.display import HTML\nHTML(page._repr_html_())"
WITHOUT_ANYWIDGET = "import sys\nsys.modules['anywidget'] = None"  # an import of it raises ImportError


def executed(*cells):
    """The notebook after its cells have run in a kernel of this interpreter."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return notebook


def output_of(cell):
    """The one output of a cell: no warning is beside it."""
    assert [each["output_type"] for each in cell.outputs] in (["display_data"], ["execute_result"]), cell.outputs
    return cell.outputs[0]["data"]


def shown_in_frame(folder, body):
    """The words of the page in the frame, once it says that it is ready, in Chromium without a network."""
    (folder / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{body}", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(ROOT / "tests")!r})
        from browser import Browser
        with Browser(900, 700) as browser:
            browser.open({str(folder / "notebook.html")!r})
            frame = browser.wait(lambda: browser.run("return document.querySelector('iframe')"))
            browser.call("POST", f"/session/{{browser.session}}/frame", {{"id": frame}})
            browser.wait(lambda: browser.run("return document.documentElement.dataset.ready === 'yes'"))
            print(browser.run("return document.body.innerText"))
            print("LOADED", browser.run("return performance.getEntriesByType('resource').length"))
            print("SAID", [line for line in browser.console() if "favicon" not in line])
        """)], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 77:
        pytest.skip("no Chromium here")
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_page(words):
    assert "Timeline" in words and "GPU busy" in words and TRACE.name in words, words
    assert "LOADED 0" in words and "SAID []" in words, words


def test_html_without_anywidget(tmp_path):
    notebook = executed(WITHOUT_ANYWIDGET, *CELLS)
    shown, same = (output_of(notebook.cells[k])["text/html"] for k in (2, 3))
    assert shown == same
    check_page(shown_in_frame(tmp_path, shown))


def test_widget(tmp_path):
    pytest.importorskip("anywidget")
    notebook = executed(*CELLS)
    view = output_of(notebook.cells[1])["application/vnd.jupyter.widget-view+json"]
    state = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"][view["model_id"]]["state"]
    assert state["height"] == 500 and TRACE.name in state["page"]
    module = base64.b64encode(state["_esm"].encode()).decode()
    values = html.escape(json.dumps({"page": state["page"], "height": state["height"]}), quote=False)
    check_page(shown_in_frame(tmp_path, textwrap.dedent(f"""
        <textarea id=values hidden>{values}</textarea>
        <script type=module>
        const values = JSON.parse(document.getElementById('values').value);
        const widget = (await import('data:text/javascript;base64,{module}')).default;
        widget.render({{ model: {{ get: name => values[name], on: () => {{}} }}, el: document.body }});
        </script>""")))
