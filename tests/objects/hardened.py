"""hardened.py - What users get is hardened as the build says.

    hardened.py READELF HARDENED BUILD_FOLDER OBJECT...

HARDENED is what cmake/BerthHarden.cmake found compiler and linker to have, by commas.
Each name has a function here that looks for it in an object.
"""

import json
import pathlib
import re
import sys

import elf

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ENDBR64 = bytes.fromhex("f30f1efa")
# Calls none of the functions that are checked.
WITHOUT_CHECKED_CALLS = ("_core.",)


def relro(obj):
    return "GNU_RELRO" in obj.segments


def bind_now(obj):
    return bool(re.search(r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b|\(BIND_NOW\)", obj.dynamic))


def noexecstack(obj):
    return bool(re.search(r"^\s*GNU_STACK\s.* RW\s", obj.segments, re.MULTILINE))


def pie(obj):
    return bool(re.search(r"Type:\s+DYN", obj.header())) and "(TEXTREL)" not in obj.dynamic


def stack_protector(obj):
    return any(name == "__stack_chk_fail" for name, _, is_defined, _, _ in obj.symbols() if not is_defined)


def fortify(obj):
    if pathlib.Path(obj.path).name.startswith(WITHOUT_CHECKED_CALLS):
        return True
    return any(re.fullmatch(r"__(?!stack)\w+_chk", name)
               for name, _, is_defined, _, _ in obj.symbols() if not is_defined)


def cet(obj):
    """True when whatever can be called from outside begins as a target of calls.

    The note that says so of the whole object is there only where the C library's own
    first and last objects have it.
    """
    entries = {name: address for name, address, is_defined, kind, binding in obj.symbols()
               if is_defined and kind == "FUNC" and binding == "GLOBAL" and
               (name == "main" or name.startswith(("berth_", "PyInit_", "cu", "nvml")))}
    return bool(entries) and all(obj.bytes_at(address, 4) == ENDBR64 for address in entries.values())


CHECKS = {"RELRO": relro, "BIND_NOW": bind_now, "NOEXECSTACK": noexecstack, "PIE": pie,
          "STACK_PROTECTOR": stack_protector, "FORTIFY": fortify, "CET": cet}
# What every source of ours is compiled with.
FLAGS = {"STACK_PROTECTOR": "-fstack-protector-strong", "FORTIFY": "-D_FORTIFY_SOURCE=", "CET": "-fcf-protection="}


def check_commands(build, hardened):
    """Yields the sources that are compiled without one of the flags."""
    folders = [ROOT / "src", ROOT / "cli", ROOT / "python", build / "gen"]
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        is_shipped = any(folder in path.parents for folder in folders)
        if not is_shipped or path.stem.endswith("_test"):
            continue
        for name in hardened:
            if name in FLAGS and FLAGS[name] not in entry["command"]:
                yield f"{path} is compiled without {FLAGS[name]}"


def main():
    readelf, hardened, build = sys.argv[1], sys.argv[2].split(","), pathlib.Path(sys.argv[3]).resolve()
    problems = list(check_commands(build, hardened))
    for path in sys.argv[4:]:
        obj = elf.Elf(readelf, path)
        problems += [f"{path} is built without {name}" for name in hardened if not CHECKS[name](obj)]
    print("\n".join(problems) or f"{len(sys.argv) - 4} objects have {', '.join(hardened)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
