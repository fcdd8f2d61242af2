import sys
import unittest
import tensorflow as tf


class SquareTest(tf.test.TestCase):

    def setUp(self):
        super().setUp()
        print('set up', self._testMethodName)

    def test_square(self):
        self.assertAllEqual(tf.square([2, 3]), [4, 9])

    def test_close(self):
        self.assertAllClose(tf.sqrt([2.0]), [1.41421356])

    def test_graph(self):
        with self.session() as sess:
            print(sess.run(tf.constant(3)), tf.executing_eagerly())


result = unittest.TextTestRunner(stream=open('/dev/null', 'w')).run(
    unittest.defaultTestLoader.loadTestsFromTestCase(SquareTest))
print(result.testsRun, len(result.failures), len(result.errors), len(result.skipped))
for _, text in result.errors + result.failures:
    print(text.splitlines()[-1])
