// memory_fraction.c - Taking a part of each GPU's memory.
//
//   config = tf.ConfigProto()
//   config.gpu_options.per_process_gpu_memory_fraction = 0.4
//   session = tf.Session(config=config)
//
//   memory_fraction [FRACTION]
#include <stdlib.h>

#include "example.h"

int main(int argc, char **argv) {
  berth_config_t config = example_config(argc, argv);
  double fraction = argc > 1 ? strtod(argv[1], NULL) : 0;
  config.gpu.memory_fraction = fraction > 0 ? fraction : 0.4;
  return example_open(&config, NULL);
}
