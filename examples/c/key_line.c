// key_line.c - The one setting that shows whether a GPU is used.
//
//   sess = tf.Session(config=tf.ConfigProto(log_device_placement=True))
#include "example.h"

int main(int argc, char **argv) {
  berth_config_t config = example_config(argc, argv);
  config.log_device_placement = true;
  return example_open(&config, NULL);
}
