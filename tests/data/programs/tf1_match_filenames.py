# TF1
import tensorflow as tf

for name in ['b.csv', 'a.csv', 'c.txt']:
    with tf.gfile.GFile(name, 'w') as file:
        file.write(name + ',1\nsecond,2\n')
files = tf.train.match_filenames_once('./*.csv')
print(files, files.op.type, [v.name for v in tf.local_variables()])
queue = tf.train.string_input_producer(files, shuffle=False, num_epochs=1)
key, line = tf.TextLineReader().read(queue)
name, count = tf.decode_csv(line, [['?'], [0]])
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    print(sess.run(files))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while not coord.should_stop():
            print(sess.run([key, name, count]))
    except tf.errors.OutOfRangeError:
        print('done')
    finally:
        coord.request_stop()
    coord.join(threads)
for n in tf.get_default_graph().as_graph_def().node:
    print(n.op, n.name, list(n.input))
