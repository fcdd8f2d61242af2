"""gan.py - tf.contrib.gan: two networks that are trained against each other."""

from __future__ import annotations

import collections
from typing import Any

from berth._contrib import evaluation, gan_model_losses
from berth._layers import losses
from berth._train import global_step as global_steps
from berth._train.run_hooks import SessionRunHook
from berth.framework import convert, nest, scopes
from berth.framework.collections import GraphKeys
from berth.ops import state_ops
from berth.variables import scope as variable_scopes

GANModel = collections.namedtuple('GANModel', (
    'generator_inputs', 'generated_data', 'generator_variables', 'generator_scope', 'generator_fn', 'real_data',
    'discriminator_real_outputs', 'discriminator_gen_outputs', 'discriminator_variables', 'discriminator_scope',
    'discriminator_fn'))
GANLoss = collections.namedtuple('GANLoss', ('generator_loss', 'discriminator_loss'))
GANTrainOps = collections.namedtuple('GANTrainOps', (
    'generator_train_op', 'discriminator_train_op', 'global_step_inc_op', 'train_hooks'), defaults=((),))
GANTrainSteps = collections.namedtuple('GANTrainSteps', ('generator_train_steps', 'discriminator_train_steps'))


# ---- A model ----


def _as_tensors(given: Any) -> Any:
    return nest.map_structure(convert.convert_to_tensor, given)


def gan_model(generator_fn: Any, discriminator_fn: Any, real_data: Any, generator_inputs: Any,
              generator_scope: Any = 'Generator', discriminator_scope: Any = 'Discriminator',
              check_shapes: bool = True) -> GANModel:
    """Calls both networks: the second on data, and on what the first makes."""
    with variable_scopes.variable_scope(generator_scope) as made:
        generator_inputs = _as_tensors(generator_inputs)
        generated = generator_fn(generator_inputs)
    with variable_scopes.variable_scope(discriminator_scope) as judge:
        of_made = discriminator_fn(generated, generator_inputs)
    with variable_scopes.variable_scope(judge, reuse=True):
        real_data = _as_tensors(real_data)
        of_real = discriminator_fn(real_data, generator_inputs)
    if check_shapes and not nest.flatten(generated)[0].shape.is_compatible_with(nest.flatten(real_data)[0].shape):
        raise ValueError(f'Generator output shape ({nest.flatten(generated)[0].shape}) must be the same shape as real data '
                         f'({nest.flatten(real_data)[0].shape}).')
    variables = [scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope.name + '/') for scope in (made, judge)]
    return GANModel(generator_inputs, generated, variables[0], made, generator_fn, real_data, of_real, of_made,
                    variables[1], judge, discriminator_fn)


def gan_loss(model: GANModel, generator_loss_fn: Any = gan_model_losses.wasserstein_generator_loss,
             discriminator_loss_fn: Any = gan_model_losses.wasserstein_discriminator_loss,
             gradient_penalty_weight: Any = None, gradient_penalty_epsilon: float = 1e-10,
             gradient_penalty_target: float = 1.0, gradient_penalty_one_sided: bool = False,
             add_summaries: bool = True, **options: Any) -> GANLoss:
    """Returns the losses of both networks, with what regularises them."""
    left = [name for name, value in options.items() if value is not None]
    if left:
        raise NotImplementedError(f'tf.contrib.gan.gan_loss: Berth does not have `{left[0]}`')
    if not isinstance(model, GANModel):
        raise NotImplementedError(f'tf.contrib.gan.gan_loss: Berth has no losses of {type(model).__name__}')

    generator, discriminator = (function(model, add_summaries=add_summaries)
                                for function in (generator_loss_fn, discriminator_loss_fn))
    if gradient_penalty_weight is not None:
        discriminator += gradient_penalty_weight * gan_model_losses.wasserstein_gradient_penalty(
            model, epsilon=gradient_penalty_epsilon, target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided, add_summaries=add_summaries)
    generator += losses.get_regularization_loss(model.generator_scope.name)
    discriminator += losses.get_regularization_loss(model.discriminator_scope.name)
    return GANLoss(generator, discriminator)


# ---- Training ----


