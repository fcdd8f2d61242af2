#!/usr/bin/env python3
"""Writes src/base/script_table.inc: the script of every character, as TensorFlow's UnicodeScript has it.

    $BERTH_TF_PYTHON tools/script_table.py >src/base/script_table.inc
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

IN_A_LINE = 7


def main() -> None:
    """Prints where runs of one script begin: the first character times 256, and the script."""
    scripts = tf.strings.unicode_script(np.arange(0x110000, dtype=np.int32)).numpy()
    firsts = np.concatenate([[0], np.flatnonzero(np.diff(scripts)) + 1])
    words = [f"0x{first << 8 | int(scripts[first]):x}" for first in firsts.tolist()]
    print("// script_table.inc - Scripts of characters; written by tools/script_table.py.")
    for i in range(0, len(words), IN_A_LINE):
        print(", ".join(words[i:i + IN_A_LINE]) + ",")


if __name__ == "__main__":
    main()
