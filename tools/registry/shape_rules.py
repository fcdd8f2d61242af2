"""shape_rules.py - Writes shapes.def: what TensorFlow infers about shapes, by op.

    shape_rules.py OPS.txt > src/op/shapes.def
    shape_rules.py --cases src/op/shapes.def > tests/data/golden/shape_rules.txt

OPS.txt has the ops to ask for, one a line; the second form writes what TensorFlow
infers for a few inputs of each, as tools/shape_cases.py does. Needs tensorflow 2.21. Every op is
built with inputs of unknown shapes, of every rank, and of sizes that are all
different; from what TensorFlow gives, and from what it refuses, a rule follows,
in the grammar that the top of shapes.def explains. A rule is kept when it says
what TensorFlow says about many more inputs, chosen at random; what it cannot
say is left out, and counted on standard error.
"""

import ast
import os
import random
import re
import sys
import textwrap

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402
from tensorflow.core.framework import attr_value_pb2, types_pb2  # noqa: E402
from tensorflow.python.client import pywrap_tf_session as c  # noqa: E402
from tensorflow.python.framework import op_def_registry  # noqa: E402

v1 = tf.compat.v1
HEAD = """\
# shapes.def - What TensorFlow infers about shapes, of ops without a function for
# it.
#
#   Op  input ... -> output ...
#
# An input, one for each argument, is
#   *         anything
#   [a,b,3]   of that rank; sizes of one name are equal, a number is that size,
#             ? is any
#   >2, <2    of a rank that is at least, at most that
#   =0        of the same shape as the first input
# and an output
#   ?         not known
#   [a,3,?]   of that rank; a name that an input has stands for its size
#   $k        in brackets: the size that the attribute k says
#   =0        what is known of the first input
#   @shape    what the attribute says: a shape, or a list with one for each
# Lists of inputs are looked at one by one, lists of outputs are alike.
#
# tools/registry/shape_rules.py wrote this file with TensorFlow; ops of whose
# shapes that knows nothing are left out, and at the end are those of which it
# knows more than a rule can say. A function of ops.def comes before a rule.
"""
PRIMES = [7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
          101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191]
# Their sizes follow from lists of numbers, of which one alone is tried.
LEFT_OUT = {"FractionalAvgPool", "FractionalMaxPool"}
# What is told: a shape of elements may be a scalar whose value, -1, is known, and values are not tried.
TOLD = {"EmptyTensorList": "<1 * -> []", "TensorListReserve": "<1 * -> []"}
# Of which a rule says less than TensorFlow, or refuses the same in other words.
OTHER_WORDS = {"BoostedTreesBucketize", "BoostedTreesMakeStatsSummary", "EmptyTensorList",
               "ExperimentalSleepDataset", "LinSpace", "TensorListReserve", "TensorListScatter",
               "TensorListScatterV2"}
MOST_RANK = 5
LIST = 2  # Values of a list.


