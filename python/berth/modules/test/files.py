"""files - Files and folders of a test, gone when it ends."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, Optional


class TestPath:
    """A file or folder of a test."""

    __test__ = False  # pytest collects classes of this name otherwise.

    def __init__(self, path: str) -> None:
        self.full_path = path

    def __fspath__(self) -> str:
        return self.full_path

    # ---- Files ----

    def open(self, mode: str = 'rt', encoding: str = 'utf8', errors: str = 'strict') -> Any:
        """Opens the file."""
        text = {} if 'b' in mode else {'encoding': encoding, 'errors': errors}
        return open(self.full_path, mode, **text)  # type: ignore[call-overload]

    def read_text(self, encoding: str = 'utf8', errors: str = 'strict') -> str:
        """Returns what is in the file."""
        with self.open('r', encoding, errors) as file:
            return file.read()

    def read_bytes(self) -> bytes:
        """Returns the bytes of the file."""
        with self.open('rb') as file:
            return file.read()

    def write_text(self, text: str, mode: str = 'w', encoding: str = 'utf8', errors: str = 'strict') -> None:
        """Writes a text to the file."""
        with self.open(mode, encoding, errors) as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = 'wb') -> None:
        """Writes bytes to the file."""
        with self.open(mode) as file:
            file.write(data)

    # ---- Folders ----

    def create_file(self, file_path: Optional[str] = None, content: Any = None, mode: str = 'w',
                    encoding: str = 'utf8', errors: str = 'strict') -> 'TestPath':
        """Makes a file in the folder."""
        made = TestPath(os.path.join(self.full_path, file_path or 'tmp_file'))
        os.makedirs(os.path.dirname(made.full_path), exist_ok=True)
        if isinstance(content, bytes):
            made.write_bytes(content)
        else:
            made.write_text(content or '', mode, encoding, errors)
        return made

    def mkdir(self, dir_path: Optional[str] = None) -> 'TestPath':
        """Makes a folder in the folder."""
        made = os.path.join(self.full_path, dir_path) if dir_path else tempfile.mkdtemp(dir=self.full_path)
        os.makedirs(made, exist_ok=True)
        return TestPath(made)


def _root(test: Any) -> str:
    path = os.path.join(test.get_temp_dir(), type(test).__qualname__, test._testMethodName)
    os.makedirs(path, exist_ok=True)
    return path


def folder(test: Any, name: Optional[str], cleanup: str) -> TestPath:
    """Makes a folder of a test."""
    path = os.path.join(_root(test), name) if name else tempfile.mkdtemp(dir=_root(test))
    os.makedirs(path, exist_ok=True)
    if cleanup != 'off':
        test.addCleanup(shutil.rmtree, path, ignore_errors=True)
    return TestPath(path)


def file(test: Any, name: Optional[str], cleanup: str) -> TestPath:
    """Makes an empty file of a test."""
    path = os.path.join(_root(test), name) if name else tempfile.mkstemp(dir=_root(test))[1]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb'):
        pass
    if cleanup != 'off':
        test.addCleanup(lambda: os.path.exists(path) and os.remove(path))
    return TestPath(path)
