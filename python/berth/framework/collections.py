"""collections.py - GraphKeys: the names of the collections that libraries share."""

from __future__ import annotations

from berth.base import naming


@naming.public('framework.ops')
class GraphKeys:
    """Standard names of collections of a graph."""

    GLOBAL_VARIABLES = 'variables'
    LOCAL_VARIABLES = 'local_variables'
    METRIC_VARIABLES = 'metric_variables'
    MODEL_VARIABLES = 'model_variables'
    TRAINABLE_VARIABLES = 'trainable_variables'
    TRAINABLE_RESOURCE_VARIABLES = 'trainable_resource_variables'
    VARIABLES = 'variables'
    SUMMARIES = 'summaries'
    QUEUE_RUNNERS = 'queue_runners'
    TABLE_INITIALIZERS = 'table_initializer'
    ASSET_FILEPATHS = 'asset_filepaths'
    MOVING_AVERAGE_VARIABLES = 'moving_average_variables'
    REGULARIZATION_LOSSES = 'regularization_losses'
    CONCATENATED_VARIABLES = 'concatenated_variables'
    SAVERS = 'savers'
    WEIGHTS = 'weights'
    BIASES = 'biases'
    ACTIVATIONS = 'activations'
    UPDATE_OPS = 'update_ops'
    LOSSES = 'losses'
    SAVEABLE_OBJECTS = 'saveable_objects'
    RESOURCES = 'resources'
    LOCAL_RESOURCES = 'local_resources'
    INIT_OP = 'init_op'
    LOCAL_INIT_OP = 'local_init_op'
    READY_OP = 'ready_op'
    READY_FOR_LOCAL_INIT_OP = 'ready_for_local_init_op'
    SUMMARY_OP = 'summary_op'
    GLOBAL_STEP = 'global_step'
    EVAL_STEP = 'eval_step'
    TRAIN_OP = 'train_op'
    COND_CONTEXT = 'cond_context'
    WHILE_CONTEXT = 'while_context'
