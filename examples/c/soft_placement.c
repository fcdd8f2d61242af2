// soft_placement.c - Asking for a GPU, and going on without it.
//
//   with tf.device('/device:GPU:2'):
//     ...
//   sess = tf.Session(config=tf.ConfigProto(
//       allow_soft_placement=True, log_device_placement=True))
#include "example.h"

int main(int argc, char **argv) {
  static const float values[] = {1, 2, 3, 4, 5, 6};

  // Creates a graph.
  berth_graph_t *graph = berth_graph_create();
  berth_device_push(graph, "/device:GPU:2");
  berth_out_t a = berth_const_f32(graph, "a", values, BERTH_SHAPE(2, 3));
  berth_out_t b = berth_const_f32(graph, "b", values, BERTH_SHAPE(3, 2));
  berth_out_t c = berth_matmul(graph, NULL, a, b);
  berth_device_pop(graph);

  // Lets another device do what the one asked for cannot.
  berth_config_t config = example_config(argc, argv);
  config.allow_soft_placement = true;
  config.log_device_placement = true;
  int status = example_run(graph, &config, c);
  berth_graph_release(graph);
  return status;
}