class Op:
    """An op, with attributes that it can be built with; others with |seed|."""

    def __init__(self, definition, seed=None):
        self.definition = definition
        self.seed = seed
        self.name = definition.name
        self.attrs = {}
        self.types = {}
        self.ints = {}
        for attr in definition.attr:
            if seed is None or not self.vary(attr):
                self.choose(attr)
        self.inputs = [self.members(arg) for arg in definition.input_arg]
        self.outputs = [self.members(arg) for arg in definition.output_arg]

    def vary(self, attr):
        """Gives |attr| another value than the usual one, now and then."""
        value = attr_value_pb2.AttrValue()
        if self.seed.random() < 0.4 or self.is_number(attr):
            return False
        if attr.type == "bool":
            value.b = self.seed.random() < 0.5
        elif attr.type == "string" and attr.allowed_values.list.s:
            value.s = self.seed.choice(list(attr.allowed_values.list.s))
        elif attr.type == "string" and attr.HasField("default_value"):
            value.s = self.seed.choice([b"", b"s"])
        elif attr.type == "type":
            allowed = list(attr.allowed_values.list.type) or [types_pb2.DT_INT64, types_pb2.DT_BOOL]
            value.type = self.seed.choice(allowed)
            self.types[attr.name] = [value.type]
        elif attr.type == "int":
            least = attr.minimum if attr.has_minimum else attr.default_value.i - 1
            value.i = max(least, 0) + self.seed.choice([0, 1, 2, 3, 5])
            self.ints[attr.name] = value.i
        elif attr.type == "shape":
            value.shape.unknown_rank = True
        else:
            return False
        self.attrs[attr.name] = value
        return True

    def choose(self, attr):
        """Gives |attr| a value; ints become sizes that can be told apart."""
        value = attr_value_pb2.AttrValue()
        kind = attr.type
        if kind == "type":
            allowed = list(attr.allowed_values.list.type)
            wanted = [types_pb2.DT_FLOAT, types_pb2.DT_INT32, types_pb2.DT_QUINT8]
            if attr.HasField("default_value"):
                value.CopyFrom(attr.default_value)
            else:
                value.type = next((t for t in wanted if not allowed or t in allowed),
                                  allowed[0] if allowed else types_pb2.DT_FLOAT)
            self.types[attr.name] = [value.type]
        elif kind == "list(type)":
            value.list.type.extend([types_pb2.DT_FLOAT] * LIST)
            allowed = list(attr.allowed_values.list.type)
            if allowed and types_pb2.DT_FLOAT not in allowed:
                del value.list.type[:]
                value.list.type.extend([allowed[0]] * LIST)
            self.types[attr.name] = list(value.list.type)
        elif self.is_number(attr):
            value.i = LIST
        elif attr.HasField("default_value"):
            value.CopyFrom(attr.default_value)
        elif kind == "int":
            value.i = max(attr.minimum, 0) + 211 + 2 * len(self.ints)
            self.ints[attr.name] = value.i
        else:
            self.fill(attr, value)
        self.attrs[attr.name] = value

    def is_number(self, attr):
        return attr.type == "int" and any(
            attr.name == arg.number_attr
            for arg in [*self.definition.input_arg, *self.definition.output_arg])

    @staticmethod
    def fill(attr, value):
        kind = attr.type
        least = max(attr.minimum, 0) if attr.has_minimum else 0
        if kind == "string":
            allowed = attr.allowed_values.list.s
            value.s = allowed[0] if allowed else b"s"
        elif kind == "float":
            value.f = 1
        elif kind == "bool":
            value.b = False
        elif kind == "shape":
            for size in (193, 197):
                value.shape.dim.add().size = size
        elif kind == "tensor":
            value.tensor.CopyFrom(tf.make_tensor_proto(1.0))
        elif kind == "func":
            value.func.name = "f"
        elif kind == "list(shape)":
            for size in (193, 197)[:LIST]:
                value.list.shape.add().dim.add().size = size
        elif kind == "list(int)":
            value.list.i.extend([1] * max(least, 1))
        elif kind == "list(float)":
            value.list.f.extend([1.0] * max(least, 1))
        elif kind == "list(string)":
            value.list.s.extend([b"s"] * max(least, 1))
        elif kind == "list(func)":
            for _ in range(max(least, 1)):
                value.list.func.add().name = "f"
        elif kind == "list(bool)":
            value.list.b.extend([False] * max(least, 1))
        else:
            raise ValueError(f"{attr.name}: {kind}")

    def members(self, arg):
        """The types of the values of an argument; (types, is_list, is_ref)."""
        if arg.type_list_attr:
            return self.types[arg.type_list_attr], True, arg.is_ref
        one = self.types[arg.type_attr][0] if arg.type_attr else arg.type
        return ([one] * LIST, True, arg.is_ref) if arg.number_attr else ([one], False, arg.is_ref)


def old_graph(definition):
    """A graph in which an op that was removed since may be built."""
    graph, removed = tf.Graph(), definition.deprecation.version
    if removed > 0:
        versions = v1.GraphDef()
        versions.versions.producer = removed - 1
        with graph.as_default():
            tf.import_graph_def(versions)
    return graph


def placeholder(dtype, shape, is_ref, name):
    """A value of a shape: None, or sizes of which None is unknown."""
    dtype = tf.dtypes.as_dtype(dtype)
    if is_ref:
        return tf.raw_ops.VariableV2(shape=tf.TensorShape(shape), dtype=dtype, name=name)
    return v1.placeholder(dtype, shape, name=name)


