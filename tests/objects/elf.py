"""elf.py - What readelf says about an object file, and the bytes at an address."""

import re
import subprocess


def is_elf(path):
    """True for a file that begins as objects do."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


class Elf:
    """One object; |readelf| is the program that reads it."""

    def __init__(self, readelf, path):
        self.path = str(path)
        self._readelf = readelf
        self.segments = self._read("-l")
        self.dynamic = self._read("-d")

    def _read(self, option):
        run = subprocess.run([self._readelf, option, "-W", self.path], check=True,
                             capture_output=True, text=True)
        return run.stdout

    def header(self):
        """Returns the lines of the header."""
        return self._read("-h")

    def search_paths(self):
        """Returns the entries of RPATH and RUNPATH; empty ones are ''."""
        found = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", self.dynamic)
        return [entry for path in found for entry in path.split(":")]

    def symbols(self):
        """Yields (name, address, is defined, kind, binding) of every table of symbols."""
        pattern = re.compile(r"^\s*\d+: ([0-9a-f]+)\s+\S+ (\w+)\s+(\w+)\s+\w+\s+(\S+) (\S+)",
                             re.MULTILINE)
        for value, kind, binding, section, name in pattern.findall(self._read("-s")):
            yield name.split("@")[0], int(value, 16), section != "UND", kind, binding

    def bytes_at(self, address, size):
        """Returns |size| bytes that lie at |address| when it is loaded."""
        pattern = re.compile(r"^\s*LOAD\s+0x([0-9a-f]+) 0x([0-9a-f]+) 0x\S+ 0x([0-9a-f]+)",
                             re.MULTILINE)
        for numbers in pattern.findall(self.segments):
            offset, start, length = (int(number, 16) for number in numbers)
            if start <= address < start + length:
                with open(self.path, "rb") as file:
                    file.seek(offset + address - start)
                    return file.read(size)
        return b""
