from tensorflow.python.client import device_lib
from tensorflow.python.lib.io import file_io
from tensorflow.python.platform import build_info, sysconfig
import tensorflow.python as python
import tensorflow as tf
import os
import tempfile

print([d.name for d in device_lib.list_local_devices() if d.device_type == 'CPU'])
path = os.path.join(tempfile.mkdtemp(), 'x')
file_io.write_string_to_file(path, 'hello')
print(file_io.read_file_to_string(path), file_io.file_exists(path))
file_io.delete_file(path)
print(os.path.exists(path), 'is_cuda_build' in build_info.build_info)
print(python.__name__, tf.__name__)
