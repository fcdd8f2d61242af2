"""flow_ops - cond, case, Assert and while_loop: branches and loops, in graphs and at once.

What is in force inside of one is in `framework/flow_context.py`; which operations run before
which, without a branch, is in `order_ops.py`.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from berth.framework import convert, dtypes, errors, flow_context, gen, nest, scopes
from berth.framework.node import Operation
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, flow_values, order_ops

# ---- Branches ----


def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, strict: bool = False, name: str | None = None,
         fn1: Any = None, fn2: Any = None) -> Any:
    """Gives what |true_fn| gives where |pred| holds, and what |false_fn| gives elsewhere."""
    true_fn = fn1 if true_fn is None else true_fn
    false_fn = fn2 if false_fn is None else false_fn
    for label, function in (('true_fn', true_fn), ('false_fn', false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{label}' argument required")
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    with scopes.name_scope(name, 'cond', [pred]):
        if scopes.executing_eagerly():
            holds = convert.convert_to_tensor(pred) if isinstance(pred, (list, tuple)) else pred
            result = true_fn() if bool(holds) else false_fn()
            return result if strict else _unpacked(result)
        if isinstance(pred, bool):
            if _is_in_function():
                raise TypeError('pred must not be a Python bool', pred)
            raise TypeError("'pred' must not be a Python bool.")
        return _build_cond(pred, true_fn, false_fn, strict)


def _build_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], strict: bool) -> Any:
    graph = scopes.get_default_graph()
    pred = convert.convert_to_tensor(pred, name='pred')  # The op checks its type.
    on_false, on_true = gen.apply('Switch', 'Switch', {'data': pred, 'pred': pred})
    pivots = (array_ops.identity(on_true, name='switch_t'), array_ops.identity(on_false, name='switch_f'))
    chosen = array_ops.identity(pred, name='pred_id')
    for tensor in (on_true, on_false, *pivots, chosen):
        graph.prevent_fetching(tensor.op)
    graph._has_flow = True
    branches = [flow_context.CondContext(graph, chosen, pivots[0], 1),
                flow_context.CondContext(graph, chosen, pivots[1], 0)]
    whens = _branch(branches[0], 'true_fn', true_fn, strict)
    elses = _branch(branches[1], 'false_fn', false_fn, strict)
    flow_context.join(branches)
    (_check_alike_outputs if _is_in_function() else _check_alike)(whens, elses)
    pairs = zip(nest.flatten(elses[1]), nest.flatten(whens[1]))
    label = 'Identity' if _is_in_function() else 'Merge'  # In TensorFlow's functions results are copies.
    merges = [None if one is None else flow_context.merge([other, one], label) for other, one in pairs]
    whole = flow_values.together(whens[0], merges)
    return whole if strict else _unpacked(whole)


def _branch(context: flow_context.CondContext, label: str, function: Callable[[], Any], strict: bool) -> tuple[Any, Any]:
    """Calls one side; returns what it gave, and that as tensors of the branch."""
    with context.entered():
        given = function()
        if given is None and not _is_in_function():
            raise ValueError(f"'{label}' must have a return value.")
        results = nest.map_structure(lambda value: _branch_value(context, value), flow_values.apart(given))
    if not strict:
        given, results = _unpacked(given), _unpacked(results)
    return given, results


def _is_in_function() -> bool:
    """True while a tf.function is traced."""
    return scopes.get_default_graph().building_function


def _branch_value(context: flow_context.CondContext, value: Any) -> Any:
    if value is None and _is_in_function():
        return None
    if isinstance(value, Operation):
        return order_ops.with_dependencies([value], context.pivot)
    return context.result(convert.convert_to_tensor(value))


def _check_alike(whens: tuple[Any, Any], elses: tuple[Any, Any]) -> None:
    """Raises when the two sides do not give the same kinds of things."""
    nest.assert_same_structure(whens[0], elses[0])
    for one, other in zip(nest.flatten(whens[1]), nest.flatten(elses[1])):
        if one.dtype.base_dtype != other.dtype.base_dtype:
            raise ValueError("Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                             f"{one.dtype.name} from 'true_fn' and {other.dtype.name} from 'false_fn'.")


class _Output:
    """A result of a branch as the texts of functions show it."""

    def __init__(self, tensor: Any, name: str) -> None:
        self.tensor, self._name = tensor, name

    def __str__(self) -> str:
        return f'Tensor("{self._name}", shape={self.tensor.shape}, dtype={self.tensor.dtype.name})'

    def __repr__(self) -> str:
        return f'<tf.Tensor {self._name!r} shape={self.tensor.shape} dtype={self.tensor.dtype.name}>'


def _outputs(results: Any) -> Any:
    """Returns the results of a branch with the names that they have in TensorFlow's own graph of it."""
    names = (f'cond/Identity{f"_{i}" if i else ""}:0' for i in range(len(nest.flatten(results))))
    return nest.map_structure(lambda t: None if t is None else _Output(t, next(names)), results)


