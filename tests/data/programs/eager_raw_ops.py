import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


r = tf.raw_ops
attempt(lambda: r.Add(x=1, y=2))
attempt(lambda: r.AddV2(x=[1.0], y=[2.0], name="sum"))
attempt(lambda: r.Add(1, 2))
attempt(lambda: r.Add(x=1))
attempt(lambda: r.Add(x=1, z=2))
attempt(lambda: r.MatMul(a=[[1.0, 2.0]], b=[[3.0], [4.0]], transpose_a=False))
attempt(lambda: r.Concat(concat_dim=0, values=[[1], [2]]))
attempt(lambda: r.Cast(x=[1, 2], DstT=tf.float32))
attempt(lambda: r.Split(axis=0, value=[1, 2, 3, 4], num_split=2))
attempt(lambda: r.Split(axis=0, value=[1, 2, 3, 4], num_split=3))
attempt(lambda: r.Reshape(tensor=[1, 2, 3], shape=[2]))
attempt(lambda: r.Sum(input=[[1, 2], [3, 4]], axis=[0], keep_dims=True))
attempt(lambda: r.ArgMax(input=[1, 3, 2], dimension=0))
attempt(lambda: r.Pack(values=[[1], [2]], axis=0))
attempt(lambda: r.Unpack(value=[1, 2], num=2))
attempt(lambda: r.Unpack(value=[1, 2], num=3))
attempt(lambda: r.Shape(input=[[1]]))
attempt(lambda: r.Identity(input="a"))
attempt(lambda: r.ZerosLike(x=[1.5]))
attempt(lambda: r.Range(start=0, limit=3, delta=1))
attempt(lambda: r.Select(condition=[True, False], x=[1, 2], y=[3, 4]))
attempt(lambda: r.TopKV2(input=[1.0, 3.0], k=1))
attempt(lambda: r.Relu(features=["a"]))
attempt(lambda: r.Tile(input=[1], multiples=[-1]))
attempt(lambda: r.Fill(dims=[2], value=1.5))
