"""wire - Numbers as protobuf messages write them."""

from __future__ import annotations


def varint(value: int) -> bytes:
    """Returns a number that is not negative, seven bits in a byte."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
