"""profile_views - Nodes as a profile shows them: by scopes, by inputs, or by types."""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, Optional

from berth.modules import profile_messages
from berth.modules.profile_messages import STATISTICS
from berth.modules.profile_nodes import Node, Nodes
from berth.modules.profile_options import Options

_ROOT = '_TFProfRoot'
_ORDERS = {'bytes': 'requested_bytes', 'peak_bytes': 'peak_bytes', 'residual_bytes': 'residual_bytes',
           'output_bytes': 'output_bytes', 'micros': 'exec_micros', 'accelerator_micros': 'accelerator_exec_micros',
           'cpu_micros': 'cpu_exec_micros', 'params': 'parameters', 'float_ops': 'float_ops'}
# What is at least asked for; nodes are looked at with all below them, or by themselves.
_LIMITS_OF_ALL = {'min_bytes': 'requested_bytes', 'min_peak_bytes': 'peak_bytes', 'min_residual_bytes': 'residual_bytes',
                  'min_output_bytes': 'output_bytes', 'min_micros': 'exec_micros',
                  'min_accelerator_micros': 'accelerator_exec_micros', 'min_cpu_micros': 'cpu_exec_micros'}
_LIMITS = {'min_params': 'parameters', 'min_float_ops': 'float_ops', 'min_occurrence': 'run_count'}
_MEMORY = {'bytes': 'requested_bytes', 'peak_bytes': 'peak_bytes', 'residual_bytes': 'residual_bytes',
           'output_bytes': 'output_bytes'}
_TIMES = {'micros': 'exec_micros', 'accelerator_micros': 'accelerator_exec_micros', 'cpu_micros': 'cpu_exec_micros'}
_TITLES = {'params': '# parameters', 'float_ops': '# float_ops', 'bytes': 'requested bytes', 'peak_bytes': 'peak bytes',
           'residual_bytes': 'residual bytes', 'output_bytes': 'output bytes', 'micros': 'total execution time',
           'accelerator_micros': 'accelerator execution time', 'cpu_micros': 'cpu execution time',
           'device': 'assigned devices', 'op_types': 'op types', 'input_shapes': 'input shapes'}


# ---- Numbers as texts ----


def _number(n: int) -> str:
    for size, unit in ((10 ** 9, 'b'), (10 ** 6, 'm'), (1000, 'k')):
        if n >= size:
            return f'{n / size:.2f}{unit}'
    return str(n)


def _time(micros: int) -> str:
    if micros < 1000:
        return f'{micros}us'
    return f'{micros / 1000:.2f}ms' if micros < 1000000 else f'{micros / 1000000:.2f}sec'


def _memory(count: int) -> str:
    if count < 1000:
        return f'{count}B'
    return f'{count / 1000:.2f}KB' if count < 1000000 else f'{count / 1000000:.2f}MB'


def _shapes(shapes: dict[int, list[int]], between: str) -> str:
    return between.join(f'{i}:{"x".join(map(str, shape)) or "unknown"}' for i, shape in sorted(shapes.items()))


def _matches(name: str, patterns: list[str]) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _times(options: Options) -> list[str]:
    """Returns the columns of times: all three go together."""
    return list(_TIMES) if 'micros' in options.select else [name for name in _TIMES if name in options.select]


def _legend(options: Options, first: list[str], occurrence: str) -> str:
    """Returns the titles of the columns, those of |first| before those of memory and time."""
    columns = [name for name in first if name in options.select]
    columns += [name for name in _MEMORY if name in options.select] + _times(options)
    if not first:
        columns += [name for name in ('params', 'float_ops') if name in options.select]
    columns += [name for name in ('device', 'op_types', 'occurrence', 'input_shapes') if name in options.select]
    titles = [occurrence if name == 'occurrence' else _TITLES[name] for name in columns]
    return f'node name | {" | ".join(titles)}\n'


# ---- What is shown ----


