"""Libraries that play CUPTI and the driver in tests, and programs beside them, compiled from C."""
import pathlib
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent


def compiler():
    """The C compiler here; ends the test as skipped where there is none."""
    found = shutil.which("cc") or shutil.which("gcc")
    if not found:
        sys.exit(77)
    return found


def library(source, folder, name, *with_libraries):
    """FOLDER/NAME from tests/SOURCE, linked with the libraries that are named."""
    path = pathlib.Path(folder) / name
    subprocess.run([compiler(), "-shared", "-fPIC", f"-Wl,-soname,{name}", TESTS / source, *with_libraries, "-o", path], check=True)
    return path


def program(source, folder, *with_libraries):
    path = pathlib.Path(folder) / pathlib.Path(source).stem
    subprocess.run([compiler(), TESTS / source, *with_libraries, "-o", path, "-ldl"], check=True)
    return path