def _check_count(whens: Any, elses: Any) -> None:
    """Raises ValueError in a function when one side gives more tensors than the other."""
    counts = [sum(value is not None for value in nest.flatten(side)) for side in (whens, elses)]
    if counts[0] != counts[1]:
        raise ValueError('Lengths of branch outputs of cond must match.\n'
                         f'len(graphs[0].outputs): {counts[0]}\nlen(graphs[1].outputs): {counts[1]}\n')


def _check_alike_outputs(whens: tuple[Any, Any], elses: tuple[Any, Any]) -> None:
    """Raises TypeError in a function when the two sides do not give the same kinds of things."""
    counts = [len(nest.flatten(side[0])) for side in (whens, elses)]
    if counts[0] != counts[1]:
        raise AssertionError(counts)
    _check_count(whens[1], elses[1])
    one, other = _outputs(whens[1]), _outputs(elses[1])
    wrong = ''
    try:
        nest.assert_same_structure(one, other)
    except (TypeError, ValueError) as error:
        wrong = str(error)
    for left, right in zip(nest.flatten(one), nest.flatten(other)):
        if (left is None) != (right is None):
            wrong = wrong or f'{left} and {right} have different types'
        elif left is not None and left.tensor.dtype.base_dtype != right.tensor.dtype.base_dtype:
            wrong = wrong or f'{left} and {right} have different types'
    if wrong:
        raise TypeError('true_fn and false_fn arguments to tf.cond must have the same number, type, and overall '
                        f'structure of return values.\n\ntrue_fn output: {one}\nfalse_fn output: {other}\n\nError '
                        f'details:\n{wrong}')


def _unpacked(result: Any) -> Any:
    """Returns the one thing in a list or tuple of one."""
    if isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def Assert(condition: Any, data: Any, summarize: Any = None, name: str | None = None) -> Any:
    """Fails a run in which |condition| is false, showing |data|."""
    summarize = 3 if summarize is None else summarize

    def check() -> Any:
        return gen.apply('Assert', 'Assert', {'condition': condition, 'data': list(data)}, {'summarize': summarize})

    if scopes.executing_eagerly():
        return _assert_now(condition, data, summarize)
    with scopes.name_scope(name, 'Assert', [condition] + list(data)):
        shown = convert.convert_n_to_tensor(data)
        if all(t.dtype in (dtypes.string, dtypes.int32) for t in shown):
            return check()
        if scopes.get_default_graph().building_function:
            with scopes.name_scope('AssertGuard'):  # A branch of its own in TensorFlow.
                return check()
        # What is shown may be on another device: it is brought here when the check fails.
        condition = convert.convert_to_tensor(condition, name='Condition')
        return cond(condition, order_ops.no_op, check, name='AssertGuard').op


def _assert_now(condition: Any, data: Any, summarize: int) -> None:
    """Raises what a failed Assert raises where operations run at once."""
    if condition:
        return
    shown = '\n'.join(_summary(convert.convert_to_tensor(value).numpy(), summarize) for value in data)
    raise errors.InvalidArgumentError(None, None, f"Expected '{condition!s}' to be true. Summarized data: {shown}")


def _summary(value: Any, most: int) -> str:
    """Returns the first elements of an array, in words."""
    if not getattr(value, 'ndim', 0):
        return str(value)
    flat = value.reshape(-1)
    words = [str(item) for item in (flat if most < 0 else flat[:most])]
    return ', '.join(words + ['...'] if len(words) < flat.size else words)


# ---- Cases ----


