"""file_io - tensorflow.python.lib.io.file_io, and tf.io.gfile: files by the names of both.

The work is done in `gfile`, whose errors are TensorFlow's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, Optional

from berth.modules import gfile

FileIO = GFile = gfile.GFile


def file_exists(filename: Any) -> bool:
    """True when there is such a file or folder."""
    return gfile.Exists(filename)


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """Returns all of a file."""
    with gfile.GFile(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Makes a file with the content."""
    with gfile.GFile(filename, 'w') as file:
        file.write(file_content)


def delete_file(filename: Any) -> None:
    """Removes a file."""
    gfile.Remove(filename)


def get_matching_files(filename: Any) -> list[str]:
    """Returns the files that match a pattern."""
    return gfile.Glob(filename)


def create_dir(dirname: Any) -> None:
    """Makes a folder."""
    gfile.MkDir(dirname)


def recursive_create_dir(dirname: Any) -> None:
    """Makes a folder and those above it."""
    gfile.MakeDirs(dirname)


def delete_recursively(dirname: Any) -> None:
    """Removes a folder and all that is in it."""
    gfile.DeleteRecursively(dirname)


def is_directory(dirname: Any) -> bool:
    """True for a folder."""
    return gfile.IsDirectory(dirname)


def list_directory(dirname: Any) -> list[str]:
    """Returns the names in a folder."""
    return gfile.ListDirectory(dirname)


# ---- tf.io.gfile ----


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file."""
    gfile.Copy(src, dst, overwrite)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file another name."""
    gfile.Rename(src, dst, overwrite)


def exists(path: Any) -> bool:
    """True when there is such a file or folder."""
    return gfile.Exists(path)


def glob(pattern: Any) -> list[str]:
    """Returns the files that match one of the patterns."""
    if isinstance(pattern, (list, tuple)):
        return [found for one in pattern for found in gfile.Glob(one)]
    return gfile.Glob(pattern)


def isdir(path: Any) -> bool:
    """True for a folder."""
    return gfile.IsDirectory(path)


def listdir(path: Any) -> list[str]:
    """Returns the names in a folder."""
    return gfile.ListDirectory(path)


def makedirs(path: Any) -> None:
    """Makes a folder and those above it."""
    gfile.MakeDirs(path)


def mkdir(path: Any) -> None:
    """Makes a folder."""
    gfile.MkDir(path)


def remove(path: Any) -> None:
    """Removes a file."""
    gfile.Remove(path)


def rmtree(path: Any) -> None:
    """Removes a folder and all that is in it."""
    gfile.DeleteRecursively(path)


def stat(path: Any) -> Any:
    """Returns the size and the times of a file."""
    return gfile.Stat(path)


def join(path: Any, *paths: Any) -> Any:
    """Joins parts of a path."""
    return os.path.join(path, *paths)


def walk(top: Any, topdown: bool = True, onerror: Optional[Callable[[Any], Any]] = None
         ) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a folder and those below it."""
    return gfile.Walk(top, topdown)


def get_registered_schemes() -> list[str]:
    """Returns the kinds of paths there are: plain ones."""
    return ['', 'file']
