"""op_sweep_heavy.py - The calls of op_sweep.py that multiply: convolutions, products, factors.

As in op_sweep_cases.py. Each is listed at the sizes that matter for it, so that most have one size.
"""


def convolution(kind: str, x: str, w: str, strides: int = 1, padding: str = "SAME",
                **more: object) -> list[tuple[str, str, str]]:
    """A convolution of two axes and its gradients by the image and by the filter."""
    layout = str(more.get("data_format", "NHWC"))
    steps = [1, strides, strides, 1] if layout == "NHWC" else [1, 1, strides, strides]
    said = f"strides={steps}, padding='{padding}'" + "".join(f", {name}={value!r}" for name, value in more.items())
    forward = f"tf.raw_ops.Conv2D(input=x, filter=w, {said})"
    both = f"x={kind}({x}); w={kind}({w})"
    return [
        ("conv", both, forward),
        ("conv", f"{both}; x=tf.constant(x); w=tf.constant(w); y={forward}",
         f"tf.raw_ops.Conv2DBackpropInput(input_sizes=x.shape, filter=w, out_backprop=y, {said})"),
        ("conv", f"{both}; x=tf.constant(x); w=tf.constant(w); y={forward}",
         f"tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes=w.shape, out_backprop=y, {said})"),
    ]


def volume(x: str, w: str, strides: int = 1, padding: str = "SAME") -> list[tuple[str, str, str]]:
    """A convolution of three axes and its gradients."""
    said = f"strides={[1, strides, strides, strides, 1]}, padding='{padding}'"
    forward = f"tf.raw_ops.Conv3D(input=x, filter=w, {said})"
    both = f"x=tf.constant(f({x})); w=tf.constant(f({w}))"
    return [
        ("conv", both, forward),
        ("conv", f"{both}; y={forward}",
         f"tf.raw_ops.Conv3DBackpropInputV2(input_sizes=x.shape, filter=w, out_backprop=y, {said})"),
        ("conv", f"{both}; y={forward}",
         f"tf.raw_ops.Conv3DBackpropFilterV2(input=x, filter_sizes=w.shape, out_backprop=y, {said})"),
    ]


def depthwise(kind: str, x: str, w: str, strides: int = 1) -> list[tuple[str, str, str]]:
    """A depthwise convolution and its gradients."""
    said = f"strides={[1, strides, strides, 1]}, padding='SAME'"
    forward = f"tf.raw_ops.DepthwiseConv2dNative(input=x, filter=w, {said})"
    both = f"x=tf.constant({kind}({x})); w=tf.constant({kind}({w}))"
    return [
        ("depthwise", both, forward),
        ("depthwise", f"{both}; y={forward}",
         f"tf.raw_ops.DepthwiseConv2dNativeBackpropInput(input_sizes=x.shape, filter=w, out_backprop=y, {said})"),
        ("depthwise", f"{both}; y={forward}",
         f"tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(input=x, filter_sizes=w.shape, out_backprop=y, {said})"),
    ]


