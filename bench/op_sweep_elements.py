"""op_sweep_elements.py - The calls of op_sweep.py that go element by element.

Elements of every type, their casts, what broadcasts and what is reduced. The words are those of
op_sweep_cases.py; of("int8", S) are elements of any type.
"""

FLOATS = ("float32", "float64", "half", "bfloat16")

# Of numbers in 0 to 1.
CURVES = (
    "abs", "negative", "exp", "math.expm1", "math.log", "math.log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "asin", "acos", "atan", "asinh", "atanh", "sqrt", "math.rsqrt", "square", "math.reciprocal", "sigmoid",
    "math.softplus", "nn.softsign", "nn.relu", "nn.relu6", "nn.elu", "nn.selu", "nn.leaky_relu", "nn.gelu",
    "nn.silu", "math.log_sigmoid", "floor", "math.ceil", "round", "math.rint", "sign", "math.is_nan",
    "math.is_finite", "math.erf", "math.erfc", "math.erfinv", "math.ndtri", "math.lgamma", "math.digamma",
)
# These have no kernels of half and bfloat16.
WIDE_ONLY = ("math.rint", "math.erfinv", "math.ndtri")
SPECIAL = (
    *(f"bessel_{name}" for name in ("i0", "i0e", "i1", "i1e", "j0", "j1", "y0", "y1", "k0", "k0e", "k1", "k1e")),
    "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence",
)
PAIRS = (
    "add", "subtract", "multiply", "divide", "math.floordiv", "math.floormod", "pow", "maximum", "minimum",
    "math.squared_difference", "less", "equal", "math.divide_no_nan", "math.xlogy", "math.xdivy", "math.xlog1py",
    "atan2", "math.nextafter",
)
GAMMAS = ("igamma", "igammac", "zeta", "polygamma")
WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")

