import numpy as np
import tensorflow as tf

print(tf.add(1, 2))
print(tf.add([1, 2], [3, 4]))
print(tf.square(5))
print(tf.reduce_sum([1, 2, 3]))
print(tf.square(2) + tf.square(3))
x = tf.matmul([[1]], [[2, 3]])
print(x, x.shape, x.dtype)
ndarray = np.ones([3, 3])
tensor = tf.math.multiply(ndarray, 42)
print(tensor)
print(np.add(tensor, 1))
print(tensor.numpy())
x = tf.random.uniform([3, 3])
print('Is there a GPU available: ', tf.config.list_physical_devices('GPU'))
print('Is the Tensor on GPU #0:  ', x.device.endswith('GPU:0'))
print(x.device)
def fizzbuzz(max_num):
    counter = tf.constant(0)
    max_num = tf.convert_to_tensor(max_num)
    for num in range(1, max_num.numpy() + 1):
        num = tf.constant(num)
        if int(num % 3) == 0 and int(num % 5) == 0:
            print('FizzBuzz')
        elif int(num % 3) == 0:
            print('Fizz')
        else:
            print(num.numpy())
        counter += 1
fizzbuzz(15)
