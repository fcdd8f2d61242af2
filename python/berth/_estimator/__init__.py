"""tf.estimator: training, evaluation and prediction of a model function."""