def ask(op, shapes):
    """TensorFlow's answer: a list of shapes per output argument, or a text.

    |shapes| has one shape for each argument; lists repeat it.
    """
    graph = old_graph(op.definition)
    with graph.as_default():
        made, index = [], 0
        for (types, is_list, is_ref), shape in zip(op.inputs, shapes):
            values = []
            for dtype in types:
                values.append(placeholder(dtype, shape, is_ref, f"i{index}"))
                index += 1
            made.append(values if is_list else values[0])
        with graph._c_graph.get() as cg:
            desc = c.TF_NewOperation(cg, op.name, "n")
            for value in made:
                if isinstance(value, list):
                    c.TF_AddInputList(desc, [v._as_tf_output() for v in value])
                else:
                    c.TF_AddInput(desc, value._as_tf_output())
            for name, value in op.attrs.items():
                c.TF_SetAttrValueProto(desc, name, value.SerializeToString())
            try:
                c.TF_FinishOperation(desc)
            except Exception as error:  # noqa: BLE001 - of any class
                return str(error)
        graph._add_new_tf_operations()
        node = graph.get_operation_by_name("n")
        found, at = [], 0
        for types, _, _ in op.outputs:
            part = [out.shape.as_list() if out.shape.rank is not None else None
                    for out in node.outputs[at:at + len(types)]]
            at += len(types)
            found.append(part)
        return found


# ---- Deriving ----


def ranks(op, index):
    """Which ranks input |index| may have."""
    free = [None] * len(op.inputs)
    allowed = []
    for rank in range(MOST_RANK + 1):
        shapes = list(free)
        shapes[index] = [None] * rank
        if not isinstance(ask(op, shapes), str):
            allowed.append(rank)
    return allowed


def rank_rule(allowed):
    """The rule of an input of these ranks, or None."""
    if allowed == list(range(MOST_RANK + 1)):
        return "*"
    if len(allowed) == 1:
        return allowed[0]
    if allowed and allowed == list(range(allowed[0], MOST_RANK + 1)):
        return f">{allowed[0]}"
    if allowed and allowed == list(range(allowed[-1] + 1)):
        return f"<{allowed[-1]}"
    return None


class Names:
    """Which sizes are equal: sets of (input, dimension), and fixed numbers."""

    def __init__(self):
        self.parent = {}
        self.fixed = {}

    def find(self, key):
        while self.parent.get(key, key) != key:
            key = self.parent[key]
        return key

    def join(self, a, b):
        self.parent[self.find(b)] = self.find(a)


def chosen_sizes(op, rules, names, same):
    """Sizes of all inputs, different where they may be; and who has each."""
    shapes, owner, sizes = [], {}, {}
    for index, rule in enumerate(rules):
        if index in same:
            shapes.append(shapes[same[index]])
            continue
        rank = rule if isinstance(rule, int) else {"*": 2}.get(rule) or min(int(rule[1:]), 3)
        shape = []
        for at in range(rank):
            key = names.find((index, at))
            if key not in sizes:
                sizes[key] = names.fixed.get(key) or PRIMES[len(sizes)]
            owner.setdefault(sizes[key], key)
            shape.append(sizes[key])
        shapes.append(shape)
    return shapes, owner


EQUAL = re.compile(r"Dimensions must be equal, but are (\d+) and (\d+)")
BOTH = re.compile(r"Shapes? .*are \[([\d,]*)\] and \[([\d,]*)\]")
MUST = re.compile(r"Dimension must be (\d+) but is (\d+)")
RANKS = re.compile(r"Shapes must be equal rank, but are (\d+) and (\d+)")


def learn(op, rules):
    """Finds equal sizes; returns what TensorFlow gives in the end, or None."""
    names, same = Names(), {}
    for _ in range(30):
        shapes, owner = chosen_sizes(op, rules, names, same)
        answer = ask(op, shapes)
        if not isinstance(answer, str):
            return answer, shapes, owner, names, same
        both, equal, must = BOTH.search(answer), EQUAL.search(answer), MUST.search(answer)
        if both and "Dimension" in answer:
            pair = [[int(d) for d in text.split(",") if d] for text in both.groups()]
            try:
                first, second = sorted((shapes.index(pair[0]), shapes.index(pair[1])))
            except ValueError:
                return None
            if first == second or rules[first] != rules[second]:
                return None
            same[second] = first
        elif equal:
            a, b = (owner.get(int(text)) for text in equal.groups())
            if a is None or b is None:
                return None
            names.join(a, b)
        elif must:
            wanted, had = (int(text) for text in must.groups())
            if had not in owner:
                return None
            names.fixed[owner[had]] = wanted
        else:
            return None
    return None