def case(pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False,
         name: str = 'case') -> Any:
    """Gives what the function of the first pair gives whose predicate holds."""
    preds, functions = _cases(pred_fn_pairs, exclusive)
    if default is not None and not callable(default):
        if not (scopes.executing_eagerly() or _is_in_function()):
            raise TypeError("'false_fn' must be callable.")
        raise TypeError(f"'default' must be callable. Received: {default!r}")
    with scopes.name_scope(name, 'case', [preds]):
        chosen = default
        if chosen is None:
            chosen, preds, functions = _last_case(preds, functions)
        for pred, function in zip(reversed(preds), reversed(functions)):
            chosen = functools.partial(cond, pred, true_fn=function, false_fn=chosen, strict=strict)
        if not exclusive:
            return chosen()
        with scopes.control_dependencies([_at_most(1, preds, 'Input error: exclusive=True')]):
            return chosen()


def _cases(pairs: Any, exclusive: bool) -> tuple[list[Any], list[Any]]:
    """Returns the predicates and the functions of a case."""
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError("'pred_fn_pairs' must be a list, tuple, or dict. " f'Received: {type(pairs)}')
    if isinstance(pairs, dict):
        if not exclusive and type(pairs) is dict and not scopes.executing_eagerly():
            pairs = sorted(pairs.items(), key=lambda pair: pair[0].name)
        else:
            pairs = list(pairs.items())
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        _check_pred(pair[0])
        if not callable(pair[1]):
            raise TypeError(f'fn for pred {pair[0].name} must be callable.')
    preds, functions = zip(*pairs)
    return list(preds), list(functions)


def _check_pred(pred: Any) -> None:
    """Raises TypeError unless |pred| can decide: a tensor, or at once a bool."""
    if convert.is_tensor(pred):
        if pred.dtype.base_dtype != dtypes.bool:
            raise TypeError(f"pred must be Tensor of type bool: {getattr(pred, 'name', pred)}")
    elif not scopes.executing_eagerly():
        raise TypeError(f'pred must be a Tensor, got: {pred}')
    elif not isinstance(pred, bool):
        raise TypeError(f'pred must be a Python bool, got: {pred}')


def _last_case(preds: list[Any], functions: list[Any]) -> tuple[Any, list[Any], list[Any]]:
    """Makes the last pair the one that is taken when no other is, after a check that it holds."""
    pred, function = preds[-1], functions[-1]
    text = 'Input error: None of conditions evaluated as True:'

    def checked() -> Any:
        together = array_ops.stack(preds, name='preds_c')
        others = _at_most(0, preds[:-1], 'Input error: exclusive=True')
        with scopes.control_dependencies([others, Assert(pred, [text, together], summarize=len(preds))]):
            return function()

    return checked, preds[:-1], functions[:-1]


def _at_most(limit: int, preds: list[Any], text: str) -> Any:
    """Checks that not more than so many predicates hold at once."""
    from berth.ops import math_ops, reduce_ops

    together = array_ops.stack(preds, name='preds_c')
    count = reduce_ops.reduce_sum(math_ops.cast(together, dtypes.int32), name='num_true_conds')
    names = ', '.join(getattr(pred, 'name', '?') for pred in preds)
    return Assert(math_ops.less_equal(count, convert.constant(limit, name='n_true_conds')),
                  [f'{text}: more than {limit} conditions ({names}) evaluated as True:', together],
                  summarize=len(preds))


# ---- Loops ----


def while_loop(cond: Any, body: Any, loop_vars: Any,  # pylint: disable=redefined-outer-name
               shape_invariants: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
               swap_memory: bool = False, name: str | None = None, maximum_iterations: Any = None,
               return_same_structure: bool = False) -> Any:
    """Calls |body| again and again while |cond| holds, with what it gave the last time."""
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    with scopes.name_scope(name, 'while', loop_vars):
        if not loop_vars:
            raise ValueError("'loop_vars' must be provided.")
        single = len(loop_vars) == 1 and not return_same_structure
        if maximum_iterations is not None:
            cond, body, loop_vars = _limited(cond, body, loop_vars, single, maximum_iterations)
            if shape_invariants is not None:
                shape_invariants = (TensorShape([]), shape_invariants[0] if single else shape_invariants)
        if scopes.executing_eagerly():
            result = _loop_now(cond, body, loop_vars, single and maximum_iterations is None)
        else:
            # TensorFlow's node has two outputs more, of which one is the counter.
            result = _build_loop(cond, body, loop_vars, shape_invariants, parallel_iterations,
                                 2 if maximum_iterations is None else 1)
            if not back_prop:
                graph = scopes.get_default_graph()
                graph.no_way_back += nest.flatten(flow_values.apart(result))
        if maximum_iterations is not None:
            return result[1]
        return result if return_same_structure else _unpacked(result)