CONVOLUTIONS = [
    # Groups.
    *convolution("f", "(4, 56, 56, 128)", "(3, 3, 4, 128)"),
    *convolution("f", "(4, 28, 28, 256)", "(3, 3, 8, 256)", 2),
    *convolution("f", "(4, 14, 14, 512)", "(3, 3, 16, 512)"),
    *convolution("f", "(1, 28, 28, 240)", "(1, 1, 80, 240)"),
    *convolution("f", "(1, 14, 14, 64)", "(3, 3, 2, 64)"),
    *convolution("f", "(1, 28, 28, 96)", "(3, 3, 32, 96)"),
    # The layers of well-known networks.
    *convolution("f", "(1, 224, 224, 3)", "(7, 7, 3, 64)", 2),
    *convolution("f", "(8, 32, 32, 3)", "(3, 3, 3, 32)"),
    *convolution("f", "(128, 28, 28, 1)", "(5, 5, 1, 32)"),
    *convolution("f", "(1, 56, 56, 64)", "(3, 3, 64, 64)"),
    *convolution("f", "(8, 56, 56, 64)", "(3, 3, 64, 64)"),
    *convolution("f", "(8, 28, 28, 128)", "(3, 3, 128, 128)"),
    *convolution("f", "(8, 7, 7, 512)", "(3, 3, 512, 512)"),
    *convolution("f", "(1, 7, 7, 512)", "(3, 3, 512, 512)"),
    *convolution("f", "(8, 56, 56, 64)", "(1, 1, 64, 256)"),
    *convolution("f", "(8, 56, 56, 256)", "(1, 1, 256, 64)"),
    *convolution("f", "(8, 56, 56, 256)", "(1, 1, 256, 512)", 2),
    *convolution("f", "(1, 7, 7, 2048)", "(1, 1, 2048, 512)"),
    *convolution("f", "(1, 112, 112, 16)", "(1, 1, 16, 96)"),
    *convolution("f", "(1, 17, 17, 768)", "(1, 7, 768, 192)"),
    *convolution("f", "(1, 17, 17, 192)", "(7, 1, 192, 192)"),
    *convolution("f", "(4, 35, 35, 64)", "(3, 1, 64, 96)"),
    *convolution("f", "(4, 35, 35, 48)", "(5, 5, 48, 64)"),
    *convolution("f", "(4, 56, 56, 64)", "(3, 3, 64, 128)", 2),
    *convolution("f", "(4, 56, 56, 64)", "(2, 2, 64, 128)", 2, "VALID"),
    *convolution("f", "(2, 64, 64, 32)", "(3, 3, 32, 32)", dilations=[1, 2, 2, 1]),
    *convolution("f", "(2, 33, 33, 256)", "(3, 3, 256, 64)", dilations=[1, 6, 6, 1]),
    *convolution("f", "(1, 224, 224, 16)", "(3, 3, 16, 16)"),
    *convolution("f", "(8, 16, 16, 12)", "(3, 3, 12, 20)"),
    *convolution("f", "(32, 4, 4, 64)", "(3, 3, 64, 64)"),
    *convolution("f", "(1, 4, 4, 16)", "(3, 3, 16, 16)"),
    *convolution("f", "(1, 1, 1, 256)", "(1, 1, 256, 256)"),
    *convolution("f", "(1, 20, 20, 3)", "(11, 11, 3, 8)", 4),
    *convolution("f", "(1, 28, 28, 1)", "(3, 3, 1, 4)"),
    *convolution("f", "(16, 1, 1000, 32)", "(1, 3, 32, 64)"),
    *convolution("f", "(16, 1, 1000, 1)", "(1, 9, 1, 16)"),
    *convolution("f", "(4, 1, 16000, 1)", "(1, 80, 1, 64)", 4),
    *convolution("d", "(4, 28, 28, 64)", "(3, 3, 64, 64)"),
    *convolution("h", "(4, 28, 28, 64)", "(3, 3, 64, 64)"),
    *convolution("bf", "(4, 28, 28, 64)", "(3, 3, 64, 64)"),
    # Channels first.
    *convolution("f", "(4, 64, 28, 28)", "(3, 3, 64, 64)", data_format="NCHW"),
    *convolution("f", "(4, 256, 14, 14)", "(1, 1, 256, 64)", data_format="NCHW"),
    *convolution("f", "(1, 3, 224, 224)", "(7, 7, 3, 64)", 2, data_format="NCHW"),
    *convolution("f", "(1, 128, 28, 28)", "(3, 3, 4, 128)", data_format="NCHW"),
    # Three axes.
    *volume("(2, 16, 28, 28, 16)", "(3, 3, 3, 16, 32)"),
    *volume("(1, 16, 56, 56, 3)", "(3, 3, 3, 3, 32)"),
    *volume("(2, 8, 14, 14, 64)", "(1, 1, 1, 64, 64)"),
    *volume("(1, 16, 16, 16, 32)", "(2, 2, 2, 32, 64)", 2, "VALID"),
    # Each channel alone.
    *depthwise("f", "(8, 112, 112, 32)", "(3, 3, 32, 1)"),
    *depthwise("f", "(1, 56, 56, 96)", "(3, 3, 96, 1)", 2),
    *depthwise("f", "(8, 14, 14, 384)", "(3, 3, 384, 1)"),
    *depthwise("f", "(8, 14, 14, 240)", "(5, 5, 240, 1)"),
    *depthwise("f", "(1, 7, 7, 960)", "(5, 5, 960, 1)"),
    *depthwise("f", "(8, 56, 56, 96)", "(7, 7, 96, 1)"),
    *depthwise("f", "(4, 28, 28, 32)", "(3, 3, 32, 4)"),
    *depthwise("f", "(4, 32, 32, 3)", "(3, 3, 3, 8)"),
    *depthwise("f", "(16, 1, 1000, 64)", "(1, 9, 64, 1)"),
    *depthwise("d", "(4, 28, 28, 64)", "(3, 3, 64, 1)"),
    *depthwise("h", "(4, 28, 28, 64)", "(3, 3, 64, 1)"),
]


