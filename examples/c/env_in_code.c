// env_in_code.c - Choosing GPUs by the environment, from inside the program.
//
//   os.environ["CUDA_VISIBLE_DEVICES"] = "2"
//
// It counts because Berth looks at nothing before it is first used:
//
//   CUDA_VISIBLE_DEVICES=1       only card 1
//   CUDA_VISIBLE_DEVICES=0,2,3   cards 0, 2 and 3, which become GPU:0 to GPU:2
//   CUDA_VISIBLE_DEVICES=""      no GPU
#include <stdlib.h>

#include "example.h"

int main(int argc, char **argv) {
  setenv("CUDA_VISIBLE_DEVICES", "2", 1);
  berth_config_t config = example_config(argc, argv);
  return example_open(&config, NULL);
}
