"""match.py - Comparing texts that contain wildcards.

<time>, <tid>, <n>, <N> and <u64> in an expected text stand for any number (the
README of tests/data/oracle says which is which), <s> for a duration with its unit,
<any> for anything on one line. Log lines pad thread ids, so spaces in front of
one may differ.
"""

import difflib
import re

WILDCARDS = {
    r"<time>": r"\d+\.\d{6}",
    r" <tid>": r" +\d+",
    r"<n>": r"\d+",
    r"<N>": r"\d+",
    r"<u64>": r"\d+",
    r"<s>": r"[\d.e+]+ [mun]?s",
    r"<any>": r"[^\n]*",
}


def pattern_of(expected):
    """Returns a regular expression that matches what |expected| stands for."""
    pattern = re.escape(expected)
    for wildcard, meaning in WILDCARDS.items():
        pattern = pattern.replace(re.escape(wildcard), meaning)
    return re.compile(pattern)


def differences(what, expected, found):
    """Returns a readable diff, or "" when |found| matches |expected|."""
    if pattern_of(expected).fullmatch(found):
        return ""
    lines = difflib.unified_diff(
        expected.splitlines(keepends=True),
        found.splitlines(keepends=True),
        fromfile=f"expected {what}",
        tofile=f"found {what}",
    )
    return "".join(line if line.endswith("\n") else line + "\n<no newline>\n"
                   for line in lines)
