"""snippets_programs.py - What tutorials and published programs do. TF1, and TF2."""

_DRAWN = ("tf.set_random_seed(3); d = tf.distributions; x = [[.1, .4, .9], [.2, .3, .5]]\n"
          "c = {made}\n"
          "def show(*t): return [(v.shape.as_list(), v.dtype.name, v.op.name, tf.Session().run(v).round(4).tolist()) "
          "for v in t]\n")


def _distribution(made: str, value: str, at: str, of: str) -> str:
    """Makes a snippet that asks a distribution for quantities |at| a value, and |of| itself."""
    return (_DRAWN.format(made=made) +
            f"v = {value}\n"
            f"r = [str(c), repr(c), sorted(c.parameters), str(c.reparameterization_type)]\n"
            f"r += show(*[getattr(c, m)(v) for m in '{at}'.split()])\n"
            f"r += show(*[getattr(c, m)() for m in '{of}'.split()])\n"
            "r += show(c.sample(4, seed=7), c.sample([2, 2], seed=8), c.sample(seed=9))\n"
            "r += show(c.batch_shape_tensor(), c.event_shape_tensor(), c.is_scalar_batch(), c.is_scalar_event())\n"
            "r")


_ALL_AT = "log_prob prob log_cdf cdf log_survival_function survival_function"
_MOMENTS = "entropy mean variance stddev"