def pool(x: str, window: int, step: int, padding: str, layout: str = "NHWC") -> list[tuple[str, str, str]]:
    """Both pools of two axes and their gradients."""
    last = layout == "NHWC"
    k = [1, window, window, 1] if last else [1, 1, window, window]
    s = [1, step, step, 1] if last else [1, 1, step, step]
    said = f"ksize={k}, strides={s}, padding='{padding}', data_format='{layout}'"
    rows = []
    for op, value, grad in (("MaxPool", "input=x", "orig_input=x, orig_output=y, grad=y"),
                            ("AvgPool", "value=x", "orig_input_shape=x.shape, grad=y")):
        forward = f"tf.raw_ops.{op}({value}, {said})"
        rows.append(("pool", f"x=f({x})", forward))
        rows.append(("pool", f"x=tf.constant(f({x})); y={forward}", f"tf.raw_ops.{op}Grad({grad}, {said})"))
    return rows


def pool3d(x: str, window: int, step: int, padding: str) -> list[tuple[str, str, str]]:
    """Both pools of three axes and their gradients."""
    said = f"ksize=[1, {window}, {window}, {window}, 1], strides=[1, {step}, {step}, {step}, 1], padding='{padding}'"
    rows = []
    for op, grad in (("MaxPool3D", "orig_input=x, orig_output=y, grad=y"),
                     ("AvgPool3D", "orig_input_shape=x.shape, grad=y")):
        forward = f"tf.raw_ops.{op}(input=x, {said})"
        rows.append(("pool", f"x=f({x})", forward))
        rows.append(("pool", f"x=tf.constant(f({x})); y={forward}", f"tf.raw_ops.{op}Grad({grad}, {said})"))
    return rows


def batch_norm(x: str, channels: int, layout: str = "NHWC") -> list[tuple[str, str, str]]:
    """Training of a batch norm and its gradient."""
    made = f"x=f({x}); s=f(({channels},))"
    return [
        ("norm", made, f"tf.raw_ops.FusedBatchNormV3(x=x, scale=s, offset=s, mean=s, variance=s, data_format='{layout}')"),
        ("norm", made, f"tf.raw_ops.FusedBatchNormV3(x=x, scale=s, offset=s, mean=s, variance=s, data_format='{layout}', "
         "is_training=False)"),
        ("norm", made, "tf.raw_ops.FusedBatchNormGradV3(y_backprop=x, x=x, scale=s, reserve_space_1=s, "
         f"reserve_space_2=s, reserve_space_3=s, data_format='{layout}')"),
    ]