CASES = [
    *[("curve", f"x=of('{kind}', S)", f"tf.{name}(x)") for name in CURVES for kind in FLOATS
      if not (name in WIDE_ONLY and kind in FLOATS[2:])
      and not (name in ("math.lgamma", "math.digamma") and kind == "bfloat16")],
    *[("curve", f"x=of('{kind}', S)", f"tf.{name}(x)") for kind in ("complex64", "complex128")
      for name in ("abs", "exp", "math.log", "sin", "cos", "tan", "tanh", "sqrt", "math.rsqrt", "square", "sigmoid",
                   "math.reciprocal", "math.angle", "math.conj", "math.real", "asin", "atanh", "cosh")],
    *[("special", f"x=of('{kind}', S)", f"tf.math.special.{name}(x)") for name in SPECIAL
      for kind in ("float32", "float64", "half") if name.startswith("bessel") or kind != "half"],
    *[("special", f"x=30 * of('{kind}', S)", f"tf.math.{name}(x)") for kind in FLOATS[:3]
      for name in ("lgamma", "digamma", "special.bessel_j0", "special.bessel_y1", "special.bessel_i0e",
                   "special.bessel_k1e")],
    *[("pair", f"x=of('{kind}', S); y=of('{kind}', S)", f"tf.{name}(x, y)") for name in PAIRS
      for kind in FLOATS if not (name == "math.nextafter" and kind in FLOATS[2:])],
    *[("pair", f"x=of('{kind}', S); y=of('{kind}', S)", f"tf.{name}(x, y)")
      for name in ("add", "multiply", "divide", "pow") for kind in ("complex64", "complex128")],
    *[("special", f"x=of('{kind}', S) + 2; y=of('{kind}', S) + 2", f"tf.math.{name}({words})")
      for kind in ("float32", "float64") for name, words in (
          ("igamma", "x, y"), ("igammac", "x, y"), ("zeta", "x, y"), ("polygamma", "tf.floor(x), y"),
          ("betainc", "x, y, x - 2"))],
    ("special", "x=f(S) + 2; y=f(S) + 2", "tf.raw_ops.IgammaGradA(a=x, x=y)"),
    ("special", "x=f(S) + 2", "tf.raw_ops.RandomGammaGrad(alpha=x, sample=x)"),
    *[("whole", f"x=of('{kind}', S); y=of('{kind}', S) + 1", f"tf.{name}(x, y)") for kind in WHOLE
      for name in ("add", "multiply", "maximum", "math.floordiv", "math.floormod", "less", "equal",
                   "bitwise.bitwise_and", "bitwise.left_shift")],
    *[("whole", f"x=of('{kind}', S)", f"tf.{name}(x)") for kind in WHOLE
      for name in ("square", "bitwise.invert", "raw_ops.PopulationCount", "sign")
      if not (name.startswith("raw") or name == "sign" and kind[0] == "u")],
    *[("whole", f"x=of('{kind}', S)", f"tf.{name}(x, {axis})") for kind in (*WHOLE, *FLOATS[1:], "complex64")
      for name in ("reduce_sum", "reduce_max", "reduce_prod", "reduce_mean") for axis in (0, 1, None)
      if not (kind == "complex64" and name == "reduce_max")],
    *[("whole", f"x=of('{kind}', S)", f"tf.{name}") for kind in ("int8", "uint8", "int16", "half", "bfloat16", "float64")
      for name in ("cumsum(x, 0)", "cumsum(x, 1)", "argmax(x, 0)", "argmax(x, 1)", "sort(x)", "math.top_k(x, 3)",
                   "clip_by_value(x, x[0, 0], x[1, 1])", "where(x > x[0, 0], x, x)", "tile(x, [1, 2])",
                   "reverse(x, [1])", "transpose(x)", "one_hot(tf.constant([0, 1]), 9, x[0, 0], x[0, 1])",
                   "pad(x, [[1, 1], [1, 1]])", "pad(x, [[1, 1], [1, 1]], 'SYMMETRIC')", "roll(x, 1, 1)")],
    *[("broadcast", f"x=of('{kind}', {one}); y=of('{kind}', {two})", f"tf.{name}(x, y)")
      for kind in ("float32", "float64", "half", "int8", "int64")
      for name in ("add", "less")
      for one, two in (("S", "(S[0], 1)"), ("S", "(1, S[1])"), ("(S[0], 1)", "(1, S[1])"), ("S", "()"),
                       ("I", "(I[0], 1, I[2], 1)"), ("I", "(1, I[1], 1, I[3])"), ("I", "(I[3],)"), ("R", "(R[0], 1)"))],
    *[("cast", f"x=of('{kind}', S)", f"tf.cast(x, tf.{other})")
      for kind in (*WHOLE, *FLOATS, "complex64", "complex128", "bool")
      for other in (*WHOLE, *FLOATS, "complex64", "complex128", "bool") if kind != other],
    *[("norm", f"x=of('{kind}', S)", f"tf.nn.{name}(x)") for kind in FLOATS
      for name in ("softmax", "log_softmax", "l2_loss")],
    *[("norm", f"x=of('{kind}', R)", f"tf.nn.{name}(x)") for kind in FLOATS
      for name in ("softmax", "log_softmax")],
    *[("grad", f"x=of('{kind}', S); y=of('{kind}', S)", f"tf.raw_ops.{name}") for kind in FLOATS
      for name in ("SigmoidGrad(y=x, dy=y)", "TanhGrad(y=x, dy=y)", "ReluGrad(gradients=x, features=y)",
                   "SoftplusGrad(gradients=x, features=y)", "EluGrad(gradients=x, outputs=y)",
                   "RsqrtGrad(y=x, dy=y)", "SqrtGrad(y=x, dy=y)", "ReciprocalGrad(y=x, dy=y)",
                   "LeakyReluGrad(gradients=x, features=y)", "SeluGrad(gradients=x, outputs=y)")],
]
