// logical_limit.c - A logical GPU that may use one gigabyte and no more.
//
//   gpus = tf.config.list_physical_devices('GPU')
//   if gpus:
//     tf.config.set_logical_device_configuration(
//         gpus[0],
//         [tf.config.experimental.VirtualDeviceConfiguration(
//             memory_limit=1024)])
//     logical_gpus = tf.config.list_logical_devices('GPU')
//     print(len(gpus), "Physical GPUs,", len(logical_gpus), "Logical GPUs")
#include <stdio.h>
#include <stdlib.h>

#include "example.h"

enum { MAX_CARDS = 64 };

int main(int argc, char **argv) {
  int physical = 0, logical = 0;
  if (example_count_gpus(&physical) != EXIT_SUCCESS) return EXIT_FAILURE;
  if (physical == 0 || physical > MAX_CARDS) return EXIT_SUCCESS;

  // One entry for each card; those that are empty get a GPU as usual.
  static const float limit_mb[] = {1024};
  berth_virtual_devices_t cards[MAX_CARDS] = {
      {.memory_limit_mb = limit_mb, .memory_limit_count = 1}};
  berth_config_t config = example_config(argc, argv);
  config.gpu_experimental.virtual_devices = cards;
  config.gpu_experimental.virtual_device_count = physical;
  if (example_open(&config, &logical) != EXIT_SUCCESS) return EXIT_FAILURE;
  printf("%d Physical GPUs, %d Logical GPUs\n", physical, logical);
  return EXIT_SUCCESS;
}