CASES = {
    "normal": _distribution("d.Normal([0., 1., -2.], [1., 2., 3.])", "x", _ALL_AT + " quantile",
                                    _MOMENTS + " mode"),
    "uniform": _distribution("d.Uniform([0., .2, .4], 1.)", "x", _ALL_AT, _MOMENTS),
    "laplace": _distribution("d.Laplace(0., [1., 2., 3.])", "x", _ALL_AT, _MOMENTS + " mode"),
    "student": _distribution("d.StudentT([.5, 1.5, 3.], 1., 2.)", "x", "log_prob prob", _MOMENTS + " mode"),
    "gamma": _distribution("d.Gamma([.5, 2., 3.], 2.)", "x", _ALL_AT, _MOMENTS + " mode"),
    "exponential": _distribution("d.Exponential([1., 2., 3.])", "x", _ALL_AT, _MOMENTS + " mode"),
    "beta": _distribution("d.Beta([.5, 2., 3.], [2., 2., 1.5])", "x", "log_prob prob", _MOMENTS + " mode"),
    "dirichlet": _distribution("d.Dirichlet([1., 2., 3.])", "x", "log_prob prob",
                                       _MOMENTS + " mode covariance"),
    "dirichlet_batch": _distribution("d.Dirichlet([[2., 2., 3.], [.5, 1., 1.]])", "x", "log_prob prob",
                                             _MOMENTS + " covariance"),
    "bernoulli": _distribution("d.Bernoulli(probs=[.2, .5, .9])", "[[0, 1, 1], [1, 0, 0]]", "log_prob prob",
                                       _MOMENTS + " mode"),
    "bernoulli_logits": _distribution("d.Bernoulli(logits=[.2, .5, .9], dtype=tf.float32)", "[0., 1., 1.]",
                                              "log_prob prob", _MOMENTS + " mode"),
    "categorical": _distribution("d.Categorical(logits=[[.1, .2, .3], [1., 2., 3.]])", "[1, 2]",
                                         _ALL_AT, "entropy mode"),
    "categorical_probs": _distribution("d.Categorical(probs=[.2, .3, .5], dtype=tf.int64)", "[1, 2, 0]",
                                               "log_prob prob", "entropy mode"),
    "multinomial": _distribution("d.Multinomial(5., probs=[.2, .3, .5])", "[1., 2., 2.]", "log_prob prob",
                                         "mean variance stddev covariance"),
    "divergences":
        _DRAWN.format(made="None") +
        "pairs = [(d.Normal([0., 1.], 2.), d.Normal(1., [1., 3.])), (d.Gamma(2., 1.), d.Gamma(3., 2.)), "
        "(d.Gamma(2., 1.), d.Exponential(2.)), (d.Beta(2., 3.), d.Beta(1., 1.)), (d.Dirichlet([1., 2.]), "
        "d.Dirichlet([3., 1.])), (d.Bernoulli(.3), d.Bernoulli(.5)), "
        "(d.Categorical([.1, .2]), d.Categorical([1., 2.]))]\n"
        "sum([show(d.kl_divergence(a, b), a.kl_divergence(b), a.cross_entropy(b)) for a, b in pairs], [])",
    "divergence_none": "d = tf.distributions\nd.kl_divergence(d.Uniform(), d.Normal(0., 1.))",
    "normal_far":
        "d = tf.distributions; x = [-30., -12., -9.5, 0., 4., 6., 30.]\n"
        "tf.Session().run([d.Normal(0., 1.).log_cdf(x)[:6], d.Normal(0., 1.).cdf(x)[2:]])",
    "distribution_gradients":
        "d = tf.distributions; z = tf.constant([.3, .5]); n = d.Normal(z, z + 1.)\n"
        "[v.tolist() for v in tf.Session().run(tf.gradients(n.log_prob(.3), z) + tf.gradients(n.entropy(), z) + "
        "tf.gradients(n.sample(3, seed=1) * 0 + n.mean(), z))]",
    "distribution_unknown":
        "d = tf.distributions; p = tf.placeholder(tf.float32, [None, 2]); q = tf.placeholder(tf.float32)\n"
        "c = d.Categorical(logits=p); n = d.Normal(q, 1.)\n"
        "(str(c), c.sample().shape, c.log_prob([1, 0]).shape, c.mode().shape, str(n), n.sample(3).shape, "
        "tf.Session().run(tf.shape(n.sample([3, 1])), {q: [1., 2.]}).tolist())",
    "distribution_types": "tf.distributions.Normal(1, 2)",
    "distribution_given": "tf.distributions.Categorical()",
    "distribution_both": "tf.distributions.Bernoulli(logits=[1.], probs=[1.])",
    "distribution_integers": "tf.distributions.Bernoulli(logits=[1])",
    "distribution_rank": "tf.distributions.Normal(0., 1.).sample([[1]])",
    "distribution_checked": "tf.distributions.Normal(0., -1., validate_args=True)",
    "distribution_range": "tf.distributions.Uniform(1., 0., validate_args=True)",
    "distribution_mean": "tf.distributions.StudentT(.5, 0., 1., allow_nan_stats=False).mean()",
    "distribution_mode": "tf.distributions.Gamma(.5, 1., allow_nan_stats=False).mode()",
    "distribution_quantile": "tf.distributions.Uniform().quantile(.5)",
    "distribution_survival": "tf.distributions.Bernoulli(.5).survival_function(1)",
    "distribution_names":
        "d = tf.distributions\n"
        "with tf.name_scope('here'): n = d.Normal(0., 1., name='N')\n"
        "(n.name, n.sample().name, n.copy(loc=3.).name, n.loc.name, n.log_prob(1.).op.name, n.log_prob(1.).op.name)",
    # ---- Sizes of shapes ----
    "size_reshape":
        "x = tf.placeholder(tf.float32, [None, 7, 7, 64]); d = x.shape[1] * x.shape[2] * x.shape[3]\n"
        "[str(v) for v in (tf.reshape(x, [-1, d]), tf.reshape(x, (-1, d)), tf.reshape(x, [d, tf.shape(x)[0]]))]",
    "size_ops":
        "x = tf.placeholder(tf.float32, [None, 3, 4]); d = x.shape[1]\n"
        "[str(v) for v in (tf.fill([2, d], 1.), tf.tile(x, [1, 1, d]), tf.pad(tf.zeros([2, 2]), [[0, d], [0, 0]]), "
        "tf.broadcast_to(1., [2, d]), tf.slice(x, [0, 0, 0], [-1, d, 1]), tf.zeros([d, 2]))]",
    "size_random":
        "x = tf.placeholder(tf.float32, [None, 3, 4]); d = x.shape[1]\n"
        "[str(v) for v in (tf.random_normal([d, 2]), tf.truncated_normal([1, d]), tf.random_uniform((d,)))]",
    "size_constant": "tf.constant([1, tf.TensorShape([3])[0]])",
    "size_float": "tf.constant([1, tf.TensorShape([3])[0]], tf.float32)",
    "size_none": "tf.reshape(tf.placeholder(tf.float32, [None, 3]), [tf.TensorShape([None])[0], 3])",
    "size_tensor": "d = tf.TensorShape([3])[0]\ntf.convert_to_tensor(d), tf.convert_to_tensor(d, tf.int64)",
    "size_as_float": "tf.convert_to_tensor(tf.TensorShape([3])[0], tf.float32)",
    "size_unknown": "tf.convert_to_tensor(tf.TensorShape([None])[0])",
    "size_divide": "tf.ones([2]) / tf.TensorShape([3])[0]",
    # ---- Others ----
    "linspace":
        "[v.shape.as_list() for v in (tf.linspace(0., 1., 3), tf.lin_space(start=0., stop=1., num=4), "
        "tf.Variable(tf.linspace(0., 1., 5)))]",
    "tensordot":
        "import numpy as np\n"
        "y = tf.placeholder(tf.float32); z = tf.placeholder(tf.float32, [3, 3])\n"
        "feed = {y: np.arange(9.).reshape(3, 3), z: np.eye(3)}\n"
        "r = [tf.tensordot(a, b, axes) for a, b, axes in ((y, z, 1), (y, z, [[1], [0]]), (z, y, 1), (y, y, 2), "
        "(y, z, 0), (y, y, [[0, 1], [1, 0]]), (y, y, [0, 1]), (y, y, [[-1], [0]]))]\n"
        "[str(v.shape) for v in r], [v.tolist() for v in tf.Session().run(r, feed)]",
    "assert_known": "tf.assert_less(tf.ones([]), tf.identity(.5), message='m')",
}

TF2 = {
    "checkpoint_generator":
        "import tempfile; folder = tempfile.mkdtemp()\n"
        "g = tf.random.Generator.from_seed(1); c = tf.train.Checkpoint(generator=g); p = c.write(folder + '/x')\n"
        "first = g.normal([2]).numpy(); _ = c.restore(p)\n"
        "(g.normal([2]).numpy() == first).all(), tf.train.list_variables(p)",
}
