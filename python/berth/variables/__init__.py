"""variables - Variables of graphs, and what names, shares and initialises them.

`graph_variable` has tf.Variable itself; those whose ops run at once are in
`eager/variable.py`, and the ops that both are made of in `ops/state_ops.py`.
"""
