// model.c - Networks: their files, their results, whole processes.
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How much of itself a value may differ by.
static const double tolerance = 1e-3;

// ---- Files ----

// Stores the path of NET|suffix| in the folder of the models.
static void path_of(const char *net, const char *suffix, char path[512]) {
  const char *folder = getenv("BERTH_BENCH_MODELS");
  if (folder == NULL) folder = "build/bench-models";
  snprintf(path, 512, "%s/%s%s", folder, net, suffix);
}

// Reads |count| floats from the file NET|suffix|.
static float *read_floats(const char *net, const char *suffix, long count) {
  char path[512];
  unsigned long size = 0;
  path_of(net, suffix, path);
  float *values = side_read(path, &size);
  if (values == NULL || size == (unsigned long)count * sizeof(float)) {
    return values;
  }
  fprintf(stderr, "%s has %lu bytes, not %lu\n", path, size,
          (unsigned long)count * sizeof(float));
  free(values);
  return NULL;
}

// Takes "model_NET_bCOUNT" apart. "model_" may be missing.
static bool parse_name(const char *name, model_t *model) {
  if (strncmp(name, "model_", 6) == 0) name += 6;
  snprintf(model->net, sizeof(model->net), "%s", name);
  char *end = strrchr(model->net, '_');
  if (end == NULL || end[1] != 'b') return false;
  model->batch = (int)strtol(end + 2, NULL, 10);
  *end = '\0';
  return model->batch >= 1 && model->batch <= MODEL_IMAGES;
}

// Reads the first images of each set, as many as a batch has.
static float *read_images(const model_t *model) {
  char path[512];
  path_of("images", ".f32", path);
  size_t count = (size_t)model->batch * MODEL_PIXELS;
  float *images = side_alloc(MODEL_SETS * count * sizeof(float));
  FILE *file = fopen(path, "rb");
  bool is_read = images != NULL && file != NULL;
  for (long set = 0; set < MODEL_SETS && is_read; ++set) {
    long start = set * MODEL_IMAGES * MODEL_PIXELS * (long)sizeof(float);
    is_read = fseek(file, start, SEEK_SET) == 0 &&
              fread(images + (size_t)set * count, sizeof(float), count, file) ==
                  count;
  }
  if (file != NULL) fclose(file);
  if (is_read) return images;
  fprintf(stderr, "cannot read %s\n", path);
  free(images);
  return NULL;
}

static bool read_files(model_t *model) {
  char path[512];
  path_of(model->net, ".pb", path);
  model->graph = side_read(path, &model->graph_size);
  model->images = read_images(model);
  // However the network is written, its results are the same.
  char net[64];
  snprintf(net, sizeof(net), "%.*s", (int)strcspn(model->net, "_"), model->net);
  path_of(net, ".expected", path);
  FILE *file = fopen(path, "rb");
  if (file != NULL) {
    fclose(file);
    model->expected = read_floats(
        net, ".expected", (long)MODEL_SETS * MODEL_IMAGES * MODEL_CLASSES);
    if (model->expected == NULL) return false;
  }
  return model->graph != NULL && model->images != NULL;
}

model_t *model_open(const char *name) {
  model_t *model = side_alloc(sizeof(*model));
  if (model == NULL) return NULL;
  model->name = name;
  if (!parse_name(name, model)) {
    fprintf(stderr, "%s is not model_NET_bCOUNT, of 1 to %d images\n", name,
            MODEL_IMAGES);
  } else if (read_files(model)) {
    return model;
  }
  model_close(model);
  return NULL;
}

void model_close(model_t *model) {
  if (model == NULL) return;
  free(model->graph);
  free(model->images);
  free(model->expected);
  free(model);
}

const float *model_images(const model_t *model, int set) {
  return model->images + (long)set * model->batch * MODEL_PIXELS;
}

