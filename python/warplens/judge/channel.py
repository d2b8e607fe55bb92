"""Messages between the judge and a worker: a JSON header and raw arrays. Neither side runs what it reads."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

_LENGTH = struct.Struct("<Q")
_MOST_HEADER_BYTES = 1 << 24
_CHUNK = 1 << 20


class Broken(RuntimeError):
    """The other side closed the channel, or sent no valid message."""


class Channel:
    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def send(self, header: dict[str, Any], arrays: Sequence[bytes] = ()) -> None:
        text = json.dumps({**header, "sizes": [len(array) for array in arrays]}).encode()
        try:
            self._socket.sendall(_LENGTH.pack(len(text)) + text)
            for array in arrays:
                self._socket.sendall(array)
        except TimeoutError:
            raise
        except OSError as error:
            raise Broken(f"the channel is closed: {error}") from None

    def receive(self, most_bytes: int, until: float | None = None) -> tuple[dict[str, Any], list[bytes]]:
        """Raises Broken for a message that is not valid or has arrays of more than `most_bytes`, and TimeoutError."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, until))
        if length > _MOST_HEADER_BYTES:
            raise Broken(f"a header of {length} bytes")
        try:
            header = json.loads(self._read(length, until))
        except (ValueError, RecursionError):
            raise Broken("a header that is not JSON") from None
        sizes = header.get("sizes") if isinstance(header, dict) else None
        if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
            raise Broken("a header without sizes")
        if sum(sizes) > most_bytes:
            raise Broken(f"arrays of {sum(sizes)} bytes, where {most_bytes} are the most")
        return header, [self._read(size, until) for size in sizes]

    def _read(self, size: int, until: float | None) -> bytes:
        out = bytearray()
        while len(out) < size:
            self._socket.settimeout(None if until is None else max(0.01, until - time.monotonic()))
            try:
                part = self._socket.recv(min(_CHUNK, size - len(out)))
            except TimeoutError:
                raise
            except OSError as error:
                raise Broken(f"the channel is closed: {error}") from None
            if not part:
                raise Broken("the channel is closed")
            out += part
        return bytes(out)

    def close(self) -> None:
        self._socket.close()