def label(key, labels):
    if key not in labels:
        labels[key] = "abcdefghijklmnopqrstuvwxyz"[len(labels)]
    return labels[key]


def input_rules(rules, names, same, used, labels):
    """The texts of the inputs. Sizes that nothing else has are ?."""
    counts = {}
    for index, rule in enumerate(rules):
        for at in range(rule if isinstance(rule, int) and index not in same else 0):
            key = names.find((index, at))
            counts[key] = counts.get(key, 0) + 1
    texts = []
    for index, rule in enumerate(rules):
        if index in same:
            texts.append(f"={same[index]}")
        elif not isinstance(rule, int):
            texts.append(rule)
        else:
            sizes = []
            for at in range(rule):
                key = names.find((index, at))
                if key in names.fixed:
                    sizes.append(str(names.fixed[key]))
                elif counts[key] > 1 or key in used:
                    sizes.append(label(key, labels))
                else:
                    sizes.append("?")
            texts.append(f"[{','.join(sizes)}]")
    return texts


def attr_shapes(op, shapes):
    """The attribute that says all of |shapes|, or None."""
    for name, value in op.attrs.items():
        found = None
        if value.HasField("shape"):
            found = [value.shape] * len(shapes)
        elif value.list.shape:
            found = list(value.list.shape)
        if found is None or len(found) != len(shapes):
            continue
        texts = [None if s.unknown_rank else [None if d.size < 0 else d.size for d in s.dim]
                 for s in found]
        if texts == shapes and shapes and shapes[0] and 193 in shapes[0]:
            return name
    return None


def output_rule(op, rules, shapes, found, owner, used, same):
    """The text of an output, or None."""
    attr = attr_shapes(op, found)
    if attr is not None:
        return f"@{attr}"
    if any(shape != found[0] for shape in found):
        return None
    if not found:
        return "?"
    shape = found[0]
    if shape is None:
        return "?"
    for index, rule in enumerate(rules):
        is_named = not isinstance(rule, int) or index in same.values()
        if is_named and shape == shapes[index] and shape:
            return f"={index}"
    sizes = []
    for size in shape:
        attrs = [name for name, value in op.ints.items() if value == size]
        if size is None:
            sizes.append("?")
        elif attrs:
            sizes.append(f"${attrs[0]}")
        elif size in owner:
            if not isinstance(rules[owner[size][0]], int):
                return None
            used.add(owner[size])
            sizes.append(owner[size])
        else:
            sizes.append(str(size))
    return sizes


def derive(op):
    """The rule of |op|, or the reason why there is none."""
    free = ask(op, [None] * len(op.inputs))
    if isinstance(free, str):
        return None, f"cannot be built: {free[:90]}"
    rules = [rank_rule(ranks(op, i)) for i in range(len(op.inputs))]
    if None in rules:
        return None, "ranks with gaps"
    learned = learn(op, rules)
    if learned is None:
        return None, "sizes depend on each other in some other way"
    answer, shapes, owner, names, same = learned
    used, labels, outs = set(), {}, []
    for found in answer:
        rule = output_rule(op, rules, shapes, found, owner, used, same)
        if rule is None:
            return None, "sizes are worked out"
        outs.append(rule)
    texts = input_rules(rules, names, same, used, labels)
    for i, rule in enumerate(outs):
        if isinstance(rule, list):
            outs[i] = "[%s]" % ",".join(
                s if isinstance(s, str) else label(names.find(s), labels) for s in rule)
    return (texts, outs), None


# ---- Checking ----


