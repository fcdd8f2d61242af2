#!/usr/bin/env python3
"""check_style.py - The rules of CONTRIBUTING.md that a script can keep.

Each rule is a function that yields (line, text) for what breaks it. What is
exempt stands in tools/style_exemptions.txt, one `path: rule` per line; an
exemption that is no longer needed is an error too, so that the file only
shrinks.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXEMPTIONS = ROOT / "tools" / "style_exemptions.txt"
MAX_FUNCTION_LINES = 80
MAX_FILE_LINES = 1000

BANNED = ("strcpy strcat sprintf vsprintf atoi atol atof strtok alloca rand "
          "srand gets exit abort").split()
BASE_ONLY = ("malloc calloc realloc free strdup strndup getenv setenv putenv "
             "secure_getenv dlopen dlsym dlclose").split()
# The software GPU stands behind the vendor's own names.
VENDOR = re.compile(r"(cu|nvml|cublas|cublasLt|cudnn|cufft|cusolver|nccl)[A-Z]\w*")
# Kernels' own functions are static by a macro.
STATIC = r"\b(static|BERTH_GPU_FN)\b"
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else"}


def strip(text):
    """Blanks out comments, strings and preprocessor lines, keeping lines."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    text = token.sub(lambda m: '""' if m.group()[0] == '"' else
                     re.sub(r"[^\n]", " ", m.group()), text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
                  lambda m: re.sub(r"[^\n]", " ", m.group()), text,
                  flags=re.MULTILINE)


class Source:
    """A file, its text without comments, and the functions in it."""

    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.text = path.read_text()
        self.code = strip(self.text)
        self.is_header = path.suffix in (".h", ".cuh")
        self.folder = self.name.split("/")[0]
        self.is_base = self.name.startswith("src/base/")
        stem = path.stem
        self.is_test = (self.folder == "tests" or stem.endswith("_test") or
                        stem.endswith("_testing") or stem.endswith("_driver") or
                        stem.startswith("fake_"))
        self.functions = list(find_functions(self.code))

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1


def find_functions(code):
    """Yields (head, start, end) for every function at file level."""
    depth, start = 0, 0
    opened = None
    for match in re.finditer(r"[{};]", code):
        char, at = match.group(), match.start()
        if char == "{":
            if depth == 0:
                head = code[start:at].strip()
                opened = (head, at - len(code[start:at].lstrip()))
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                if opened and opened[0].endswith(")"):
                    yield opened[0], opened[1], at
                start, opened = at + 1, None
        elif depth == 0:
            start = at + 1


def function_name(head):
    """Returns what stands before the parameters of |head|."""
    depth = 0
    for at in range(len(head) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(head[at], 0)
        if depth == 0 and head[at] == "(":
            match = re.search(r"([A-Za-z_]\w*)\s*$", head[:at])
            return match.group(1) if match else ""
    return ""


# ---- Rules ----


def banned(source):
    """Functions nobody calls."""
    words = [w for w in BANNED if not (source.is_test and w in ("exit", "abort"))]
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(words) + r")\s*\(")
    for match in pattern.finditer(source.code):
        yield source.line_of(match.start()), f"{match.group(1)}() is banned"


def base_only(source):
    """Memory, environment and libraries through src/base."""
    if source.is_base or source.is_test or source.folder != "src":
        return
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(BASE_ONLY) + r")\s*\(")
    for match in pattern.finditer(source.code):
        yield source.line_of(match.start()), f"{match.group(1)}() outside base"


def opening(source):
    """A file opens with `// name - one sentence`."""
    first = source.text.split("\n", 1)[0]
    if not re.match(rf"// {re.escape(source.path.name)} - \S.*", first):
        yield 1, f"does not open with `// {source.path.name} - …`"


def guard(source):
    """A header's guard is its path."""
    if not source.is_header or source.folder == "examples":
        return
    parts = source.name.replace("include/berth/", "").replace("src/", "")
    wanted = "BERTH_" + re.sub(r"[^A-Za-z0-9]", "_", parts).upper() + "_"
    if f"#ifndef {wanted}\n#define {wanted}\n" not in source.text:
        yield 1, f"has no guard {wanted}"


