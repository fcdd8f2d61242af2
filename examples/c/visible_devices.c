// visible_devices.c - Using the first GPU alone.
//
//   gpus = tf.config.list_physical_devices('GPU')
//   if gpus:
//     tf.config.set_visible_devices(gpus[0], 'GPU')
//     logical_gpus = tf.config.list_logical_devices('GPU')
//     print(len(gpus), "Physical GPUs,", len(logical_gpus), "Logical GPU")
#include <stdio.h>
#include <stdlib.h>

#include "example.h"

int main(int argc, char **argv) {
  int physical = 0, logical = 0;
  if (example_count_gpus(&physical) != EXIT_SUCCESS) return EXIT_FAILURE;
  if (physical == 0) return EXIT_SUCCESS;

  berth_config_t config = example_config(argc, argv);
  config.gpu.visible_devices = "0";
  if (example_open(&config, &logical) != EXIT_SUCCESS) return EXIT_FAILURE;
  printf("%d Physical GPUs, %d Logical GPU\n", physical, logical);
  return EXIT_SUCCESS;
}
