// example.h - What the examples share: their one option, and one way to run.
//
//   program [--style=default|tf2|classic]
//
// chooses how placements are printed: each line once, as TensorFlow 2.21 does,
// or as the TensorFlow of 2015 to 2017 did. The environment variable
// BERTH_PLACEMENT_LOG does the same, and wins, as everywhere in Berth.
#ifndef BERTH_EXAMPLES_EXAMPLE_H_
#define BERTH_EXAMPLES_EXAMPLE_H_

#include <berth/berth.h>

// Returns the settings every example starts from: Berth's own, with the style
// that the command line or the environment asks for.
berth_config_t example_config(int argc, char **argv);

// Makes a session on |graph|, runs |fetch| and prints its value as that style
// does. Returns the program's exit status; a failure is told on stderr.
int example_run(berth_graph_t *graph, const berth_config_t *config,
                berth_out_t fetch);

// Makes a session with |config| and no graph to run, as the scripts do that
// show a setting, and stores how many of its devices are GPUs in
// |*out_gpu_count| (may be NULL). Returns the program's exit status.
int example_open(const berth_config_t *config, int *out_gpu_count);

// Stores how many cards this process may use in |*out_count|, without making
// devices of them. Returns the program's exit status.
int example_count_gpus(int *out_count);

#endif  // BERTH_EXAMPLES_EXAMPLE_H_
