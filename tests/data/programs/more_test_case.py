import tensorflow as tf

class SquareTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.x = tf.constant([1., 2.])
    def testSquare(self):
        self.assertAllEqual(tf.square(self.x), [1., 4.])
    def testClose(self):
        self.assertAllClose(tf.sqrt(self.x), [1., 1.41421356])
        self.assertNear(1.0, 1.0001, 0.01)
    def testShape(self):
        self.assertShapeEqual(self.x.numpy(), self.x)
        self.assertEqual(self.x.shape, [2])
    def testFails(self):
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.reshape(self.x, [3])
        with self.assertRaisesRegex(ValueError, 'non-rectangular'):
            tf.constant([[1], [2, 3]])
    def testWrong(self):
        try:
            self.assertAllEqual([1, 2], [1, 3])
        except AssertionError as e:
            print(str(e).strip().split('\n')[0], '|', len(str(e).split('\n')))
        try:
            self.assertAllClose(1.0, 1.1)
        except AssertionError as e:
            print(str(e).strip().split('\n')[0])

import unittest
result = unittest.TextTestRunner(stream=open('/dev/null', 'w')).run(unittest.defaultTestLoader.loadTestsFromTestCase(SquareTest))
print(result.testsRun, len(result.failures), len(result.errors), len(result.skipped))
