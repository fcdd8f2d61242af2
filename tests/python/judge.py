"""judge.py - Says how what a case gave differs from what it must give."""

from __future__ import annotations

import difflib
import re

import exempt
import normal
from oracle import Case, Expected, Outcome, compare, expected_of


def differences(what: str, expected: str, found: str) -> str:
    """Returns a readable diff, or "" when |found| matches |expected|."""
    if normal.matches(expected, found):
        return ""
    lines = difflib.unified_diff(
        expected.splitlines(), found.splitlines(), f"expected {what}",
        f"found {what}", lineterm="", n=1)
    text = "\n".join(lines)
    return (text or f"{what}: the last line's end differs") + "\n"


def said(exception: tuple[str, str] | None) -> str:
    return f"{exception[0]}: {exception[1]}" if exception else ""


def recorded(text: str) -> str:
    """A recorded text, scrubbed as what is compared with it."""
    text = re.sub(r"(?m)^ *<frames>\n|<debug marker>", "", text)
    return normal.without_noise(text)


def judge_modern(case: Case, expected: Expected, found: Outcome) -> str:
    """Compares with what TensorFlow 2.21 printed."""
    def both(what: str, theirs: str, ours: str) -> str:
        return differences(what, exempt.drop(case.stem, recorded(theirs)),
                           exempt.drop(case.stem, normal.without_noise(ours)))

    problems = both("stdout", expected.stdout, found.stdout)
    if expected.stderr is not None:
        problems += both("stderr", expected.stderr, found.stderr)
    return problems + both("exception", said(expected.exception),
                           said(found.exception))


def folded(text: str) -> str:
    """Drops what the guides are not exact about, line ends included."""
    return compare.squeeze(text).replace("\n", "").replace(" ", "")


def judge_classic(expected: Expected, found: Outcome) -> str:
    """Compares with a guide's listing, which shows no stderr.

    Where an exception ends the program the listing has nothing else.
    """
    problems = differences("exception", folded(said(expected.exception)),
                           folded(said(found.exception)))
    if expected.exception:
        return problems
    problems += differences("stdout", compare.squeeze(expected.stdout),
                            compare.squeeze(found.stdout))
    return problems + differences("stderr", "",
                                  compare.without_making_devices(found.stderr))


def judge(case: Case, found: Outcome) -> str:
    """Returns how |found| differs from what |case| must give; "" if it does not."""
    expected = expected_of(case)
    if case.style == "classic":
        problems = judge_classic(expected, found)
    else:
        problems = judge_modern(case, expected, found)
    if found.exit_code != expected.exit_code:
        problems += (f"exit status {found.exit_code}, "
                     f"expected {expected.exit_code}\n")
    # What stopped it says more than what is missing.
    if problems and found.exception and not expected.exception:
        problems += f"stopped by {said(found.exception)}\n"
    elif problems and found.exit_code not in (0, expected.exit_code):
        problems += found.stderr[-600:]
    return problems