POOLS = [
    *pool("(8, 112, 112, 64)", 3, 2, "SAME"),
    *pool("(8, 56, 56, 64)", 2, 2, "VALID"),
    *pool("(8, 35, 35, 192)", 3, 1, "SAME"),
    *pool("(8, 7, 7, 1024)", 7, 1, "VALID"),
    *pool("(32, 28, 28, 32)", 2, 2, "SAME"),
    *pool("(1, 13, 13, 512)", 5, 1, "SAME"),
    *pool("(4, 64, 64, 3)", 2, 2, "VALID"),
    *pool("(1, 4, 4, 8)", 2, 2, "VALID"),
    *pool("(4, 64, 56, 56)", 2, 2, "VALID", "NCHW"),
    *pool("(4, 64, 56, 56)", 3, 2, "SAME", "NCHW"),
    *pool3d("(2, 16, 56, 56, 32)", 2, 2, "VALID"),
    *pool3d("(2, 16, 28, 28, 32)", 3, 1, "SAME"),
    *pool3d("(2, 8, 28, 28, 64)", 3, 2, "SAME"),
    *batch_norm("(32, 28, 28, 64)", 64),
    *batch_norm("(8, 56, 56, 256)", 256),
    *batch_norm("(8, 7, 7, 512)", 512),
    *batch_norm("(64, 32, 32, 3)", 3),
    *batch_norm("(128, 1, 1, 256)", 256),
    *batch_norm("(8, 64, 28, 28)", 64, "NCHW"),
]


def product(kind: str, m: int, n: int, k: int, batch: str = "", turns: str = "nn") -> tuple[str, str, str]:
    """One product, of matrices or of batches; |turns| says which are given transposed."""
    a = f"({batch}{k}, {m})" if turns[0] == "t" else f"({batch}{m}, {k})"
    b = f"({batch}{n}, {k})" if turns[1] == "t" else f"({batch}{k}, {n})"
    return ("product", f"x={kind}({a}); y={kind}({b})",
            f"tf.matmul(x, y, transpose_a={turns[0] == 't'}, transpose_b={turns[1] == 't'})")


PRODUCTS = [
    *[product(kind, size, size, size, "", turns) for kind in ("f", "d", "bf", "h")
      for size in (32, 256, 1024) for turns in ("nn", "nt", "tn", "tt")],
    *[product(kind, size, size, size) for kind in ("i32", "i64", "c") for size in (32, 256)],
    *[product(kind, *shape) for kind in ("f", "d", "bf", "h", "i32") for shape in (
        (1, 1024, 1024), (1024, 1, 1024), (2, 1000, 2048), (8, 4096, 1024), (64, 10, 784), (1024, 1024, 4),
        (1024, 4, 1024), (4, 4, 65536), (16, 16, 4096), (1, 1, 65536), (500, 500, 1), (100, 100, 100), (7, 33, 129))],
    product("f", 1, 4096, 4096, "", "nt"),
    product("f", 4096, 1, 4096, "", "tn"),
    product("f", 8, 4096, 1024, "", "nt"),
    *[product(kind, *shape) for kind in ("f", "d", "bf", "h", "i32") for shape in (
        (4, 4, 4, "10000, "), (16, 16, 16, "1000, "), (64, 64, 64, "100, "), (128, 128, 64, "96, "), (1, 128, 64, "96, "),
        (3, 3, 3, "10000, "), (1, 64, 512, "64, "))],
    product("f", 128, 128, 64, "96, ", "nt"),
    product("bf", 128, 128, 64, "96, ", "nt"),
    ("product", "x=f((8, 128, 12, 64)); y=f((8, 128, 12, 64))", "tf.einsum('bfnh,btnh->bnft', x, y)"),
    ("product", "x=f((8, 12, 128, 128)); y=f((8, 128, 12, 64))", "tf.einsum('bnft,btnh->bfnh', x, y)"),
    ("product", "x=f((8, 128, 256)); y=f((256, 4, 64))", "tf.einsum('abc,cde->abde', x, y)"),
    ("product", "x=f((64, 64)); y=f((64, 64))", "tf.einsum('ij,ij->i', x, y)"),
    ("product", "x=f((64, 256)); y=f((64, 256))", "tf.einsum('bi,bj->bij', x, y)"),
    ("product", "x=f((1000,)); y=f((1000,))", "tf.einsum('i,j->ij', x, y)"),
    ("product", "x=f((32, 32, 32)); y=f((32, 32, 32))", "tf.tensordot(x, y, [[0, 1], [2, 0]])"),
    ("product", "x=f((8, 16, 32)); y=f((32, 64))", "tf.tensordot(x, y, 1)"),
    ("product", "x=f((512, 512)); y=f((512,))", "tf.linalg.matvec(x, y)"),
    ("product", "x=i8((256, 256)); y=i8((256, 256))", "tf.raw_ops.BatchMatMulV3(x=x, y=y, Tout=tf.int32)"),
]

