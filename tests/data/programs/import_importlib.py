import importlib
import importlib.util
import sys

spec = importlib.util.find_spec('tensorflow')
print(spec is not None, spec.name)
tf = importlib.import_module('tensorflow')
math = importlib.import_module('tensorflow.math')
ops = importlib.import_module('tensorflow.python.ops.math_ops')
print(math.add(1, 2), ops.add(3, 4))
print(importlib.util.find_spec('tensorflow.nonsense'))
try:
    importlib.import_module('tensorflow.nonsense')
except ModuleNotFoundError as error:
    print(error, error.name)
print(sys.modules['tensorflow.math'] is math if 'tensorflow.math' in sys.modules else 'elsewhere')
print(importlib.import_module('.compat', 'tensorflow').__name__)
print(__import__('tensorflow').__name__, tf.math.add(1, 1).numpy())
print(importlib.import_module('tensorflow.compat.v1').executing_eagerly())
