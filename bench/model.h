// model.h - What the model_ rows run: networks that models.py has written.
//
// A model is a network and a size of batches, named model_NET_bCOUNT. Its
// files lie in the folder that BERTH_BENCH_MODELS names, build/bench-models
// without it:
//
//   NET.pb         the frozen graph, from x to y
//   images.f32     MODEL_SETS batches of MODEL_IMAGES images
//   NET.expected   the results of them all; run.py writes it when the libraries
//                  agree about them. Without it results are not checked.
#ifndef BERTH_BENCH_MODEL_H_
#define BERTH_BENCH_MODEL_H_

#include <stdbool.h>

#include "side.h"

enum {
  MODEL_SETS = 2,
  MODEL_IMAGES = 8,  // Of a set; a smaller batch has the first ones.
  MODEL_SIDE = 224,
  MODEL_CHANNELS = 3,
  MODEL_CLASSES = 1000,
  MODEL_PIXELS = MODEL_SIDE * MODEL_SIDE * MODEL_CHANNELS,
};

// A model and its files. Frees with model_close().
typedef struct model {
  const char *name;
  char net[64];
  int batch;
  void *graph;  // The bytes of the GraphDef; freed by who has imported it.
  unsigned long graph_size;
  float *images;    // A batch of each set; freed once there are feeds.
  float *expected;  // NULL: not known.
} model_t;

// A library's functions. |open| imports the graph and prepares feeds; |call|
// runs set |set| and stores MODEL_CLASSES values per image at |out|.
typedef struct model_side {
  void *(*open)(model_t *model);
  bool (*call)(void *state, int set, float *out);
  void (*close)(void *state);
} model_side_t;

// Reads the files of the model |name|. NULL with a word on stderr.
model_t *model_open(const char *name);
void model_close(model_t *model);

// Returns the images of set |set|.
const float *model_images(const model_t *model, int set);

// Returns whether |result|, of set |set|, is what is expected: no value differs
// by more than a thousandth of itself. Tells on stderr when not.
bool model_check(const model_t *model, int set, const float *result);

// Opens the model |name| with |side|, runs it |runs| times and prints the
// seconds from the first byte read to the first result and those of a later
// run. Writes the results of all sets, of the size of the batch each, to
// |out_path|, which may be NULL. Returns the program's exit status.
int model_process(const model_side_t *side, const char *name, long runs,
                  const char *out_path);

// ---- Requests: the model of |bench->name| with |bench->arg|, a model_side_t.

void *model_bench_open(const side_bench_t *bench);
bool model_bench_call(void *state, long turn);
void model_bench_close(void *state);

// Appends the benches of models to |benches| and returns their new count.
int model_benches(const model_side_t *side, side_bench_t *benches, int count);

#endif  // BERTH_BENCH_MODEL_H_