def length(source):
    """Files of up to a thousand lines."""
    lines = source.text.count("\n")
    if lines > MAX_FILE_LINES:
        yield lines, f"has {lines} lines, {MAX_FILE_LINES} at most"


def function_length(source):
    """Functions of up to eighty lines."""
    for head, start, end in source.functions:
        lines = source.code.count("\n", start, end) + 1
        if lines > MAX_FUNCTION_LINES:
            yield (source.line_of(start),
                   f"{function_name(head)}() has {lines} lines")


def prefix(source):
    """berth_ is what can be seen from outside the file, and nothing else."""
    if source.is_test or source.folder != "src":
        return
    for head, start, _ in source.functions:
        name = function_name(head)
        if not name or name in KEYWORDS or name.isupper():
            continue
        is_visible = source.is_header or not re.search(STATIC, head)
        if source.name.startswith("src/softgpu/") and VENDOR.fullmatch(name):
            continue
        if is_visible != name.startswith("berth_"):
            what = "needs" if is_visible else "is static and must not have"
            yield source.line_of(start), f"{name}() {what} the prefix berth_"


def declared(source):
    """Every declaration in a header has a comment, its own or its group's."""
    if not source.is_header or source.is_test:
        return
    lines = source.text.split("\n")
    code = source.code.split("\n")
    pattern = re.compile(r"^(?!typedef|static|BERTH_GPU_FN|extern \"|return|\s|#|})"
                         r"[A-Za-z_][\w\s*]*\b(berth_\w+)\(")
    for number, line in enumerate(code):
        match = pattern.match(line)
        if not match:
            continue
        at = number
        while at > 0 and lines[at].strip():
            if lines[at].lstrip().startswith("//"):
                break
            at -= 1
        if not lines[at].lstrip().startswith("//"):
            yield number + 1, f"{match.group(1)}() has no comment"


def todo(source):
    """What is left to do has an issue."""
    for match in re.finditer(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))",
                             source.text):
        yield source.line_of(match.start()), f"{match.group(1)} without an issue"


RULES = (banned, base_only, opening, guard, length, function_length, prefix,
         declared, todo)


def types_twice(sources):
    """Yields what breaks the rule that no two types or tags share a name."""
    pattern = re.compile(r"^(?:typedef\s+)?(?:struct|union|enum)\s+(berth_\w+)\s*\{"
                         r"|^\}\s*(berth_\w+);", re.MULTILINE)
    where = {}
    for source in sources:
        # Tests may stand in for a backend, and fill in its types.
        if source.is_test or source.folder not in ("src", "include"):
            continue
        for match in pattern.finditer(source.code):
            name = match.group(1) or match.group(2)
            first = where.setdefault(name, source.name)
            if first != source.name:
                yield (f"{source.name}:{source.line_of(match.start())}: {name} is "
                       f"a type of {first} too")


def files():
    for folder in ("include", "src", "cli", "examples", "python", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cu", ".cuh"):
                yield path


def read_exemptions():
    if not EXEMPTIONS.exists():
        return set()
    lines = [line.split("#")[0].strip()
             for line in EXEMPTIONS.read_text().splitlines()]
    return {line for line in lines if line}


def main():
    exempt, used = read_exemptions(), set()
    sources = [Source(path) for path in files()]
    problems = list(types_twice(sources))
    for source in sources:
        for rule in RULES:
            key = f"{source.name}: {rule.__name__}"
            for line, text in rule(source):
                if key in exempt:
                    used.add(key)
                else:
                    problems.append(f"{source.name}:{line}: {text} "
                                    f"[{rule.__name__}]")
    problems += [f"{EXEMPTIONS.name}: `{key}` is not needed any more"
                 for key in sorted(exempt - used)]
    print("\n".join(problems) or f"{len(sources)} files keep the rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
