# TF1
import tensorflow as tf


def attempt(equation, *shapes):
    with tf.Graph().as_default():
        try:
            print(equation, tf.einsum(equation, *[tf.placeholder(tf.float32, s) for s in shapes]).shape)
        except ValueError as e:
            print(equation, e)


attempt('ij,jk->ik', [2, 3], [3, 4])
attempt('ij,jk->ik', [2, 3], [4, 4])
attempt('ij,jk->ik', [2, 3, 4], [3, 4])
attempt('ij,jk->ik', None, [3, 4])
attempt('ij,ij->ij', [None, 2], [3, None])
attempt('...ij,...jk->...ik', [5, 2, 3], [1, 3, 4])
attempt('...ij,...jk->...ik', [5, 2, 3], [2, 3, 4])
attempt('...ij,...jk->...ik', None, [2, 3, 4])
attempt('...ij->...ji', [2])
attempt('...i->i', [2, 3])
attempt('ii->i', [2, 3])
attempt('ii->i', [2, 2])
attempt('ij->k', [2, 2])
attempt('ij->jii', [2, 2])
attempt('ij->', [2, 2])
attempt('ij,jk', [2, 2], [2, 5])
attempt('ij,jk->ik', [2, 2])
attempt('i,j,k->ijk', [2], [3], [4])
attempt('i1->i', [2, 2])
with tf.Session() as sess:
    a = tf.placeholder(tf.float32, [None, 2])
    print(sess.run(tf.einsum('ij,kj->ik', a, a), {a: [[1., 2.], [3., 4.]]}).tolist())
    print(sess.run(tf.einsum('...j->...', tf.ones([2, 3, 4]))).tolist())