def _limited(cond: Any, body: Any, loop_vars: Any, single: bool,  # pylint: disable=redefined-outer-name
             maximum_iterations: Any) -> tuple[Any, Any, Any]:
    """Returns the parts of a loop that ends after so many turns at the latest: it counts them."""
    limit = convert.convert_to_tensor(maximum_iterations, name='maximum_iterations')
    if limit.shape.rank != 0:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    counter = convert.constant(0, dtype=limit.dtype, name='iteration_counter')

    def goes_on(turn: Any, values: Any) -> Any:
        return gen.apply('LogicalAnd', None, {
            'x': turn < limit, 'y': cond(values) if single else cond(*values)})

    def turn_body(turn: Any, values: Any) -> Any:
        after = turn + 1
        given = body(values) if single else body(*values)
        if not single and len(values) == 1 and not nest.is_nested(given) and not scopes.executing_eagerly():
            given = nest.pack_sequence_as(values, [given])
        return after, given

    return goes_on, turn_body, (counter, loop_vars[0] if single else loop_vars)


def _loop_now(cond: Any, body: Any, loop_vars: Any, single: bool) -> Any:  # pylint: disable=redefined-outer-name
    """Runs a loop where operations run at once."""
    structure = nest.map_structure(_spec_of, list(loop_vars))
    while bool(cond(*loop_vars)):
        loop_vars = body(*loop_vars)
        if single and not isinstance(loop_vars, (list, tuple)):
            loop_vars = (loop_vars,)
        nest.assert_same_structure(structure, list(loop_vars))
    return nest.map_structure(lambda v: v if hasattr(v, 'write') else convert.convert_to_tensor(v), loop_vars)


def _build_loop(cond: Any, body: Any, loop_vars: Any, shape_invariants: Any,  # pylint: disable=redefined-outer-name
                parallel_iterations: int, first: int) -> Any:
    """Returns what a loop gives that is built into the graph; |first| is the number of its first result."""
    if not any(map(flow_values.is_compound, nest.flatten(loop_vars))):
        return _Loop(cond, body, loop_vars, shape_invariants, parallel_iterations, first).result()
    compounds = _Compounds(cond, body, loop_vars)
    shapes = flow_values.invariants_of(loop_vars, shape_invariants)
    return compounds.whole(_Loop(compounds.goes_on, compounds.turn, flow_values.apart(loop_vars), shapes,
                                 parallel_iterations, first).result())


class _Compounds:
    """A loop that has TensorArrays, sparse or ragged tensors among its variables, as one of tensors."""

    def __init__(self, cond: Any, body: Any, loop_vars: Any) -> None:  # pylint: disable=redefined-outer-name
        self._cond, self._body, self._given = cond, body, loop_vars
        self._structure = loop_vars

    def whole(self, tensors: Any) -> Any:
        """Returns |tensors| in the form of what the body gave last."""
        return flow_values.together(self._given, nest.flatten(tensors))

    def goes_on(self, *tensors: Any) -> Any:
        """Calls the condition."""
        return self._cond(*self.whole(tensors))

    def turn(self, *tensors: Any) -> Any:
        """Calls the body."""
        given = self._body(*self.whole(tensors))
        given = given if nest.is_nested(given) else [given]
        nest.assert_same_structure(list(self._structure), list(given))
        self._given = given
        return flow_values.apart(given)


class _Spec:
    """What the text of an error shows of a variable of a loop."""

    def __init__(self, value: Any) -> None:
        tensor = convert.convert_to_tensor(value)
        self._text = f'TensorSpec(shape={tensor.shape}, dtype=tf.{tensor.dtype.name}, name=None)'

    def __repr__(self) -> str:
        return self._text


def _spec_of(value: Any) -> Any:
    return value if hasattr(value, 'write') else _Spec(value)


