"""layers_test.py - Imports of Python that go up are found, wherever they stand."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402


def found(file, text, upward=()):
    """What check_layers says about |text| as the file python/berth/|file|."""
    return list(check_layers.check_python(file, text, upward, set()))


class UpwardImports(unittest.TestCase):

    def test_at_the_top(self):
        self.assertEqual(
            found("framework/graph.py", "from berth.ops import array_ops\n"),
            ["line 1: framework must not import ops (berth.ops)"])

    def test_inside_a_function(self):
        text = "def f():\n  if True:\n    import berth.eager.context\n"
        self.assertEqual(
            found("ops/math_ops.py", text),
            ["line 3: ops must not import eager (berth.eager.context)"])

    def test_for_types_only(self):
        text = "if TYPE_CHECKING:\n  from berth.client.session import Session\n"
        self.assertEqual(
            found("eager/context.py", text),
            ["line 2: eager must not import client (berth.client.session)"])

    def test_from_the_package_itself(self):
        self.assertEqual(
            found("base/devices.py", "from berth import _core, framework\n"),
            ["line 1: base must not import framework (berth.framework)"])
        self.assertEqual(
            found("framework/version.py", "from berth import __version__\n"),
            ["line 1: framework must not import berth (berth.__version__)"])

    def test_relative(self):
        self.assertEqual(
            found("framework/graph.py", "from ..ops import gen\n"),
            ["line 1: framework must not import ops (berth.ops)"])
        self.assertEqual(
            found("modules/test/case.py", "from ... import _start\n"),
            ["line 1: modules must not import _start (berth._start)"])
        self.assertEqual(found("framework/graph.py", "from . import node\n"), [])

    def test_by_name(self):
        text = "import importlib\nimportlib.import_module('berth.eager')\n"
        self.assertEqual(len(found("framework/gen.py", text)), 1)
        self.assertEqual(found("base/execution.py", text), [])

    def test_what_goes_down_is_fine(self):
        text = ("import numpy\nfrom berth import _core as core\n"
                "def f():\n  from berth.framework import node\n")
        self.assertEqual(found("ops/math_ops.py", text), [])
        self.assertEqual(found("__main__.py", "from berth._start import script"), [])


class Exceptions(unittest.TestCase):

    def test_one_that_is_listed_is_let_through_and_noted(self):
        used = set()
        entry = "ops/math_ops.py: berth.eager"
        text = "from berth.eager import context\n"
        self.assertEqual(list(check_layers.check_python(
            "ops/math_ops.py", text, {entry: "why"}, used)), [])
        self.assertEqual(used, {entry})


class Table(unittest.TestCase):

    def test_every_package_stands_on_those_before_it(self):
        seen = []
        for package, below in check_layers.PACKAGES.items():
            self.assertLessEqual(set(below), set(seen), package)
            seen.append(package)

    def test_the_package_keeps_to_it(self):
        count, problems = check_layers.check_package(ROOT / "python" / "berth")
        self.assertEqual(problems, [])
        self.assertGreater(count, 100)


if __name__ == "__main__":
    unittest.main()
