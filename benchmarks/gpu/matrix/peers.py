"""Peers written in Triton, as its tutorials teach them: python/warplens/triton_peers.py, without the rest of the package."""
import importlib.util
import pathlib

_file = pathlib.Path(__file__).resolve().parents[3] / "python/warplens/triton_peers.py"
_spec = importlib.util.spec_from_file_location("triton_peers", _file)
_peers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_peers)


def matmul(a, b, out):
    _peers.matmul(a, b, out)


def attention(q, k, v, out, causal):
    """(batch, heads, length, D), contiguous, as many heads of k and v as of q."""
    _peers.attention(q, k, v, causal, out)