def apply(op, rule, shapes):
    """What |rule| says about |shapes|: as ask(), but True for a refusal."""
    texts, outs = rule
    known, sizes = [], {}
    for text, shape in zip(texts, shapes):
        if text[0] == "[":
            names = [t for t in text[1:-1].split(",") if t]
            if shape is None:
                shape = [None] * len(names)
            if len(shape) != len(names):
                return True
            for name, size in zip(names, shape):
                wanted = int(name) if name.isdigit() else sizes.get(name)
                if name != "?" and None not in (wanted, size) and wanted != size:
                    return True
                if name != "?" and not name.isdigit() and size is not None:
                    sizes[name] = size
        elif text[0] == ">" and shape is not None and len(shape) < int(text[1:]):
            return True
        elif text[0] == "<" and shape is not None and len(shape) > int(text[1:]):
            return True
        elif text[0] == "=":
            other = known[int(text[1:])]
            if shape is not None and other is not None:
                if len(shape) != len(other) or any(
                        a != b for a, b in zip(shape, other) if None not in (a, b)):
                    return True
                shape = [a if a is not None else b for a, b in zip(shape, other)]
            shape = shape if shape is not None else other
            known[int(text[1:])] = shape
        known.append(shape)
    found = []
    for text, (types, _, _) in zip(outs, op.outputs):
        found.append([say(op, text, known, sizes, i) for i in range(len(types))])
    return found


def say(op, text, known, sizes, index):
    if text == "?":
        return None
    if text[0] == "=":
        return known[int(text[1:])]
    if text[0] == "@":
        value = op.attrs[text[1:]]
        shape = value.shape if value.HasField("shape") else value.list.shape[index]
        return None if shape.unknown_rank else [None if d.size < 0 else d.size for d in shape.dim]
    shape = []
    for name in text[1:-1].split(","):
        if name == "":
            continue
        if name[0] == "$":
            shape.append(op.ints[name[1:]])
        elif name.isdigit():
            shape.append(int(name))
        else:
            shape.append(sizes.get(name))
    return shape


def guess(text, seed, sizes):
    """A shape that |text| allows, mostly."""
    if text[0] == "[":
        names = [t for t in text[1:-1].split(",") if t]
    else:
        least = {"*": 0, "=": 0, "<": 0}.get(text[0], int(text[1:] or 0) if text != "*" else 0)
        names = ["?"] * seed.randint(least, least + 3)
        if text[0] == "<":
            names = names[:int(text[1:])]
    if seed.random() < 0.1:
        names = names + ["?"]
    shape = []
    for name in names:
        size = seed.choice([2, 3, 4, 5])
        if name.isdigit():
            size = int(name)
        elif name != "?":
            size = sizes.setdefault(name, size)
        shape.append(size if seed.random() < 0.95 else 9)
    return shape


def blur(shape, seed):
    """The same, of which less is known."""
    if seed.random() < 0.2:
        return None
    return [None if seed.random() < 0.25 else size for size in shape]


def cases(op, rule, count):
    """Random inputs for |rule|."""
    seed = random.Random(op.name)
    for _ in range(count):
        sizes, shapes = {}, []
        for text in rule[0]:
            shape = guess(text, seed, sizes)
            if text[0] == "=" and seed.random() < 0.8:
                shape = shapes[int(text[1:])]
            shapes.append(shape)
        yield [blur(shape, seed) for shape in shapes]


def others(op, count):
    """|op|, and the same with other attributes, where TensorFlow takes them."""
    seed = random.Random(op.name)
    for turn in range(count):
        other = Op(op.definition, seed) if turn % 2 and op.attrs else op
        if other is op or not isinstance(ask(other, [None] * len(op.inputs)), str):
            yield other


def wrong(usual, rule, count=60):
    """The first inputs about which |rule| and TensorFlow differ, or None."""
    for op, shapes in zip(others(usual, count), cases(usual, rule, count)):
        theirs, ours = ask(op, shapes), apply(op, rule, shapes)
        if isinstance(theirs, str) != (ours is True) or (ours is not True and theirs != ours):
            return shapes, theirs, ours
    return None


def rule_of(name):
    """The rule of an op as a text, or None; and why there is none."""
    definition = op_def_registry.get(name)
    if definition is None or name in LEFT_OUT:
        return None, "not registered" if definition is None else "left out"
    if name in TOLD:
        return TOLD[name], None
    op = Op(definition)
    rule, why = derive(op)
    bad = wrong(op, rule) if rule is not None else None
    if rule is None or bad is not None:
        return None, why or f"{rule}: {bad}"
    if all(text == "?" for text in rule[1]) and all(text == "*" for text in rule[0]):
        return None, "nothing is known"
    return " ".join([*rule[0], "->", *rule[1]]), None


