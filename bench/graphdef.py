"""Writes a GraphDef of a long chain of additions, without TensorFlow.

    graphdef.py COUNT FILE

From x, a placeholder, COUNT nodes lead to y, each adding the constant `one`.
"""

import struct
import sys


def field(number: int, payload: bytes) -> bytes:
    """Returns a length-delimited field."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def attr(name: str, value: bytes) -> bytes:
    """Returns an entry of NodeDef.attr."""
    return field(5, field(1, name.encode()) + field(2, value))


FLOAT = varint(6 << 3) + varint(1)  # AttrValue.type = DT_FLOAT
SCALAR = field(7, b"")              # AttrValue.shape without dimensions


def node(name: str, op: str, inputs: list[str], attrs: bytes) -> bytes:
    """Returns an entry of GraphDef.node."""
    parts = field(1, name.encode()) + field(2, op.encode())
    for text in inputs:
        parts += field(3, text.encode())
    return field(1, parts + attrs)


def chain(count: int) -> bytes:
    """Returns the GraphDef."""
    # TensorProto: dtype, tensor_shape, float_val.
    one = (varint(1 << 3) + varint(1) + field(2, b"")
           + field(5, struct.pack("<f", 1)))
    parts = [
        node("x", "Placeholder", [], attr("dtype", FLOAT)
             + attr("shape", SCALAR)),
        node("one", "Const", [], attr("dtype", FLOAT)
             + attr("value", field(8, one))),
    ]
    last = "x"
    for i in range(count - 1):
        parts.append(node(f"sum_{i}", "AddV2", [last, "one"],
                          attr("T", FLOAT)))
        last = f"sum_{i}"
    parts.append(node("y", "AddV2", [last, "one"], attr("T", FLOAT)))
    # VersionDef.producer of a TensorFlow of today.
    parts.append(field(4, varint(1 << 3) + varint(1882)))
    return b"".join(parts)


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        file.write(chain(int(sys.argv[1])))
