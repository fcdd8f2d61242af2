# TF1
import tensorflow as tf
from google.protobuf import text_format

c = tf.ConfigProto()
c.gpu_options.per_process_gpu_memory_fraction = 0.25
c.gpu_options.visible_device_list = '0,1'
c.device_count['GPU'] = 0
c.allow_soft_placement = True
c.experimental.collective_group_leader = 'x'
print(c)
print(c.HasField('gpu_options'), c.gpu_options.allow_growth, c.intra_op_parallelism_threads, c.device_count['CPU'])
d = tf.ConfigProto()
d.ParseFromString(c.SerializeToString())
print(d == c, text_format.MessageToString(d, as_one_line=True))
d.Clear()
text_format.Parse('log_device_placement: true gpu_options { allow_growth: true }', d)
print(d.log_device_placement, d.gpu_options.allow_growth, len(d.ListFields()))
d.Clear(); d.MergeFrom(tf.ConfigProto(graph_options=tf.GraphOptions(enable_bfloat16_sendrecv=True)))
print(d)
for bad in (lambda: tf.ConfigProto(nope=1), lambda: setattr(c, 'allow_soft_placement', 'x'), lambda: setattr(c.gpu_options, 'allocator_type', 3), lambda: tf.ConfigProto(gpu_options=3), lambda: c.nope, lambda: setattr(c, 'nope', 1), lambda: text_format.Parse('what: 1', d), lambda: tf.GPUOptions(per_process_gpu_memory_fraction='a')):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
with tf.Session(config=c) as s:
    print(s.run(tf.constant(1)), len(s.list_devices()))