def gan_train_ops(model: GANModel, loss: GANLoss, generator_optimizer: Any, discriminator_optimizer: Any,
                  check_for_unused_update_ops: bool = True, is_chief: bool = True, **kwargs: Any) -> GANTrainOps:
    """Returns the steps of both networks, and the op that counts them together."""
    del is_chief
    with scopes.name_scope('', ''):
        step = global_steps.get_or_create_global_step()
        counted = state_ops.assign_add(step, 1)
    kept, used = kwargs.pop('update_ops', None), []
    kept = set(scopes.get_collection(GraphKeys.UPDATE_OPS) if kept is None else kept)
    for scope in (model.generator_scope, model.discriminator_scope):
        inside = set(scopes.get_collection(GraphKeys.UPDATE_OPS, scope.name + '/'))
        used.append([op for op in scopes.get_collection(GraphKeys.UPDATE_OPS) if op in inside and op in kept])
    unused = kept - set(used[0]) - set(used[1])
    if check_for_unused_update_ops and unused:
        raise ValueError(f'There are unused update ops: {sorted(each.name for each in unused)}')
    made = []
    for scope, value, optimizer, variables, updates in (
            ('generator_train', loss.generator_loss, generator_optimizer, model.generator_variables, used[0]),
            ('discriminator_train', loss.discriminator_loss, discriminator_optimizer, model.discriminator_variables,
             used[1])):
        with scopes.name_scope(scope):
            made.append(evaluation.create_train_op(value, optimizer, None, updates, variables, **kwargs))
    return GANTrainOps(made[0], made[1], counted, [])


class RunTrainOpsHook(SessionRunHook):
    """Takes steps before each one of the session."""

    def __init__(self, train_ops: Any, train_steps: int) -> None:
        self._ops = list(train_ops) if isinstance(train_ops, (list, tuple)) else [train_ops]
        self._count = train_steps

    def before_run(self, run_context: Any) -> Any:
        """Takes them."""
        for _ in range(self._count):
            run_context.session.run(self._ops)


def get_sequential_train_hooks(train_steps: GANTrainSteps = GANTrainSteps(1, 1)) -> Any:
    """Returns a function that makes hooks: steps of one network, then of the other."""
    def hooks(train_ops: GANTrainOps) -> list[Any]:
        return [RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
                RunTrainOpsHook(train_ops.discriminator_train_op, train_steps.discriminator_train_steps),
                *train_ops.train_hooks]

    return hooks


def get_joint_train_hooks(train_steps: GANTrainSteps = GANTrainSteps(1, 1)) -> Any:
    """Returns a function that makes hooks: steps of both networks at once, then those that one has more."""
    together = min(train_steps)

    def hooks(train_ops: GANTrainOps) -> list[Any]:
        return [RunTrainOpsHook([train_ops.generator_train_op, train_ops.discriminator_train_op], together),
                RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps - together),
                RunTrainOpsHook(train_ops.discriminator_train_op, train_steps.discriminator_train_steps - together),
                *train_ops.train_hooks]

    return hooks


def gan_train(train_ops: GANTrainOps, logdir: Any, get_hooks_fn: Any = get_sequential_train_hooks(), master: str = '',
              is_chief: bool = True, scaffold: Any = None, hooks: Any = None, chief_only_hooks: Any = None,
              save_checkpoint_secs: Any = 600, save_summaries_steps: Any = 100, config: Any = None) -> Any:
    """Trains both networks until a hook ends it; returns the last count."""
    return evaluation.train(train_ops.global_step_inc_op, logdir, master, is_chief, scaffold,
                            [*get_hooks_fn(train_ops), *(hooks or [])], chief_only_hooks, save_checkpoint_secs,
                            save_summaries_steps, config)


def get_sequential_train_steps(train_steps: GANTrainSteps = GANTrainSteps(1, 1)) -> Any:
    """Returns a function for slim.learning.train that takes steps of one network, then of the other."""
    def step(session: Any, train_ops: GANTrainOps, global_step: Any, train_step_kwargs: Any) -> tuple[Any, Any]:
        first = second = 0
        for _ in range(train_steps.generator_train_steps):
            first = session.run(train_ops.generator_train_op)
        for _ in range(train_steps.discriminator_train_steps):
            second = session.run(train_ops.discriminator_train_op)
        session.run(train_ops.global_step_inc_op)
        wish = train_step_kwargs.get('should_stop')
        return first + second, session.run(wish) if wish is not None else False

    return step
