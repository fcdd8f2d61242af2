"""tensorflow - What child processes of `berth run` import by this name: Berth.

The folder is put on the path of Python for processes that a program starts, where the
hook of their parent does not reach.
"""

import sys

from berth import _start

del sys.modules['tensorflow']
_start.install_tensorflow()

import tensorflow  # noqa: E402,F401  The real import, answered by the hook.
