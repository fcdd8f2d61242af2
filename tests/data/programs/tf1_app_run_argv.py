# TF1
import sys
import tensorflow as tf

tf.flags.DEFINE_string('data_dir', '/tmp/x', 'Where.')
tf.flags.DEFINE_integer('steps', 10, 'How many.')
tf.flags.mark_flag_as_required('data_dir')


def main(unused_argv):
    args = tf.flags.FLAGS
    print(args.data_dir, args.steps, unused_argv[1:])
    print(sorted(k for k in args.flag_values_dict() if k in ('data_dir', 'steps')))
    print(args['steps'].value, args['steps'].default, args['steps'].help)
    sys.exit(3)


if __name__ == '__main__':
    tf.app.run(main=main, argv=['prog', '--data_dir=/d', '--steps', '7', 'rest'])
