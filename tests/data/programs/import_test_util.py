import unittest
from tensorflow.python.framework import constant_op, test_util
from tensorflow.python.framework.test_util import run_in_graph_and_eager_modes
from tensorflow.python.ops import math_ops
from tensorflow.python.platform import test
from tensorflow.python.eager import context


class AddTest(test.TestCase):

    @test_util.run_in_graph_and_eager_modes
    def testBoth(self):
        print('eager' if context.executing_eagerly() else 'graph')
        self.assertEqual(5, self.evaluate(math_ops.add(2, 3)))

    def testClose(self):
        self.assertAllClose([1.0, 2.0], constant_op.constant([1.0, 2.0]))

    def testFails(self):
        with self.assertRaisesRegex(ValueError, 'no'):
            raise ValueError('no')


suite = unittest.defaultTestLoader.loadTestsFromTestCase(AddTest)
result = unittest.TextTestRunner(stream=open('/dev/null', 'w')).run(suite)
print(result.testsRun, result.wasSuccessful(), len(result.skipped))