def apart(name, function):
    """Calls |function| in a process of its own: TensorFlow does not survive all of them."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = repr(function(name))
        except Exception as error:  # noqa: BLE001 - of any class
            text = repr((None, f"{type(error).__name__}: {error}"))
        os.write(writer, text.encode()[:60000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None, text or "TensorFlow ends"


# ---- Cases for the tests ----


def show(shape):
    if shape is None:
        return "?"
    return "[%s]" % ",".join("?" if size is None else str(size) for size in shape)


def type_name(dtype):
    return tf.dtypes.as_dtype(dtype).name.replace("float32", "float").replace("float64", "double")


def attr_text(op, attr):
    """An attribute that has to be given, as tools/shape_cases.py writes it; None: it has not."""
    args = [*op.definition.input_arg]
    inferred = {name for arg in args for name in (arg.type_attr, arg.type_list_attr, arg.number_attr)}
    if attr.HasField("default_value") or attr.name in inferred:
        return None
    value = op.attrs[attr.name]
    texts = {"int": lambda: f"i:{value.i}", "bool": lambda: "b:false",
             "type": lambda: f"t:{type_name(value.type)}", "string": lambda: f"s:{value.s.decode()}",
             "shape": lambda: "sh:193,197", "list(shape)": lambda: "lsh:193;197",
             "list(type)": lambda: "lt:" + ",".join(map(type_name, value.list.type)),
             "list(int)": lambda: "li:" + ",".join(map(str, value.list.i))}
    return f"{attr.name}={texts[attr.type]()}"


def input_text(op, shapes):
    words = []
    for (types, is_list, is_ref), shape in zip(op.inputs, shapes):
        texts = [("ref-" if is_ref else "") + type_name(t) + show(shape) for t in types]
        words += ["(", *texts, ")"] if is_list else texts
    return " ".join(words)


def cases_of(line):
    """Lines of the golden file about one rule: what is inferred, and a refusal."""
    name, _, text = line.partition("  ")
    inputs, _, outputs = text.partition("->")
    op, rule = Op(op_def_registry.get(name)), (inputs.split(), outputs.split())
    attrs = " ".join(filter(None, (attr_text(op, attr) for attr in op.definition.attr)))
    found, refused = [], 0
    for shapes in cases(op, rule, 12):
        if any(is_ref and show(s).count("?") for (_, _, is_ref), s in zip(op.inputs, shapes)):
            continue
        answer = ask(op, shapes)
        is_refused = isinstance(answer, str)
        if len(found) - refused == 2 and not is_refused or refused and is_refused:
            continue
        refused += is_refused
        result = "! " + answer.replace("\n", "\\n").replace("\t", "\\t") if is_refused else " ".join(
            show(s) for part in answer for s in part)
        found.append("\t".join((name, attrs, input_text(op, shapes), result)))
    return "\n".join(dict.fromkeys(found)), None


def write_cases(path):
    for line in open(path):
        if line[0] not in "#\n" and line.split()[0] not in OTHER_WORDS:
            text, _ = apart(line.strip(), cases_of)
            if text:
                print(text)


def main():
    if sys.argv[1] == "--cases":
        write_cases(sys.argv[2])
        return
    rules, left = {}, {}
    for name in open(sys.argv[1]).read().split():
        rule, why = apart(name, rule_of)
        if rule is not None:
            rules[name] = rule
        else:
            left[name] = why
    sys.stdout.write(HEAD + "\n" + "".join(f"{n}  {r}\n" for n, r in rules.items()))
    known = [n for n, why in left.items() if why not in ("nothing is known", "not registered")
             and "It has been removed" not in why]
    sys.stdout.write("\n" + textwrap.fill("No rule: " + ", ".join(known), 78, initial_indent="# ",
                                          subsequent_indent="#   ", break_on_hyphens=False) + "\n")
    sys.stderr.write("".join(f"{name}\t{why}\n" for name, why in left.items()))
    sys.stderr.write(f"{len(rules)} rules, {len(left)} without\n")


if __name__ == "__main__":
    main()
