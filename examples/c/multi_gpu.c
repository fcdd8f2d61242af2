// multi_gpu.c - Towers: the same work on two GPUs, the sum on the CPU.
//
//   c = []
//   for d in ['/device:GPU:2', '/device:GPU:3']:
//     with tf.device(d):
//       a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3])
//       b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2])
//       c.append(tf.matmul(a, b))
//   with tf.device('/cpu:0'):
//     sum = tf.add_n(c)
#include "example.h"

enum { TOWERS = 2 };

int main(int argc, char **argv) {
  static const float values[] = {1, 2, 3, 4, 5, 6};
  static const char *const devices[TOWERS] = {"/device:GPU:2", "/device:GPU:3"};

  // Creates a graph.
  berth_graph_t *graph = berth_graph_create();
  berth_out_t c[TOWERS];
  for (int i = 0; i < TOWERS; ++i) {
    berth_device_push(graph, devices[i]);
    berth_out_t a = berth_const_f32(graph, NULL, values, BERTH_SHAPE(2, 3));
    berth_out_t b = berth_const_f32(graph, NULL, values, BERTH_SHAPE(3, 2));
    c[i] = berth_matmul(graph, NULL, a, b);
    berth_device_pop(graph);
  }
  berth_device_push(graph, "/cpu:0");
  berth_out_t sum = berth_add_n(graph, NULL, c, TOWERS);
  berth_device_pop(graph);

  berth_config_t config = example_config(argc, argv);
  config.log_device_placement = true;
  int status = example_run(graph, &config, sum);
  berth_graph_release(graph);
  return status;
}
