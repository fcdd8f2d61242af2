// single_gpu.c - Using the third of several GPUs.
//
//   with tf.device('/device:GPU:2'):
//     ...
//
// On a machine without that GPU the run fails and says which devices there are;
// soft_placement.c shows how to go on without it.
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

  berth_config_t config = example_config(argc, argv);
  config.log_device_placement = true;
  int status = example_run(graph, &config, c);
  berth_graph_release(graph);
  return status;
}
