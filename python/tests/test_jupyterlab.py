"""warplens.page in JupyterLab itself: its server runs the notebook, and Chromium shows the widget."""
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = ROOT / "tests/data/traces/square.pt.trace.json.gz"
CELL = f"import warplens\nwarplens.page({str(TRACE)!r}, height=500)"

# Opens the notebook, runs it, and reads the page in the output's frame. Ends with 77 where there is no Chromium.
LOOK = """
import sys
sys.path.insert(0, {tests!r})
from browser import Browser
with Browser(1280, 900) as browser:
    browser.wait(lambda: browser.open({address!r}) is None)  # once the server answers
    browser.wait(lambda: browser.run("return window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"))
    browser.run("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    frame = browser.wait(lambda: browser.run("return document.querySelector('.jp-OutputArea-output iframe')"))
    print("WIDGET", browser.run("return document.querySelector('.jp-OutputArea-output iframe').closest('.jp-RenderedHTMLCommon') === null"))
    browser.call("POST", f"/session/{{browser.session}}/frame", {{"id": frame}})
    browser.wait(lambda: browser.run("return document.documentElement.dataset.ready === 'yes'"))
    browser.run("document.querySelector('#tab-timeline').click()")
    print(browser.run("return document.body.innerText"))
    print("SPANS", browser.run("return document.documentElement.dataset.spans"))
    print("LOADED", browser.run("return performance.getEntriesByType('resource').length"))
"""


@pytest.fixture
def lab(tmp_path):
    """The address of a notebook in a server of its own, which touches no one's settings."""
    pytest.importorskip("jupyterlab")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "page.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces")}
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser", "--ip=127.0.0.1", f"--port={port}",
         f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={tmp_path}", "--ServerApp.port_retries=0", "--LabApp.news_url=",
         "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
        env=os.environ | own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}/lab/tree/page.ipynb?token={token}"
    server.terminate()
    server.wait(30)


def test_the_widget_in_jupyterlab(lab):
    pytest.importorskip("anywidget")
    script = LOOK.format(tests=str(ROOT / "tests"), address=lab)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=400, check=False)
    if done.returncode == 77:
        pytest.skip("no Chromium here")
    assert done.returncode == 0, done.stderr
    words = done.stdout
    assert "WIDGET True" in words and "LOADED 0" in words, words
    assert TRACE.name in words and "Findings" in words, words
    assert int(words.partition("SPANS ")[2].split()[0]) > 0, words
