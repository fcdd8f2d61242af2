"""resource_loader - tf.resource_loader: files that lie beside the caller's."""

from __future__ import annotations

import os
import sys

__all__ = ['get_data_files_path', 'get_path_to_datafile', 'get_root_dir_with_all_resources', 'load_resource',
           'readahead_file_path']


def _folder_of_caller() -> str:
    """Returns the folder of the file that called a function of this module."""
    return os.path.dirname(os.path.abspath(sys._getframe(2).f_code.co_filename))


def get_data_files_path() -> str:
    """Returns the folder of the file that calls this."""
    return _folder_of_caller()


def get_path_to_datafile(path: str) -> str:
    """Returns the path of a file beside the one that calls this."""
    return os.path.join(_folder_of_caller(), path)


def get_root_dir_with_all_resources() -> str:
    """Returns the folder of the file that calls this."""
    return _folder_of_caller()


def load_resource(path: str) -> bytes:
    """Returns the bytes of a file of the package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(package, path), 'rb') as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = '128M') -> str:
    """Returns |path|: nothing has to be read ahead."""
    return path


def __dir__() -> list[str]:
    """Lists what TensorFlow has here."""
    return list(__all__)