bool model_check(const model_t *model, int set, const float *result) {
  if (model->expected == NULL) return true;
  const float *expected =
      model->expected + (long)set * MODEL_IMAGES * MODEL_CLASSES;
  for (int i = 0; i < model->batch * MODEL_CLASSES; ++i) {
    double off = fabs((double)result[i] - (double)expected[i]);
    if (off <= tolerance * fabs((double)expected[i])) continue;  // Not of NaN.
    fprintf(stderr, "%s: image %d, class %d: got %.9g, not %.9g\n", model->name,
            i / MODEL_CLASSES, i % MODEL_CLASSES, (double)result[i],
            (double)expected[i]);
    return false;
  }
  return true;
}

// ---- Requests ----

typedef struct model_bench {
  model_t *model;
  const model_side_t *side;
  void *state;
  float result[MODEL_IMAGES * MODEL_CLASSES];
} model_bench_t;

void *model_bench_open(const side_bench_t *bench) {
  model_bench_t *on = side_alloc(sizeof(*on));
  if (on == NULL) return NULL;
  on->side = bench->arg;
  on->model = model_open(bench->name);
  if (on->model != NULL) on->state = on->side->open(on->model);
  if (on->state != NULL) {
    free(on->model->images);  // The feeds have copies.
    on->model->images = NULL;
    return on;
  }
  model_bench_close(on);
  return NULL;
}

bool model_bench_call(void *state, long turn) {
  model_bench_t *on = state;
  int set = (int)(turn % MODEL_SETS);
  return on->side->call(on->state, set, on->result) &&
         model_check(on->model, set, on->result);
}

void model_bench_close(void *state) {
  model_bench_t *on = state;
  if (on->state != NULL) on->side->close(on->state);
  model_close(on->model);
  free(on);
}

int model_benches(const model_side_t *side, side_bench_t *benches, int count) {
  static const struct {
    const char *name;
    int batch;
  } models[] = {{"model_mobilenetv2_b1", 1},
                {"model_mobilenetv2_b8", 8},
                {"model_resnet50_b1", 1},
                {"model_resnet50_b8", 8}};
  for (unsigned long i = 0; i < sizeof(models) / sizeof(models[0]); ++i) {
    benches[count++] = (side_bench_t){models[i].name,
                                      "images/s",
                                      models[i].batch,
                                      model_bench_open,
                                      model_bench_call,
                                      model_bench_close,
                                      side};
  }
  return count;
}

// ---- Processes ----

// Runs every set once and writes the results.
static bool write_results(model_bench_t *on, const char *path) {
  size_t count = (size_t)on->model->batch * MODEL_CLASSES;
  bool is_written = true;
  FILE *file = fopen(path, "wb");
  if (file == NULL) return false;
  for (int set = 0; set < MODEL_SETS; ++set) {
    is_written = is_written && on->side->call(on->state, set, on->result) &&
                 fwrite(on->result, sizeof(float), count, file) == count;
  }
  return fclose(file) == 0 && is_written;
}

int model_process(const model_side_t *side, const char *name, long runs,
                  const char *out_path) {
  side_bench_t bench = {name, "images/s", 1, NULL, NULL, NULL, side, NULL};
  double start = side_now();
  model_bench_t *on = model_bench_open(&bench);
  if (on == NULL) return EXIT_FAILURE;
  bool is_right = model_bench_call(on, 0);
  double first = side_now() - start;

  start = side_now();
  for (long i = 1; i < runs && is_right; ++i)
    is_right = model_bench_call(on, i);
  double later = runs > 1 ? (side_now() - start) / (double)(runs - 1) : first;
  if (is_right && out_path != NULL) is_right = write_results(on, out_path);
  if (is_right) {
    printf(
        "%.9g %.9g: %.4g ms to the first result, then %.4g ms a run, "
        "%.4g images/s\n",
        first, later, first * 1e3, later * 1e3,
        (double)on->model->batch / later);
  }
  model_bench_close(on);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
