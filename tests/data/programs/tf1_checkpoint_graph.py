# TF1
import os, tempfile
import tensorflow as tf

folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.get_variable('v', initializer=[1., 2.], use_resource=True)
    old = tf.Variable(3., name='old')
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(v * v) + old, global_step=step, var_list=[v, old])
    checkpoint = tf.train.Checkpoint(v=v, old=old, optimizer=optimizer, step=step)
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train)
        path = checkpoint.save(os.path.join(folder, 'model'))
        print(os.path.basename(path))
    kept = sess.run([v, old, step, checkpoint.save_counter])
    print(kept)
    print(os.path.basename(tf.train.latest_checkpoint(folder)))
    print(sorted(tf.train.list_variables(path)))
    sess.run([v.assign([0., 0.]), old.assign(0.), step.assign(0)])
    status = checkpoint.restore(path).assert_consumed()
    print(sess.run(v))
    status.run_restore_ops()
    print(sess.run([v, old, step]), sess.run(optimizer.get_slot(v, 'm')))

with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.Variable([0., 0.])
    new = tf.Variable(9.)
    checkpoint = tf.train.Checkpoint(v=v, new=new)
    status = checkpoint.restore(path)
    status.initialize_or_restore()
    print(sess.run([v, new]))
    again = tf.train.Checkpoint(v=v, new=new)
    again.restore(None).initialize_or_restore(sess)
    print(sess.run([v, new]))
    print(os.path.basename(checkpoint.write(os.path.join(folder, 'written'), session=sess)))
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), os.path.join(folder, 'kept'), max_to_keep=2)
    for _ in range(3):
        print(os.path.basename(manager.save()))
    print([os.path.basename(name) for name in manager.checkpoints])
