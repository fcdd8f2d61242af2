import numpy as np
import tensorflow as tf

nd = np.ones([3, 3])
print("TensorFlow operations convert numpy arrays to Tensors automatically")
tensor = tf.math.multiply(nd, 42)
print(tensor)
print("And NumPy operations convert Tensors to NumPy arrays automatically")
print(np.add(tensor, 1))
print("The .numpy() method explicitly converts a Tensor to a numpy array")
print(tensor.numpy())
for array in (np.int8([1]), np.uint16([2]), np.float16([0.5]), np.array(["a", "bc"]), np.array([b"x"]),
              np.array([True]), np.complex64([1 + 2j]), np.array(3), np.array([], np.int64), np.array([1, 2], ">i4")):
    t = tf.convert_to_tensor(array)
    back = t.numpy()
    print(array.dtype, t.dtype, t.shape, type(back).__name__, getattr(back, "dtype", None), t)
print(type(tf.constant(1.5).numpy()), type(tf.constant("s").numpy()), type(tf.constant([1]).numpy()))
print(np.array(tf.constant([1, 2])), np.asarray(tf.constant([1.5])), np.mean(tf.constant([1.0, 4.0])))
print(np.array_equal(tf.constant([1, 2]), [1, 2]), np.stack([tf.constant([1]), tf.constant([2])]))
a = np.arange(4.0)
t = tf.constant(a)
a[0] = 100
print(t.numpy())
n = t.numpy()
n[1] = 50
print(n, t.numpy())
print(tf.constant(np.float64(3)), tf.constant(np.arange(3)), tf.constant(np.eye(2, dtype=np.float32)))
print(tf.constant([np.float32(1), 2.0]), tf.convert_to_tensor([np.int64(1), 2]))
print(np.arange(3) + tf.constant([1, 2, 3], tf.int64))
print(tf.constant([[1, 2], [3, 4]]).numpy().tolist(), tf.constant([1.0]).numpy().item())