class _Loop:
    """One while_loop while it is built."""

    def __init__(self, cond: Any, body: Any, loop_vars: Any,  # pylint: disable=redefined-outer-name
                 shape_invariants: Any, parallel_iterations: int, first: int = 2) -> None:
        self._structure = loop_vars
        self._results: Any = None  # What the body gave.
        graph = scopes.get_default_graph()
        graph._has_flow = True
        self._context = flow_context.WhileContext(graph, parallel_iterations)
        self._values = convert.convert_n_to_tensor(nest.flatten(loop_vars))
        self._shapes: list[Any] | None = None
        if shape_invariants is not None:
            nest.assert_same_structure(loop_vars, nest.map_structure(lambda s: 0, shape_invariants))
            self._shapes = [value.shape if s is None else TensorShape(s)
                            for s, value in zip(nest.flatten(shape_invariants), self._values)]
        with self._context.entered():
            self._exits = self._build(cond, body)
        if _is_in_function():
            scope = graph.get_name_scope()
            for index, tensor in enumerate(self._exits):
                tensor.op.shown = f'{scope}:{index + first}'  # In TensorFlow they are outputs of one node.
        if self._context.outer is not None:
            self._context.outer.know(self._exits)

    def result(self) -> Any:
        """Returns what the loop gives, packed as its body packs it."""
        return nest.pack_sequence_as(self._results, self._exits)

    def _build(self, cond: Any, body: Any) -> list[Any]:  # pylint: disable=redefined-outer-name
        context = self._context
        starts = [flow_context.merge([entered, entered]) for entered in self._enter()]
        context.pivot = starts[0]
        goes_on = convert.convert_to_tensor(cond(*nest.pack_sequence_as(self._structure, starts)))
        pivot = gen.apply('LoopCond', 'LoopCond', {'input': goes_on})
        sides = [flow_context.switch(start, pivot) for start in starts]
        label = 'Placeholder' if _is_in_function() else None  # As in TensorFlow's own graph of the body.
        inner = [array_ops.identity(side[1], name=label) for side in sides]
        context.pivot = inner[0]
        ends = convert.convert_n_to_tensor(self._call(body, nest.pack_sequence_as(self._structure, inner)))
        if context.acting:
            with context.graph.control_dependencies(context.acting):
                ends[0] = array_ops.identity(ends[0])  # The next turn waits for what acts in this one.
        for start, end in zip(starts, ends):
            _check_type(start, end)
            again = gen.apply('NextIteration', 'NextIteration', {'data': end})
            _check_shape(start, again)
            flow_context.close_loop(start, again)
        exits = [gen.apply('Exit', 'Exit', {'data': side[0]}) for side in sides]
        if context.acting:
            flow_context.note_join(exits[0].op, [context])
        return exits

    def _enter(self) -> list[Any]:
        """Brings the variables of the loop in."""
        context = self._context
        values = self._values
        if context.outer is not None:
            values = [context.outer.bring(value) for value in values]
        entered = []
        for index, value in enumerate(values):
            made = context.enter(value, False, self._shapes is None)
            if self._shapes is not None:
                made.set_shape(self._shapes[index])
            entered.append(made)
        return entered

    def _call(self, body: Any, values: Any) -> list[Any]:
        """Returns what the body gives, as many as there are variables."""
        results = body(*values)
        self._results = results if nest.is_nested(results) else [results]
        if not _is_in_function():
            nest.assert_same_structure(list(values), list(self._results))
            return nest.flatten(self._results)
        nest.assert_same_structure(self._results, self._structure, check_types=False)
        flat = nest.flatten(self._results)
        known = sum(value is not None for value in flat)
        if known < len(flat):
            raise AssertionError(f'body_graph has {known + 2} outputs; Expected: {len(flat) + 2}')
        return flat


def _check_type(start: Any, end: Any) -> None:
    """Raises TypeError when a variable of a loop in a function has another type after a turn."""
    if start.dtype.base_dtype == end.dtype.base_dtype or not _is_in_function():
        return
    name = start.op.inputs[0].op.inputs[0].name
    raise TypeError(f'Loop var {name} enters the loop with type {start.dtype} but has type {end.dtype} after 1 '
                    f'iteration. {name} type should remain constant.')


def _check_shape(start: Any, end: Any) -> None:
    """Raises ValueError when a variable of a loop has another shape after a turn."""
    if flow_context.may_vary(end.shape, start.shape):
        return
    value = start.op.inputs[0].op.inputs[0]
    quote = '`' if _is_in_function() else "'"
    raise ValueError(
        f"Input tensor {quote}{value.name}{quote} enters the loop with shape {start.shape}, but has shape {end.shape} after "
        'one iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument of '
        'tf.while_loop to specify a less-specific shape.')