FACTORS = [
    *[("factor", f"x={kind}({shape}); x=x + 9 * np.eye({size}, dtype=x.dtype.as_numpy_dtype)", f"tf.linalg.{op}(x)")
      for kind in ("f", "d") for size, shape in ((4, "(1000, 4, 4)"), (32, "(32, 32, 32)"), (128, "(128, 128)"), (512, "(512, 512)"))
      for op in ("inv", "det", "lu", "qr")],
    *[("factor", f"x={kind}({shape})", f"tf.linalg.svd(x{more})")
      for kind in ("f", "d") for shape in ("(1000, 4, 4)", "(32, 32, 32)", "(128, 128)", "(256, 256)", "(1000, 32)")
      for more in ("", ", compute_uv=False")],
    *[("factor", f"x={kind}({shape}); x=x + np.swapaxes(x, -1, -2)", f"tf.linalg.{op}(x)")
      for kind in ("f", "d") for shape in ("(1000, 4, 4)", "(32, 32, 32)", "(128, 128)", "(256, 256)")
      for op in ("eigh", "eigvalsh")],
    *[("factor", f"x={kind}({shape})", f"tf.linalg.{op}(x)")
      for kind in ("f", "d", "c") for shape in ("(100, 4, 4)", "(32, 32)", "(128, 128)") for op in ("eig", "eigvals")],
    *[("factor", f"x={kind}({shape}); x=x @ np.swapaxes(x, -1, -2) + {size} * np.eye({size}, dtype=x.dtype.as_numpy_dtype)", "tf.linalg.cholesky(x)")
      for kind in ("f", "d", "c") for size, shape in ((4, "(1000, 4, 4)"), (32, "(32, 32, 32)"), (128, "(128, 128)"),
                                                 (1024, "(1024, 1024)"))],
    *[("factor", f"x={kind}({shape}); x=x + {size} * np.eye({size}, dtype=x.dtype.as_numpy_dtype); y={kind}({right})", call)
      for kind in ("f", "d") for size, shape, right in (
          (4, "(1000, 4, 4)", "(1000, 4, 1)"), (32, "(32, 32, 32)", "(32, 32, 8)"), (512, "(512, 512)", "(512, 512)"),
          (512, "(512, 512)", "(512, 1)"), (1024, "(1024, 1024)", "(1024, 1024)"))
      for call in ("tf.linalg.triangular_solve(x, y)", "tf.linalg.triangular_solve(x, y, lower=False, adjoint=True)",
                   "tf.linalg.solve(x, y)")],
    *[("factor", f"x={kind}({shape}); y={kind}({right})", "tf.linalg.lstsq(x, y)")
      for kind in ("f", "d") for shape, right in (("(1000, 32)", "(1000, 4)"), ("(100, 8, 4)", "(100, 8, 2)"))],
    ("factor", "x=f((256, 256))", "tf.linalg.expm(x)"),
    ("factor", "x=f((256, 256)); x=tf.matmul(x, x, transpose_b=True) + 300 * np.eye(256, dtype='float32')",
     "tf.linalg.logdet(x)"),
    ("factor", "x=f((3, 10000)); y=f((10000, 4))", "tf.linalg.tridiagonal_solve(x, y, 'compact')"),
]

CASES = CONVOLUTIONS + POOLS + PRODUCTS + FACTORS
