"""gfile - tf.gfile: plain files, with TensorFlow's errors."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, Optional

from berth.base import naming

__all__ = ['Copy', 'DeleteRecursively', 'Exists', 'FastGFile', 'GFile', 'Glob', 'IsDirectory', 'ListDirectory',
           'MakeDirs', 'MkDir', 'Open', 'Remove', 'Rename', 'Stat', 'Walk']

_MODES = ('r', 'w', 'a', 'r+', 'w+', 'a+')


@contextlib.contextmanager
def as_errors(name: Any) -> Iterator[None]:
    """Turns an OSError about a file into one of tf.errors."""
    from berth.framework import errors

    try:
        yield
    except OSError as error:
        kinds: dict[type[OSError], Any] = {
            FileNotFoundError: errors.NotFoundError, FileExistsError: errors.AlreadyExistsError,
            PermissionError: errors.PermissionDeniedError}
        kind = kinds.get(type(error), errors.FailedPreconditionError)
        raise kind(None, None, f'{os.fspath(name)}; {error.strerror}') from None


@naming.public('platform.gfile')
class GFile:
    """A file, opened when it is first read or written."""

    def __init__(self, name: Any, mode: str = 'r') -> None:
        self._name, self._mode = name, mode
        self._file: Any = None
        self._is_binary = 'b' in mode
        if mode.replace('b', '') not in _MODES:
            from berth.framework import errors

            raise errors.InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")

    @property
    def name(self) -> Any:
        """The path it was made with."""
        return self._name

    @property
    def mode(self) -> str:
        """How it was to be opened."""
        return self._mode

    def _opened(self, verb: Optional[str] = None) -> Any:
        """Returns the open file; PermissionDeniedError when its mode does not allow |verb|."""
        wanted = {'reading': 'r', 'writing': 'wa'}
        if verb is not None and '+' not in self._mode and not set(wanted[verb]) & set(self._mode):
            from berth.framework import errors

            raise errors.PermissionDeniedError(None, None, f"File isn't open for {verb}")
        if self._file is None:
            with as_errors(self._name):
                # Bytes, always: places in the file are counted in them.
                self._file = open(self._name, self._mode.replace('b', '') + 'b')  # noqa: SIM115
        return self._file

    def _shown(self, data: bytes) -> Any:
        return data if self._is_binary else data.decode()

    def size(self) -> int:
        """Returns how many bytes the file has."""
        return Stat(self._name).length

    def write(self, file_content: Any) -> None:
        """Appends a text or bytes."""
        data = file_content.encode() if isinstance(file_content, str) else file_content
        self._opened('writing').write(data)

    def read(self, n: int = -1) -> Any:
        """Returns |n| bytes, or all that is left."""
        with as_errors(self._name):
            return self._shown(self._opened('reading').read(n))

    def seek(self, offset: Optional[int] = None, whence: int = 0, position: Optional[int] = None) -> None:
        """Goes to a place in the file."""
        place = position if offset is None else offset
        if place is None:
            raise TypeError('seek(): offset argument required')
        self._opened('reading').seek(place, whence)

    def tell(self) -> int:
        """Returns the place in the file."""
        return self._opened().tell()

    def seekable(self) -> bool:
        """Returns True: places can be chosen."""
        return True

    def readline(self) -> Any:
        """Returns the next line with its end, empty after the last."""
        return self._shown(self._opened('reading').readline())

    def readlines(self) -> list[Any]:
        """Returns the lines that are left."""
        return list(self)

    def __iter__(self) -> 'GFile':
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def flush(self) -> None:
        """Hands to the system what was written."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes it; the next use opens it anew."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> 'GFile':
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


FastGFile = Open = GFile


class FileStatistics:
    """What Stat() tells."""

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


def Exists(filename: Any) -> bool:
    """Returns whether there is such a file or folder."""
    return os.path.exists(filename)


def IsDirectory(dirname: Any) -> bool:
    """Returns whether it is a folder."""
    return os.path.isdir(dirname)


def Stat(filename: Any) -> FileStatistics:
    """Returns size and time of a file."""
    with as_errors(filename):
        found = os.stat(filename)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(filename))


def Remove(filename: Any) -> None:
    """Deletes a file."""
    with as_errors(filename):
        os.remove(filename)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file; AlreadyExistsError where there is one, unless told to replace it."""
    import shutil

    _check_free(newpath, overwrite)
    with as_errors(oldpath):
        if not (os.path.exists(newpath) and os.path.samefile(oldpath, newpath)):
            shutil.copyfile(oldpath, newpath)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Gives a file another name; AlreadyExistsError where there is one, unless told to replace it."""
    _check_free(newname, overwrite)
    with as_errors(oldname):
        os.replace(oldname, newname)


def _check_free(name: Any, overwrite: bool) -> None:
    from berth.framework import errors

    if not overwrite and os.path.exists(name):
        raise errors.AlreadyExistsError(None, None, 'file already exists')


def MkDir(dirname: Any) -> None:
    """Makes a folder in one that is there."""
    with as_errors(dirname), contextlib.suppress(FileExistsError):
        os.mkdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Makes a folder and those above it; one that is there is fine."""
    with as_errors(dirname):
        os.makedirs(dirname, exist_ok=True)


def DeleteRecursively(dirname: Any) -> None:
    """Deletes a folder and what is in it."""
    import shutil

    if not os.path.exists(dirname):
        from berth.framework import errors

        raise errors.NotFoundError(None, None, f'{os.fspath(dirname)} not found')
    with as_errors(dirname):
        shutil.rmtree(dirname)


def ListDirectory(dirname: Any) -> list[str]:
    """Returns the names in a folder."""
    if not os.path.isdir(dirname):
        from berth.framework import errors

        raise errors.NotFoundError(None, None, f'Could not find directory {os.fspath(dirname)}')
    return os.listdir(dirname)


def Glob(filename: Any) -> list[str]:
    """Returns the files that match a pattern, or one of a list of them."""
    import glob

    patterns = [filename] if isinstance(filename, (str, bytes, os.PathLike)) else filename
    return sorted(name for pattern in patterns for name in glob.glob(os.fspath(pattern)))


def Walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields (folder, folders in it, files in it) for a folder and those below it."""
    for here, folders, files in os.walk(top, topdown=in_order):
        folders.sort()
        yield here, folders, sorted(files)


def __dir__() -> list[str]:
    """Lists what TensorFlow has here."""
    return list(__all__)
