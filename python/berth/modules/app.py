"""app - tf.app: the start of a program with flags."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

from berth.modules import flags

__all__ = ['flags', 'run']


def run(main: Optional[Callable[[list[str]], Any]] = None,
        argv: Optional[list[str]] = None) -> None:
    """Reads the flags, calls |main| with what is left of the command line, and exits."""
    main = main or sys.modules['__main__'].main
    words = list(sys.argv if argv is None else argv)
    if any(word in ('-h', '--help', '-help') for word in words[1:]):
        print(f'{words[0]}:\n{flags.FLAGS.get_help()}')
        sys.exit(1)
    sys.exit(main(flags.FLAGS(words, known_only=True)))


def __dir__() -> list[str]:
    """Lists what TensorFlow has here."""
    return list(__all__)
