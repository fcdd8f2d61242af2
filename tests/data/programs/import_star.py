from tensorflow.math import *
from tensorflow.nn import *

print(add(1, 2), multiply(2, 3), relu([-1.0, 1.0]))
print(reduce_mean([1.0, 2.0]), reduce_max([3, 4], axis=0))
print(sigmoid(0.0), l2_loss([3.0, 4.0]))
print('Session' in globals(), 'add' in globals(), '__path__' in globals())
