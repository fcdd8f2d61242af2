// memory_growth.c - Growing memory on every GPU, and counting them.
//
//   gpus = tf.config.list_physical_devices('GPU')
//   if gpus:
//     for gpu in gpus:
//       tf.config.experimental.set_memory_growth(gpu, True)
//     logical_gpus = tf.config.list_logical_devices('GPU')
//     print(len(gpus), "Physical GPUs,", len(logical_gpus), "Logical GPUs")
#include <stdio.h>
#include <stdlib.h>

#include "example.h"

int main(int argc, char **argv) {
  int physical = 0, logical = 0;
  if (example_count_gpus(&physical) != EXIT_SUCCESS) return EXIT_FAILURE;
  if (physical == 0) return EXIT_SUCCESS;

  berth_config_t config = example_config(argc, argv);
  config.gpu.allow_growth = true;
  if (example_open(&config, &logical) != EXIT_SUCCESS) return EXIT_FAILURE;
  printf("%d Physical GPUs, %d Logical GPUs\n", physical, logical);
  return EXIT_SUCCESS;
}