class _Shown:
    """A node, or all of one type, as a profile shows it."""

    def __init__(self, name: str, nodes: list[Node]) -> None:
        self.name, self.nodes = name, nodes
        self.picked = nodes
        self.children: list[_Shown] = []
        self.below: list[_Shown] = []  # Those of the children that are shown, or theirs.
        self.is_counted = False
        self.own = dict.fromkeys(STATISTICS, 0)
        self.all = dict.fromkeys([*STATISTICS, 'definition_count'], 0)
        self.text = ''

    def count(self, step: int, types: list[str]) -> None:
        """Looks at what the nodes of these types took."""
        if types == ['.*']:
            self.picked = self.nodes
        else:
            # One that matches two patterns counts twice, as in TensorFlow.
            self.picked = [node for pattern in types for node in self.nodes
                           if any(re.fullmatch(pattern, kind) for kind in node.types)]
        self.is_counted = bool(self.picked) or types == ['.*']
        took = [node.statistics(step) for node in self.picked]
        self.own = {name: sum(each[name] for each in took) for name in STATISTICS}

    def begin(self, with_own: bool = True) -> None:
        """Begins to add up, with its own or with nothing."""
        self.all = {**self.own, 'definition_count': 1} if with_own else dict.fromkeys(self.all, 0)

    def add(self, other: '_Shown') -> None:
        """Adds all of another one."""
        for name, value in other.all.items():
            self.all[name] += value

    def pair(self, name: str, show: Callable[[int], str]) -> str:
        """Returns its own and all, as texts."""
        return f'{show(self.own[name]) if self.is_counted else "--"}/{show(self.all[name])}'


def _is_shown(node: _Shown, options: Options, depth: int, limits_of_all: dict[str, str],
              limits: dict[str, str]) -> bool:
    if node.name == _ROOT:
        return True
    if depth > options.max_depth or any(
            node.all[name] < getattr(options, limit) for limit, name in limits_of_all.items()) or any(
            node.own[name] < getattr(options, limit) for limit, name in limits.items()):
        return False
    return _matches(node.name, options.show_name_regexes) and not _matches(node.name, options.hide_name_regexes)


def _sorted(nodes: list[_Shown], options: Options) -> list[_Shown]:
    """Returns nodes in the order that is asked for; those that are alike in it stay where they are."""
    if options.order_by in _ORDERS:
        return sorted(nodes, key=lambda node: -node.all[_ORDERS[options.order_by]])
    return sorted(nodes, key=lambda node: node.name.encode())


def _proto_shape(sizes: list[int]) -> Any:
    shape = profile_messages.TensorShapeProto(unknown_rank=not sizes)
    for size in sizes:
        shape.dim.add(size=size)
    return shape


def _node_proto(shown: _Shown) -> Any:
    """Returns a node as a message, with all that is shown below it."""
    proto = profile_messages.GraphNodeProto(name=shown.name, **shown.own,
                                            **{f'total_{name}': value for name, value in shown.all.items()})
    for node in shown.nodes:
        if node.device:
            proto.devices.append(node.device)
        for i, sizes in node.input_shapes.items():
            proto.input_shapes[i].CopyFrom(_proto_shape(sizes))
    proto.children.extend(_node_proto(child) for child in shown.below)
    return proto


# ---- By scopes and by inputs ----


def _scopes(nodes: Nodes) -> list[_Shown]:
    """Returns nodes as a tree of scopes."""
    made: dict[str, _Shown] = {node.name: _Shown(node.name, [node]) for node in nodes.ordered()}
    for name in list(made):
        parent = name.rpartition('/')[0]
        while parent and parent not in made:
            made[parent] = _Shown(parent, [Node(parent, '_kTFScopeParent')])
            parent = parent.rpartition('/')[0]
    roots = []
    for name in sorted(made, key=str.encode):
        parent = name.rpartition('/')[0]
        (made[parent].children if parent else roots).append(made[name])
    return roots


def _inputs(nodes: Nodes) -> list[_Shown]:
    """Returns the nodes that no other needs, with those that they need below."""
    made = {node.name: _Shown(node.name, [node]) for node in nodes.ordered()}
    needed = set()
    for node in nodes.ordered():
        for _, name in sorted(node.inputs.items()):
            needed.add(name)
            if name in made:
                made[node.name].children.append(made[name])
    return [shown for name, shown in made.items() if name not in needed]


