"""gan_model_losses.py - tf.contrib.gan.losses: the same losses of a GANModel."""

from __future__ import annotations

from typing import Any, Callable

from berth._contrib import gan_losses

_MADE, _BOTH = ('discriminator_gen_outputs',), ('discriminator_real_outputs', 'discriminator_gen_outputs')
_MODEL = ('real_data', 'generated_data', 'generator_inputs', 'discriminator_fn', 'discriminator_scope')


def _of_model(function: Callable[..., Any], fields: tuple[str, ...]) -> Callable[..., Any]:
    """Makes the same loss of a model."""
    def loss(gan_model: Any, **kwargs: Any) -> Any:
        return function(**{field: getattr(gan_model, field) for field in fields}, **kwargs)

    loss.__name__, loss.__qualname__, loss.__doc__ = function.__name__, function.__qualname__, function.__doc__
    return loss


wasserstein_generator_loss = _of_model(gan_losses.wasserstein_generator_loss, _MADE)
wasserstein_discriminator_loss = _of_model(gan_losses.wasserstein_discriminator_loss, _BOTH)
wasserstein_gradient_penalty = _of_model(gan_losses.wasserstein_gradient_penalty, _MODEL)
minimax_generator_loss = _of_model(gan_losses.minimax_generator_loss, _MADE)
minimax_discriminator_loss = _of_model(gan_losses.minimax_discriminator_loss, _BOTH)
modified_generator_loss = _of_model(gan_losses.modified_generator_loss, _MADE)
modified_discriminator_loss = _of_model(gan_losses.modified_discriminator_loss, _BOTH)
least_squares_generator_loss = _of_model(gan_losses.least_squares_generator_loss, _MADE)
least_squares_discriminator_loss = _of_model(gan_losses.least_squares_discriminator_loss, _BOTH)
