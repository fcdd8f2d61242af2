"""test_oracle.py - The guides' scripts and the probes give what was recorded."""

from __future__ import annotations

import sys

import judge
import known
import normal
import oracle
import pytest

CASES = oracle.script_cases() + oracle.probe_cases()


@pytest.mark.parametrize("case", [known.parameter(case.name, case)
                                  for case in CASES])
def test_program(case: oracle.Case) -> None:
    """A program prints, logs and raises what TensorFlow does."""
    problems = judge.judge(case, oracle.execute(case, sys.executable))
    assert not problems, "\n" + problems


def test_known_names_something() -> None:
    """Every line of the list of known differences is about some test."""
    import fnmatch

    import test_api
    import test_autograph
    import test_graphs
    import test_programs
    import test_signatures
    import test_snippets
    names = ([case.name for case in CASES] + test_api.names() +
             test_graphs.names() + test_snippets.names() + test_programs.names() +
             test_signatures.names() + test_autograph.names())
    for pattern, reason in known.entries():
        assert reason, f"{pattern} has no reason"
        assert any(fnmatch.fnmatchcase(name, pattern) for name in names), pattern


def found(stdout: str = "", stderr: str = "",
          exception: tuple[str, str] | None = None,
          exit_code: int = 0) -> oracle.Outcome:
    return oracle.Outcome(stdout, stderr, exception, exit_code)


def test_the_judge_finds_differences() -> None:
    """A judge that lets everything pass would be worth nothing."""
    case = next(case for case in CASES
                if case.name == "s3_1_log_placement.cpu.modern/run")
    expected = oracle.expected_of(case)
    assert expected.stderr is not None
    assert not judge.judge(case, found(expected.stdout, expected.stderr))
    assert judge.judge(case, found(expected.stdout + " ", expected.stderr))
    assert judge.judge(case, found(expected.stdout, ""))
    assert judge.judge(case, found(expected.stdout, expected.stderr, None, 1))
    assert judge.judge(case, found(expected.stdout, expected.stderr,
                                   ("ValueError", "x")))


def test_wildcards_stand_for_numbers_only() -> None:
    assert normal.matches("with <N> MB at x.cc:<n>]", "with 12 MB at x.cc:34]")
    assert not normal.matches("with <N> MB", "with no MB")
    assert normal.scrub("I0000 00:00:1.5   77 a.cc:1] at 0x7f00000000 /d/x.py",
                        "/d") == "I0000 00:00:<time> <tid> a.cc:1] " \
                                 "at 0x<addr> <dir>/x.py"
