"""sync_replicas - tf.train.SyncReplicasOptimizer: one step of all workers together, by the mean of their gradients.

    worker ──> accumulators ──┐  as many gradients as are asked for
    worker ──> accumulators ──┴─> mean ──> update ──> global step + 1 ──> tokens, one for each worker
       └───────────── takes a token, which is the step it goes on with ─────────────┘

A thread of the chief's, the queue runner, takes the means and hands out the tokens.
"""

from __future__ import annotations

from typing import Any

from berth._train import session_manager
from berth._train.optimizer import Optimizer
from berth._train.run_hooks import SessionRunHook
from berth.base import logging, naming
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.framework.indexed_slices import IndexedSlices
from berth.framework.node import Tensor
from berth.modules.deprecation import deprecated
from berth.modules.queue_runner import QueueRunner
from berth.ops import accumulator_ops, array_ops, data_flow_ops, order_ops, state_ops
from berth.variables import sets
from berth.variables.graph_variable import VariableV1

_INSTEAD = ('The `SyncReplicaOptimizer` class is deprecated. For synchronous training, please use [Distribution '
            'Strategies](https://github.com/tensorflow/tensorflow/tree/master/tensorflow/contrib/distribute).')


@naming.public('training.sync_replicas_optimizer')
class SyncReplicasOptimizer(Optimizer):
    """Changes variables by another optimiser, when enough replicas have brought their gradients."""

    @deprecated(None, _INSTEAD, warn_once=True)
    def __init__(self, opt: Any, replicas_to_aggregate: int, total_num_replicas: int | None = None,
                 variable_averages: Any = None, variables_to_average: Any = None, use_locking: bool = False,
                 name: str = 'sync_replicas') -> None:
        super().__init__(use_locking, name)
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        logging.info('SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s', replicas_to_aggregate, total)
        self._opt = opt
        self._replicas_to_aggregate, self._total_num_replicas = replicas_to_aggregate, total
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._variable_averages, self._variables_to_average = variable_averages, variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: Any = None
        self._accumulator_list: list[tuple[Any, str]] = []  # Each with its device.

    # ---- What the other optimiser does ----

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns pairs of a slope and a variable."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a variable that the other optimiser keeps."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the names of the kinds of variables that it keeps."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> Any:
        """Returns all variables that it keeps."""
        return self._opt.variables()

    # ---- Steps ----

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns what a worker runs: it brings its gradients, and waits for a token."""
        if not grads_and_vars:
            raise ValueError('Must supply at least one variable')
        if global_step is None:
            raise ValueError('Global step is required to check staleness')
        self._global_step = global_step
        order_ops.no_op()  # Where the strategy of several machines would put the local step.
        self._local_step = VariableV1(initial_value=0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
                                      dtype=global_step.dtype.base_dtype, name='sync_rep_local_step')
        self.local_step_init_op = state_ops.assign(self._local_step, global_step)
        self.ready_for_local_init_op = sets.report_uninitialized_variables(sets.global_variables())
        with scopes.name_scope(None, self._name):
            brought: list[Any] = []
            pairs = [(self._mean(slope, variable, brought), variable) for slope, variable in grads_and_vars]
            train_op = self._take_part(pairs, brought)
            self.chief_init_op = order_ops.group(self.local_step_init_op, *self._steps_set())
        self._gradients_applied = True
        return train_op

    def _mean(self, slope: Any, variable: Any, brought: list[Any]) -> Any:
        """Returns the mean of the replicas' slopes; what brings this one's is added to |brought|."""
        with scopes.device(variable.device):
            if slope is None:
                return None
            shared = variable.name + '/grad_accum'
            if isinstance(slope, Tensor):
                kept: Any = accumulator_ops.ConditionalAccumulator(slope.dtype, shape=variable.shape,
                                                                   shared_name=shared)
                brought.append(kept.apply_grad(slope, local_step=self._local_step))
                mean = kept.take_grad(self._replicas_to_aggregate)
            elif isinstance(slope, IndexedSlices):
                kept = accumulator_ops.SparseConditionalAccumulator(slope.dtype, shape=(), shared_name=shared)
                brought.append(kept.apply_indexed_slices_grad(slope, local_step=self._local_step))
                mean = kept.take_indexed_slices_grad(self._replicas_to_aggregate)
            else:
                raise ValueError('Unknown grad type!')
            self._accumulator_list.append((kept, variable.device))
            return mean

    def _take_part(self, pairs: Any, brought: list[Any]) -> Any:
        """Makes the queue of tokens, and who fills it; returns what takes one."""
        step = self._global_step
        with scopes.device(step.device), scopes.name_scope(''):
            update = self._opt.apply_gradients(pairs, step)
            queue = data_flow_ops.FIFOQueue(-1, step.dtype.base_dtype, shapes=(), name='sync_token_q',
                                        shared_name='sync_token_q')
            self._sync_token_queue = queue
            with scopes.control_dependencies(brought):
                token = queue.dequeue()
            train_op = state_ops.assign(self._local_step, token)
            with scopes.control_dependencies([update]):
                fill = queue.enqueue_many((array_ops.fill([self._tokens_per_step], step),))
            if self._variable_averages is not None:
                with scopes.control_dependencies([fill]), scopes.name_scope(''):
                    fill = self._variable_averages.apply(self._variables_to_average)
            self._chief_queue_runner = QueueRunner(queue, [fill])
        return train_op

    def _steps_set(self) -> list[Any]:
        found = []
        for accumulator, device in self._accumulator_list:
            with scopes.device(device):
                found.append(accumulator.set_global_step(self._global_step, name='SetGlobalStep'))
        return found

    # ---- The chief ----

    def get_chief_queue_runner(self) -> Any:
        """Returns what takes the means and hands out tokens."""
        if not self._gradients_applied:
            raise ValueError('Should be called after apply_gradients().')
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Returns what fills the queue at first, so that fewer workers than gradients can begin."""
        if not self._gradients_applied:
            raise ValueError('get_init_tokens_op() should be called after apply_gradients().')
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f'Too few tokens to finish the first step: {num_tokens:d} (given) vs {needed:d} (needed)')
        if num_tokens <= 0:
            return order_ops.no_op(name='no_init_tokens')
        with scopes.device(self._global_step.device), scopes.name_scope(''):
            return self._sync_token_queue.enqueue_many((array_ops.fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> Any:
        """Returns a hook that gets sessions ready for this."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


@naming.public('training.sync_replicas_optimizer')
class _SyncReplicasOptimizerHook(SessionRunHook):
    """Gets a session ready: the chief's runs the queue runner, too."""

    def __init__(self, sync_optimizer: Any, is_chief: bool, num_tokens: int) -> None:
        self._sync_optimizer, self._is_chief, self._num_tokens = sync_optimizer, is_chief, num_tokens

    def begin(self) -> None:
        """Makes what the graph still lacks."""
        optimizer = self._sync_optimizer
        if not optimizer._gradients_applied:
            raise ValueError('SyncReplicasOptimizer.apply_gradient should be called before using the hook.')
        self._ready_for_local_init_op = optimizer.ready_for_local_init_op
        self._local_init_op, self._q_runner, self._init_tokens_op = optimizer.local_step_init_op, None, None
        if self._is_chief:
            self._local_init_op = optimizer.chief_init_op
            self._q_runner = optimizer.get_chief_queue_runner()
            self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Sets the steps, hands out the first tokens and begins."""
        missing = session_manager.what_is_missing(self._ready_for_local_init_op, session,
                                                  'Model is not ready for SyncReplicasOptimizer local init.')
        if missing is not None:
            raise RuntimeError('Init operations did not make model ready for SyncReplicasOptimizer local_init. '
                               f'Init op: {self._local_init_op.name}, error: {missing}')
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)
