// log_placement.c - The classic program: which device does what?
//
//   a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3], name='a')
//   b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name='b')
//   c = tf.matmul(a, b)
//   sess = tf.Session(config=tf.ConfigProto(log_device_placement=True))
//   print(sess.run(c))
#include "example.h"

int main(int argc, char **argv) {
  static const float values[] = {1, 2, 3, 4, 5, 6};

  // Creates a graph.
  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = berth_const_f32(graph, "a", values, BERTH_SHAPE(2, 3));
  berth_out_t b = berth_const_f32(graph, "b", values, BERTH_SHAPE(3, 2));
  berth_out_t c = berth_matmul(graph, NULL, a, b);

  // Asks for a line about every placement.
  berth_config_t config = example_config(argc, argv);
  config.log_device_placement = true;

  // Runs the op and prints its value.
  int status = example_run(graph, &config, c);
  berth_graph_release(graph);
  return status;
}
