"""Graphs whose gradients TensorFlow has computed; `tools/golden/gradients.py` records them.

A file here has CASES: by name a function of (tf, x) that returns ys and xs, or (ys, xs, options of
tf.gradients). x(shape, seed, low, high, dtype) makes a value that a gradient is asked for, the same
numbers everywhere; what it is (a constant, a placeholder of unknown sizes or of unknown rank, a value
of an eager program) the mode says. Names of cases for which a way of testing makes no sense:

    GRAPH_ONLY   no tape
    STATIC       shapes must be known
    ONCE         no gradients of gradients (those that TensorFlow has not are left out anyway)
    UNNAMED      the nodes of gradients of gradients are called otherwise: where TensorFlow runs constant
                 nodes to know a shape, or spreads rows out next to each use
    RENAMED      the nodes of gradients are others: Berth has no kernel for one that TensorFlow makes, or no
                 condition or tape where it has
    ROUGH        no differences: random, not smooth, or not the gradient of what is computed
"""