class _Tree:
    """A profile of nodes with others below them; in a graph each is visited once."""

    def __init__(self, nodes: Nodes, options: Options, is_graph: bool) -> None:
        self.options, self.is_graph = options, is_graph
        self.visited: set[str] = set()
        self.root = _Shown(_ROOT, [Node(_ROOT, '_TFGraphParent' if is_graph else '_kTFScopeParent')])
        self.roots = (_inputs if is_graph else _scopes)(nodes)

    def _unvisited(self, nodes: list[_Shown]) -> Any:
        for node in nodes:
            if not self.is_graph or node.name not in self.visited:
                self.visited.add(node.name)
                yield node

    def show(self) -> tuple[str, Any]:
        """Returns the text and the message of the profile."""
        roots = self._counted(self.roots)
        for node in roots:
            self.root.add(node)
        if self.options.start_name_regexes != ['.*']:
            self.visited.clear()
            roots = self._starts(roots)
        self.visited.clear()
        self.root.below = roots
        self._printed([self.root], 1, 0)
        return _legend(self.options, ['params', 'float_ops'], 'op count (run|defined)') + self._text(self.root), \
            _node_proto(self.root)

    def _counted(self, nodes: list[_Shown]) -> list[_Shown]:
        """Returns the nodes that count, or in scopes have such below, with what these took added up."""
        found = []
        for node in self._unvisited(nodes):
            below = self._counted(node.children)
            node.count(self.options.step, ['.*'])
            types = self.options.account_type_regexes
            node.is_counted = types == ['.*'] or any(_matches(kind, types) for kind in node.nodes[0].types)
            if not node.is_counted and (self.is_graph or not below):
                found += below
                continue
            node.begin()
            node.below = below
            for child in below:
                node.add(child)
            found.append(node)
        return found

    def _starts(self, nodes: list[_Shown]) -> list[_Shown]:
        """Returns the nodes from which to begin."""
        found = []
        for node in self._unvisited(nodes):
            found += [node] if _matches(node.name, self.options.start_name_regexes) else self._starts(node.below)
        return found

    def _printed(self, nodes: list[_Shown], depth: int, indent: int) -> list[_Shown]:
        """Returns the nodes that are shown, with their lines."""
        found = []
        for node in self._unvisited(nodes):
            is_shown = _is_shown(node, self.options, depth, _LIMITS_OF_ALL, _LIMITS)
            below: list[_Shown] = []
            if depth <= self.options.max_depth and not _matches(node.name, self.options.trim_name_regexes):
                below = self._printed(node.below, depth + 1, indent + 2 * is_shown)
            if not is_shown:
                found += below
                continue
            node.below = _sorted(below, self.options)
            if self.options.account_displayed_op_only:
                node.begin()
                for child in node.below:
                    node.add(child)
            node.text = f'{" " * indent}{self._line(node)}\n'
            found.append(node)
        return found

    def _text(self, node: _Shown) -> str:
        return node.text + ''.join(self._text(child) for child in node.below)

    def _line(self, shown: _Shown) -> str:
        node, select, info = shown.nodes[0], self.options.select, []
        if 'params' in select:
            info += ['x'.join(map(str, node.shape))] if node.shape else []
            info.append(shown.pair('parameters', _number) + ' params')
        if 'float_ops' in select:
            info.append(shown.pair('float_ops', _number) + ' flops')
        info += [shown.pair(name, _memory) for column, name in _MEMORY.items() if column in select]
        info += [shown.pair(_TIMES[column], _time) for column in _times(self.options)]
        if 'device' in select and node.device:
            info.append(node.device)
        if 'op_types' in select:
            info.append('|'.join(sorted(node.types)))
        if 'occurrence' in select:
            defined = f'{1 if shown.is_counted else "--"}/{_number(shown.all["definition_count"])}'
            info.append(f'{shown.pair("run_count", _number)}|{defined}')
        if 'input_shapes' in select:
            info.append(_shapes(node.input_shapes, '|'))
        return f'{shown.name} ({", ".join(info)})'


def by_scopes(nodes: Nodes, options: Options) -> tuple[str, Any]:
    """Returns the text and the message of a profile by scopes."""
    return _Tree(nodes, options, False).show()


def by_inputs(nodes: Nodes, options: Options) -> tuple[str, Any]:
    """Returns the text and the message of a profile by inputs."""
    return _Tree(nodes, options, True).show()


# ---- By types ----


