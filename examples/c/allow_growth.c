// allow_growth.c - Taking GPU memory as it is needed, instead of all at once.
//
//   config = tf.ConfigProto()
//   config.gpu_options.allow_growth = True
//   session = tf.Session(config=config)
#include "example.h"

int main(int argc, char **argv) {
  berth_config_t config = example_config(argc, argv);
  config.gpu.allow_growth = true;
  return example_open(&config, NULL);
}
