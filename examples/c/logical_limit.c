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

// ConfigProto {gpu_options {experimental {virtual_devices {
//   memory_limit_mb: 1024}}}}, as any protobuf library writes it.
static const unsigned char CONFIG[] = {
    6 << 3 | 2, 10,                   // gpu_options
    9 << 3 | 2, 8,                    // experimental
    1 << 3 | 2, 6,                    // virtual_devices
    1 << 3 | 2, 4,  0, 0, 0x80, 0x44  // memory_limit_mb: 1024.0
};

int main(int argc, char **argv) {
  int physical = 0, logical = 0;
  if (example_count_gpus(&physical) != EXIT_SUCCESS) return EXIT_FAILURE;
  if (physical == 0) return EXIT_SUCCESS;

  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config;
  berth_code_t code = berth_config_parse(CONFIG, sizeof(CONFIG), &config, &err);
  if (code != BERTH_OK) fprintf(stderr, "%s\n", berth_error_message(&err));
  berth_error_clear(&err);
  if (code != BERTH_OK) return EXIT_FAILURE;

  config.log_style = example_config(argc, argv).log_style;
  int status = example_open(&config, &logical);
  if (status == EXIT_SUCCESS) {
    printf("%d Physical GPUs, %d Logical GPUs\n", physical, logical);
  }
  berth_config_clear(&config);
  return status;
}
