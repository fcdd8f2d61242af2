"""scaffold - tf.train.Scaffold: the operations that make a graph ready for training."""

from __future__ import annotations

from typing import Any

from berth._train import parts
from berth.base import logging, naming
from berth.framework import convert, dtypes, scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, lookup_ops, math_ops, order_ops
from berth.variables import sets

_PARTS = ('init_op', 'init_feed_dict', 'ready_op', 'ready_for_local_init_op', 'local_init_op', 'local_init_feed_dict',
          'summary_op', 'saver')


@naming.public('training.monitored_session')
class Scaffold:
    """What a training session needs of its graph; finalize() makes what was not given."""

    def __init__(self, init_op: Any = None, init_feed_dict: Any = None, init_fn: Any = None, ready_op: Any = None,
                 ready_for_local_init_op: Any = None, local_init_op: Any = None, summary_op: Any = None,
                 saver: Any = None, copy_from_scaffold: Any = None, local_init_feed_dict: Any = None) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError('copy_from_scaffold is not a Scaffold instance.')
        given = locals()
        for part in _PARTS:
            value = given[part]
            if value is None and copy_from_scaffold is not None:
                value = getattr(copy_from_scaffold, part)
            setattr(self, '_' + part, value)
        if init_fn is None and copy_from_scaffold is not None:
            init_fn = copy_from_scaffold._user_init_fn
        self._user_init_fn = init_fn
        self._init_fn = (lambda session: init_fn(self, session)) if init_fn else None

    init_op = property(lambda self: self._init_op, doc='What gives variables their initial values.')
    init_feed_dict = property(lambda self: self._init_feed_dict, doc='What is fed to it.')
    init_fn = property(lambda self: self._init_fn, doc='A function of the session that is called after it.')
    ready_op = property(lambda self: self._ready_op, doc='The names of what is not ready.')
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op,
                                       doc='The names of what is missing before local variables can be initialised.')
    local_init_op = property(lambda self: self._local_init_op, doc='What initialises local variables and tables.')
    local_init_feed_dict = property(lambda self: self._local_init_feed_dict, doc='What is fed to it.')
    summary_op = property(lambda self: self._summary_op, doc='All summaries.')
    saver = property(lambda self: self._saver, doc='What saves and restores variables.')

    def finalize(self) -> 'Scaffold':
        """Makes what was not given, and closes the graph."""
        for part, key, make in (
                ('init_op', GraphKeys.INIT_OP, _default_init_op),
                ('ready_op', GraphKeys.READY_OP, _default_ready_op),
                ('ready_for_local_init_op', GraphKeys.READY_FOR_LOCAL_INIT_OP, _default_ready_for_local_init_op),
                ('local_init_op', GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op),
                ('summary_op', GraphKeys.SUMMARY_OP, parts.merge_all)):
            if getattr(self, '_' + part) is None:
                setattr(self, '_' + part, Scaffold.get_or_default(part, key, make))
        if self._saver is None:
            self._saver = parts.default_saver()
        self._saver.build()
        scopes.get_default_graph().finalize()
        logging.info('Graph was finalized.')
        return self

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Any) -> Any:
        """Returns the one item of a collection, or what the function makes, which is put there."""
        known = scopes.get_collection(collection_key)
        if len(known) > 1:
            raise RuntimeError('More than one item in the collection "%s". Please indicate which one to use by passing '
                               'it to the tf.Scaffold constructor as:  tf.Scaffold(%s=item to use)', collection_key,
                               arg_name)
        if known:
            return known[0]
        made = default_constructor()
        if made is not None:
            scopes.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Makes what initialises local variables, tables and resources."""
        return order_ops.group(sets.local_variables_initializer(), lookup_ops.tables_initializer(),
                               _initialize(scopes.get_collection(GraphKeys.LOCAL_RESOURCES)))


def _default_init_op() -> Any:
    return order_ops.group(sets.global_variables_initializer(), _initialize(_shared()),
                           scopes.get_collection('saved_model_initializers'))


def _default_ready_op() -> Any:
    return array_ops.concat([sets.report_uninitialized_variables(),
                             _report(_shared() + scopes.get_collection(GraphKeys.LOCAL_RESOURCES))], 0)


def _default_ready_for_local_init_op() -> Any:
    return array_ops.concat([sets.report_uninitialized_variables(sets.global_variables()), _report(_shared())], 0)


# ---- Resources: anything but variables that has to be initialised ----


def _shared() -> list[Any]:
    return scopes.get_collection(GraphKeys.RESOURCES)


def _initialize(resources: list[Any]) -> Any:
    if resources:
        return order_ops.group(*[resource.create for resource in resources], name='init')
    return order_ops.no_op(name='init')


def _report(resources: list[Any]) -> Any:
    """Returns the names of resources that are not initialised."""
    with scopes.name_scope('report_uninitialized_resources'), scopes.device('/cpu:0'):
        if not resources:
            return convert.constant([], dtype=dtypes.string)
        missing = math_ops.logical_not(array_ops.stack([resource.is_initialized for resource in resources]))
        return array_ops.boolean_mask(convert.constant([resource.handle.name for resource in resources]), missing)
