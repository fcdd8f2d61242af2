from tensorflow.python.platform import gfile, tf_logging, flags, app, test, googletest
from tensorflow.python.platform import tf_logging as logging
import os
import tempfile

folder = tempfile.mkdtemp()
path = os.path.join(folder, 'a.txt')
with gfile.GFile(path, 'w') as f:
    f.write('one\ntwo\n')
print(gfile.Exists(path), gfile.ListDirectory(folder))
with gfile.Open(path) as f:
    print(f.read().split())
with gfile.FastGFile(path, 'rb') as f:
    print(f.read())
gfile.Remove(path)
print(gfile.Exists(path), gfile.IsDirectory(folder))
logging.set_verbosity(logging.ERROR)
logging.info('not seen')
print(logging.get_verbosity(), test.TestCase.__name__, callable(googletest.main))
print(callable(flags.DEFINE_string), callable(app.run))