def by_types(nodes: Nodes, options: Options) -> tuple[str, Any]:
    """Returns the text and the message of a profile by types; each has all below it in its own."""
    kinds: dict[str, list[Node]] = {}
    for node in nodes.ordered():
        kinds.setdefault(node.kind, []).append(node)
    every = [_Shown(kind, kinds[kind]) for kind in sorted(kinds, key=str.encode)]
    for shown in every:
        shown.count(options.step, options.account_type_regexes)
        shown.begin()
    every = _sorted(every, options)
    if options.order_by == 'occurrence':  # Which a tree does not know.
        every.sort(key=lambda each: -len(each.picked))
    counted = [shown for shown in every if shown.is_counted]
    root = _Shown(_ROOT, [])
    _add_up(root, counted)
    start = 0
    if options.start_name_regexes not in ([], ['.*']):
        start = next((i for i, shown in enumerate(counted) if _matches(shown.name, options.start_name_regexes)),
                     len(counted))
    found = []
    for depth, shown in enumerate(counted[start:]):
        if _matches(shown.name, options.trim_name_regexes) or depth > options.max_depth:
            break
        if len(shown.picked) >= options.min_occurrence and _is_shown(
                shown, options, depth, {**_LIMITS_OF_ALL, 'min_params': 'parameters', 'min_float_ops': 'float_ops'}, {}):
            found.append(shown)
    if options.account_displayed_op_only:
        for shown in found:
            shown.begin()
        root.begin(False)
        _add_up(root, found)
    text = _legend(options, [], 'op occurrence (run|defined)')
    return text + ''.join(_type_line(shown, root, options) for shown in found), _types_proto([root, *found], options.step)


def _add_up(root: _Shown, row: list[_Shown]) -> None:
    """Adds to each what comes behind it, and all to the root."""
    before: Optional[_Shown] = None
    for shown in reversed(row):
        if before is not None:
            shown.add(before)
        before = shown
    if before is not None:
        root.add(before)


def _share(shown: _Shown, root: _Shown, name: str, label: str, is_there: bool) -> str:
    """Returns a column: a value, and which parts of all it and those behind it are."""
    all_of_it = root.all[name]
    parts = [100 * x / all_of_it for x in (shown.all[name], shown.own[name])] if is_there and all_of_it else [0.0, 0.0]
    return f'{f"{label} ({parts[0]:.2f}%, {parts[1]:.2f}%)":>30}'


def _type_line(shown: _Shown, root: _Shown, options: Options) -> str:
    select, own, total = options.select, shown.own, shown.all
    info = [_share(shown, root, name, _memory(own[name]), own[name] > 0)
            for column, name in _MEMORY.items() if column in select]
    info += [_share(shown, root, name, _time(own[name]), total[name] > 0)
             for name in (_TIMES[column] for column in _times(options))]
    for column, name, unit in (('params', 'parameters', 'params'), ('float_ops', 'float_ops', 'float_ops')):
        if column in select:
            info.append(_share(shown, root, name, f'{_number(own[name])} {unit}', total[name] > 0))
    if 'device' in select:
        info.append('|'.join(sorted({node.device for node in shown.picked})))
    if 'op_types' in select:
        info.append('|'.join(sorted({kind for node in shown.picked for kind in node.types})))
    runs = {node.name: node.statistics(options.step) for node in shown.picked}
    if 'occurrence' in select:
        count = f'{sum(each["run_count"] for each in runs.values())}|{len(runs)}'
        info.append(f'{count:>10}')
    line = f'{shown.name:25}{", ".join(info)}\n'
    if 'input_shapes' in select and shown.picked:
        line = f'{line}\n{_shape_lines(shown, runs)}\n\n'
    return line


def _shape_lines(shown: _Shown, runs: dict[str, dict[str, int]]) -> str:
    """Returns a line for each form of inputs: how often it runs, how often it is there, how long it takes."""
    found: dict[str, list[int]] = {}
    for node in {each.name: each for each in shown.picked}.values():
        sums = found.setdefault('input_type: ' + _shapes(node.input_shapes, ',\t'), [0, 0, 0])
        for i, value in enumerate((1, runs[node.name]['run_count'], runs[node.name]['exec_micros'])):
            sums[i] += value
    rows = sorted(sorted(found.items()), key=lambda row: -row[1][1])
    return '\n'.join(f'{text}\t(run*{run}|defined*{defined})\texec_time: {_time(micros)}'
                     for text, (defined, run, micros) in rows)


def _types_proto(row: list[_Shown], step: int) -> Any:
    """Returns types as a message, each inside the one before it."""
    proto: Any = None
    for shown in reversed(row):
        values = {name: value for name, value in shown.own.items() if name != 'run_count'}
        outer = profile_messages.MultiGraphNodeProto(
            name=shown.name, **values, **{f'total_{name}': shown.all[name] for name in values})
        for node in {each.name: each for each in shown.picked}.values():
            inner = _Shown(node.name, [node])
            inner.count(step, ['.*'])
            inner.begin()
            outer.graph_nodes.append(_node_proto(inner))
        if proto is not None:
            outer.children.append(proto)
        proto = outer
    return proto


def complain(text: str) -> None:
    """Says on the error output what TensorFlow says there."""
    sys.stderr.write(text + '\n')
