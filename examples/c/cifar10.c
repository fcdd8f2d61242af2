// cifar10.c - Trains a network on CIFAR-10 with one tower per GPU; its
// variables are on the CPU.
//
//   examples/cifar10/make_data.py data            # or the real files
//   cifar10 data/data_batch_1.bin data/test_batch.bin [gpus [steps [batch
//           [folder]]]]
//
// Every step each tower takes a batch of its own, berth_gradients() adds the
// slopes of its loss, and one ResourceApplyMomentum per variable takes their
// mean. In the folder it keeps a checkpoint, from which it goes on the next
// time, and the logs that TensorBoard shows. examples/cifar10/train.py is the
// same in Python.
#include <berth/berth.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  SIDE = 32,
  CHANNELS = 3,
  PIXELS = SIDE * SIDE * CHANNELS,
  RECORD = PIXELS + 1,
  CLASSES = 10,
  FILTERS = 8,
  HIDDEN = 64,
  FLAT = 4 * 4 * 4 * FILTERS,  // What three halvings leave.
  VARIABLES = 10,
  TOWERS_MAX = 16,
};

// ---- Data ----

typedef struct images {
  unsigned char *bytes;
  int64_t count;
} images_t;

static bool images_read(const char *path, images_t *out) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  out->count = size / RECORD;
  out->bytes = size > 0 ? malloc((size_t)size) : NULL;
  bool is_read = out->bytes != NULL &&
                 fread(out->bytes, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  return is_read && out->count > 0;
}

// Fills a batch from image |first| on: channels last, around zero.
static void images_batch(const images_t *images, int64_t first, int count,
                         float *pixels, int32_t *labels) {
  for (int i = 0; i < count; ++i) {
    const unsigned char *record =
        images->bytes + (first + i) % images->count * RECORD;
    labels[i] = record[0];
    for (int p = 0; p < PIXELS; ++p) {
      int channel = p % CHANNELS, place = p / CHANNELS;
      unsigned char byte = record[1 + channel * SIDE * SIDE + place];
      pixels[(size_t)i * PIXELS + (size_t)p] = (float)byte / 128.0F - 1.0F;
    }
  }
}

// ---- Network ----

typedef struct net {
  berth_graph_t *graph;
  berth_out_t handles[VARIABLES], moments[VARIABLES];
  berth_node_id_t starts[2 * VARIABLES];
  char names[2 * VARIABLES][64];
  int count;
} net_t;

static berth_out_t number(berth_graph_t *g, float value) {
  return berth_const_f32(g, NULL, &value, BERTH_SCALAR);
}

static berth_out_t handle(net_t *net, const char *name, berth_dims_t shape) {
  berth_var_handle_op_attrs_t attrs = BERTH_VAR_HANDLE_OP_ATTRS;
  attrs.shared_name = name;  // Variables without one are one variable.
  return berth_var_handle_op_with(net->graph, name, BERTH_FLOAT, shape, &attrs);
}

// Adds a variable that starts with values of |deviation|, and its momentum,
// which starts at zero.
static void variable(net_t *net, const char *name, berth_dims_t shape,
                     float deviation) {
  berth_graph_t *g = net->graph;
  int32_t dims[4];
  int i = net->count++;
  for (int d = 0; d < shape.rank; ++d) dims[d] = (int32_t)shape.dims[d];
  berth_out_t sizes = berth_const_i32(g, NULL, dims, BERTH_SHAPE(shape.rank));
  berth_truncated_normal_attrs_t seeds = BERTH_TRUNCATED_NORMAL_ATTRS;
  seeds.seed = 1;
  seeds.seed2 = i + 1;
  berth_out_t drawn =
      berth_truncated_normal_with(g, NULL, sizes, BERTH_FLOAT, &seeds);
  snprintf(net->names[i], sizeof(net->names[i]), "%s", name);
  snprintf(net->names[VARIABLES + i], sizeof(net->names[i]), "%s/Momentum",
           name);
  net->handles[i] = handle(net, name, shape);
  net->moments[i] = handle(net, net->names[VARIABLES + i], shape);
  net->starts[2 * i] =
      berth_assign_variable_op(g, NULL, net->handles[i],
                               berth_mul(g, NULL, drawn, number(g, deviation)));
  net->starts[2 * i + 1] = berth_assign_variable_op(
      g, NULL, net->moments[i], berth_fill(g, NULL, sizes, number(g, 0)));
}

static void variables(net_t *net) {
  berth_device_push(net->graph, "/cpu:0");
  int inputs = CHANNELS;
  for (int layer = 0; layer < 3; ++layer) {
    int outputs = FILTERS << layer;
    char name[32];
    snprintf(name, sizeof(name), "conv%d/weights", layer + 1);
    variable(net, name, BERTH_SHAPE(3, 3, inputs, outputs),
             sqrtf(2.0F / (float)(9 * inputs)));
    snprintf(name, sizeof(name), "conv%d/biases", layer + 1);
    variable(net, name, BERTH_SHAPE(outputs), 0);
    inputs = outputs;
  }
  variable(net, "local/weights", BERTH_SHAPE(FLAT, HIDDEN), sqrtf(2.0F / FLAT));
  variable(net, "local/biases", BERTH_SHAPE(HIDDEN), 0);
  variable(net, "softmax/weights", BERTH_SHAPE(HIDDEN, CLASSES),
           sqrtf(1.0F / HIDDEN));
  variable(net, "softmax/biases", BERTH_SHAPE(CLASSES), 0);
  berth_device_pop(net->graph);
}

static berth_out_t read(const net_t *net, int i) {
  return berth_read_variable_op(net->graph, NULL, net->handles[i], BERTH_FLOAT);
}

// Returns the logits of |images|.
static berth_out_t logits_of(const net_t *net, berth_out_t images) {
  static const int64_t one[] = {1, 1, 1, 1}, two[] = {1, 2, 2, 1};
  static const int32_t flat[] = {-1, FLAT};
  berth_graph_t *g = net->graph;
  berth_out_t x = images;
  for (int layer = 0; layer < 3; ++layer) {
    x = berth_conv2d(g, NULL, x, read(net, 2 * layer), one, 4, "SAME");
    x = berth_bias_add(g, NULL, x, read(net, 2 * layer + 1));
    x = berth_max_pool(g, NULL, berth_relu(g, NULL, x), two, 4, two, 4, "SAME");
  }
  x = berth_reshape(g, NULL, x, berth_const_i32(g, NULL, flat, BERTH_SHAPE(2)));
  x = berth_bias_add(g, NULL, berth_matmul(g, NULL, x, read(net, 6)),
                     read(net, 7));
  x = berth_matmul(g, NULL, berth_relu(g, NULL, x), read(net, 8));
  return berth_bias_add(g, NULL, x, read(net, 9));
}

static berth_out_t mean_of(berth_graph_t *g, berth_out_t values) {
  return berth_mean(g, NULL, values,
                    berth_const_i32(g, NULL, &(int32_t){0}, BERTH_SHAPE(1)));
}

static berth_out_t accuracy_of(berth_graph_t *g, berth_out_t logits,
                               berth_out_t labels) {
  berth_out_t k = berth_const_i32(g, NULL, &(int32_t){1}, BERTH_SCALAR);
  berth_out_t is_right = berth_in_top_k_v2(g, NULL, logits, labels, k);
  return mean_of(g, berth_cast(g, NULL, is_right, BERTH_FLOAT));
}

// ---- Towers ----

typedef struct tower {
  berth_out_t images, labels, loss, accuracy;
  berth_slope_t slopes[VARIABLES];
} tower_t;

static berth_code_t tower_build(const net_t *net, int index, tower_t *tower,
                                berth_error_t *err) {
  berth_graph_t *g = net->graph;
  char device[32];
  snprintf(device, sizeof(device), "/device:GPU:%d", index);
  berth_placeholder_attrs_t attrs = BERTH_PLACEHOLDER_ATTRS;
  attrs.shape = BERTH_SHAPE(-1, SIDE, SIDE, CHANNELS);
  tower->images = berth_placeholder_with(g, NULL, BERTH_FLOAT, &attrs);
  attrs.shape = BERTH_SHAPE(-1);
  tower->labels = berth_placeholder_with(g, NULL, BERTH_INT32, &attrs);
  berth_device_push(g, device);
  berth_out_t logits = logits_of(net, tower->images);
  berth_node_id_t losses = berth_sparse_softmax_cross_entropy_with_logits(
      g, NULL, logits, tower->labels);
  tower->loss = mean_of(g, berth_output(losses, 0));
  berth_code_t code = berth_gradients(g, &tower->loss, 1, net->handles,
                                      VARIABLES, NULL, tower->slopes, err);
  berth_device_pop(g);
  tower->accuracy = accuracy_of(g, logits, tower->labels);
  return code;
}

// Adds one step for each variable, by the mean of the towers' slopes.
static void steps_add(const net_t *net, const tower_t *towers, int count,
                      berth_node_id_t *steps) {
  berth_graph_t *g = net->graph;
  berth_device_push(g, "/cpu:0");
  for (int i = 0; i < VARIABLES; ++i) {
    berth_out_t parts[TOWERS_MAX];
    for (int t = 0; t < count; ++t) parts[t] = towers[t].slopes[i].values;
    berth_out_t mean = berth_mul(g, NULL, berth_add_n(g, NULL, parts, count),
                                 number(g, 1.0F / (float)count));
    steps[i] =
        berth_resource_apply_momentum(g, NULL, net->handles[i], net->moments[i],
                                      number(g, 0.02F), mean, number(g, 0.9F));
  }
  berth_device_pop(g);
}

// ---- Checkpoints and logs ----

enum { KEPT = 2 * VARIABLES + 1, LOGGED = 2 };  // Variables and the step.

// Nodes that save and restore all variables and the step, and write logs.
typedef struct keeper {
  berth_out_t step, logged[LOGGED];  // Fed.
  berth_node_id_t save, restores[2 * VARIABLES];
  berth_out_t restored_step;
  berth_node_id_t open, writes[LOGGED], flush;
  char path[600];
} keeper_t;

// Adds a constant of texts; a scalar where |count| is 0.
static berth_out_t texts(berth_graph_t *g, const char *const *values,
                         int count) {
  berth_tensor_t *tensor = NULL;
  berth_out_t out = {0};
  berth_dims_t shape = count == 0 ? BERTH_SCALAR : BERTH_SHAPE(count);
  if (berth_tensor_create(BERTH_STRING, shape, &tensor, NULL) != BERTH_OK) {
    return out;
  }
  for (int i = 0; i < (count == 0 ? 1 : count); ++i) {
    if (berth_tensor_set_string(tensor, i, values[i], strlen(values[i]),
                                NULL) != BERTH_OK) {
      break;
    }
  }
  out = berth_const(g, NULL, tensor);
  berth_tensor_release(tensor);
  return out;
}

static void keeper_add_checkpoint(const net_t *net, keeper_t *keeper) {
  berth_graph_t *g = net->graph;
  const char *names[KEPT], *whole[KEPT], *path = keeper->path;
  berth_out_t values[KEPT];
  berth_dtype_t types[KEPT];
  for (int i = 0; i < 2 * VARIABLES; ++i) {
    berth_out_t of =
        i < VARIABLES ? net->handles[i] : net->moments[i - VARIABLES];
    names[i] = net->names[i];
    values[i] = berth_read_variable_op(g, NULL, of, BERTH_FLOAT);
    types[i] = BERTH_FLOAT;
  }
  names[KEPT - 1] = "global_step";
  values[KEPT - 1] = keeper->step;
  types[KEPT - 1] = BERTH_INT64;
  for (int i = 0; i < KEPT; ++i) whole[i] = "";
  berth_out_t prefix = texts(g, &path, 0), keys = texts(g, names, KEPT),
              slices = texts(g, whole, KEPT);
  keeper->save = berth_save_v2(g, NULL, prefix, keys, slices, values, KEPT);
  berth_node_id_t read =
      berth_restore_v2(g, NULL, prefix, keys, slices, types, KEPT);
  for (int i = 0; i < 2 * VARIABLES; ++i) {
    berth_out_t of =
        i < VARIABLES ? net->handles[i] : net->moments[i - VARIABLES];
    keeper->restores[i] =
        berth_assign_variable_op(g, NULL, of, (berth_out_t){read, i});
  }
  keeper->restored_step = (berth_out_t){read, KEPT - 1};
}

static void keeper_add_logs(const net_t *net, const char *folder,
                            keeper_t *keeper) {
  static const char *const tags[LOGGED] = {"loss", "accuracy"};
  const char *suffix = ".v2";
  berth_graph_t *g = net->graph;
  int32_t most = 10, millis = 10000;
  berth_summary_writer_attrs_t attrs = BERTH_SUMMARY_WRITER_ATTRS;
  attrs.shared_name = "logs";
  berth_out_t writer = berth_summary_writer_with(g, NULL, &attrs);
  keeper->open = berth_create_summary_file_writer(
      g, NULL, writer, texts(g, &folder, 0),
      berth_const_i32(g, NULL, &most, BERTH_SCALAR),
      berth_const_i32(g, NULL, &millis, BERTH_SCALAR), texts(g, &suffix, 0));
  for (int i = 0; i < LOGGED; ++i) {
    keeper->logged[i] = berth_placeholder(g, NULL, BERTH_FLOAT);
    keeper->writes[i] =
        berth_write_scalar_summary(g, NULL, writer, keeper->step,
                                   texts(g, &tags[i], 0), keeper->logged[i]);
  }
  keeper->flush = berth_flush_summary_writer(g, NULL, writer);
}

static void keeper_add(const net_t *net, const char *folder, keeper_t *keeper) {
  snprintf(keeper->path, sizeof(keeper->path), "%.500s/model.ckpt", folder);
  berth_device_push(net->graph, "/cpu:0");
  keeper->step = berth_placeholder(net->graph, NULL, BERTH_INT64);
  keeper_add_checkpoint(net, keeper);
  keeper_add_logs(net, folder, keeper);
  berth_device_pop(net->graph);
}

// Runs |targets| with the step and what is logged.
static berth_code_t keeper_run(const keeper_t *keeper, berth_session_t *session,
                               const berth_node_id_t *targets, int count,
                               int64_t step, const float *logged,
                               berth_error_t *err) {
  berth_feed_t feeds[1 + LOGGED] = {{.out = keeper->step}};
  int feed_count = logged != NULL ? 1 + LOGGED : 1;
  berth_code_t code = berth_tensor_copy_from(BERTH_INT64, BERTH_SCALAR, &step,
                                             &feeds[0].tensor, err);
  for (int i = 1; code == BERTH_OK && i < feed_count; ++i) {
    feeds[i].out = keeper->logged[i - 1];
    code = berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &logged[i - 1],
                                  &feeds[i].tensor, err);
  }
  berth_run_t wish = {.feeds = feeds,
                      .feed_count = feed_count,
                      .targets = targets,
                      .target_count = count};
  if (code == BERTH_OK) code = berth_session_run_with(session, &wish, err);
  for (int i = 0; i < feed_count; ++i) berth_tensor_release(feeds[i].tensor);
  return code;
}

// Restores the checkpoint, if there is one, and stores its step.
static berth_code_t keeper_restore(const keeper_t *keeper,
                                   berth_session_t *session, int *out_step,
                                   berth_error_t *err) {
  char index[640];
  snprintf(index, sizeof(index), "%s.index", keeper->path);
  FILE *file = fopen(index, "rb");
  if (file == NULL) return BERTH_OK;
  fclose(file);
  berth_tensor_t *step = NULL;
  berth_run_t wish = {.fetches = &keeper->restored_step,
                      .fetch_count = 1,
                      .results = &step,
                      .targets = keeper->restores,
                      .target_count = 2 * VARIABLES};
  berth_code_t code = berth_session_run_with(session, &wish, err);
  if (code != BERTH_OK) return code;
  *out_step = (int)*(int64_t *)berth_tensor_data(step);
  berth_tensor_release(step);
  fprintf(stderr, "going on from %s, step %d\n", keeper->path, *out_step);
  return BERTH_OK;
}

// ---- Training ----

typedef struct trainer {
  const char *folder;  // NULL: nothing is kept.
  keeper_t keeper;
  berth_session_t *session;
  tower_t towers[TOWERS_MAX];
  berth_node_id_t steps[VARIABLES];
  int tower_count, batch;
  float *pixels;
  int32_t *labels;
} trainer_t;

// Runs all towers on batches from image |first| on, with |targets|; adds up
// their losses and accuracies.
static berth_code_t run_towers(trainer_t *trainer, const images_t *images,
                               int64_t first, int target_count, float *loss,
                               float *accuracy, berth_error_t *err) {
  berth_feed_t feeds[2 * TOWERS_MAX] = {0};
  berth_out_t fetches[2 * TOWERS_MAX];
  berth_tensor_t *results[2 * TOWERS_MAX] = {NULL};
  int batch = trainer->batch, count = 2 * trainer->tower_count;
  berth_code_t code = BERTH_OK;
  for (int t = 0; code == BERTH_OK && t < trainer->tower_count; ++t) {
    const tower_t *tower = &trainer->towers[t];
    images_batch(images, first + (int64_t)t * batch, batch, trainer->pixels,
                 trainer->labels);
    feeds[2 * t].out = tower->images;
    feeds[2 * t + 1].out = tower->labels;
    fetches[2 * t] = tower->loss;
    fetches[2 * t + 1] = tower->accuracy;
    code = berth_tensor_copy_from(BERTH_FLOAT,
                                  BERTH_SHAPE(batch, SIDE, SIDE, CHANNELS),
                                  trainer->pixels, &feeds[2 * t].tensor, err);
    if (code != BERTH_OK) break;
    code =
        berth_tensor_copy_from(BERTH_INT32, BERTH_SHAPE(batch), trainer->labels,
                               &feeds[2 * t + 1].tensor, err);
  }
  if (code == BERTH_OK) {
    berth_run_t wish = {.feeds = feeds,
                        .feed_count = count,
                        .fetches = fetches,
                        .fetch_count = count,
                        .results = results,
                        .targets = trainer->steps,
                        .target_count = target_count};
    code = berth_session_run_with(trainer->session, &wish, err);
  }
  for (int t = 0; code == BERTH_OK && t < trainer->tower_count; ++t) {
    *loss += *(float *)berth_tensor_data(results[2 * t]);
    *accuracy += *(float *)berth_tensor_data(results[2 * t + 1]);
  }
  for (int i = 0; i < count; ++i) {
    berth_tensor_release(feeds[i].tensor);
    berth_tensor_release(results[i]);
  }
  return code;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void show(int step, int steps, float loss, float accuracy, double rate) {
  char bar[25] = "";
  memset(bar, '#', (size_t)(24 * step / steps));
  fprintf(stderr,
          "[%-24s] step %d/%d  loss %.3f  accuracy %.1f%%  %.0f images/s\n",
          bar, step, steps, (double)loss, 100 * (double)accuracy, rate);
}

// Says how far it is, and writes that to the logs.
static berth_code_t report(trainer_t *trainer, int step, int steps, float loss,
                           float accuracy, double rate, berth_error_t *err) {
  float logged[LOGGED] = {loss / (float)trainer->tower_count,
                          accuracy / (float)trainer->tower_count};
  show(step, steps, logged[0], logged[1], rate);
  if (trainer->folder == NULL) return BERTH_OK;
  return keeper_run(&trainer->keeper, trainer->session, trainer->keeper.writes,
                    LOGGED, step, logged, err);
}

static berth_code_t test(trainer_t *trainer, const images_t *tests,
                         berth_error_t *err) {
  float loss = 0, accuracy = 0;
  int each = trainer->batch * trainer->tower_count;
  int64_t runs = tests->count / each > 0 ? tests->count / each : 1;
  for (int64_t i = 0; i < runs; ++i) {
    berth_code_t code =
        run_towers(trainer, tests, i * each, 0, &loss, &accuracy, err);
    if (code != BERTH_OK) return code;
  }
  printf("test accuracy %.1f%%\n",
         100.0 * (double)accuracy / (double)(runs * trainer->tower_count));
  return BERTH_OK;
}

static berth_code_t train(trainer_t *trainer, const images_t *images, int first,
                          int steps, berth_error_t *err) {
  int each = trainer->batch * trainer->tower_count;
  double start = now();
  for (int step = first + 1; step <= steps; ++step) {
    float loss = 0, accuracy = 0;
    berth_code_t code = run_towers(trainer, images, (int64_t)(step - 1) * each,
                                   VARIABLES, &loss, &accuracy, err);
    if (code == BERTH_OK && (step % 10 == 0 || step == steps)) {
      code = report(trainer, step, steps, loss, accuracy,
                    (step - first) * (double)each / (now() - start), err);
    }
    if (code != BERTH_OK) return code;
  }
  if (trainer->folder == NULL) return BERTH_OK;
  berth_node_id_t last[] = {trainer->keeper.save, trainer->keeper.flush};
  return keeper_run(&trainer->keeper, trainer->session, last, 2,
                    first < steps ? steps : first, NULL, err);
}

// Builds the graph and the session, and trains.
static berth_code_t run(trainer_t *trainer, net_t *net, const images_t *images,
                        const images_t *tests, int steps, berth_error_t *err) {
  variables(net);
  berth_code_t code = BERTH_OK;
  for (int t = 0; code == BERTH_OK && t < trainer->tower_count; ++t) {
    code = tower_build(net, t, &trainer->towers[t], err);
  }
  if (code != BERTH_OK) return code;
  steps_add(net, trainer->towers, trainer->tower_count, trainer->steps);
  if (trainer->folder != NULL) {
    keeper_add(net, trainer->folder, &trainer->keeper);
  }
  berth_config_t config;
  berth_config_init(&config);
  config.allow_soft_placement = true;
  code = berth_session_create(net->graph, &config, &trainer->session, err);
  if (code != BERTH_OK) return code;
  berth_run_t start = {.targets = net->starts, .target_count = 2 * VARIABLES};
  code = berth_session_run_with(trainer->session, &start, err);
  int first = 0;
  if (code == BERTH_OK && trainer->folder != NULL) {
    berth_run_t open = {.targets = &trainer->keeper.open, .target_count = 1};
    code = berth_session_run_with(trainer->session, &open, err);
    if (code != BERTH_OK) return code;
    code = keeper_restore(&trainer->keeper, trainer->session, &first, err);
  }
  if (code == BERTH_OK) code = train(trainer, images, first, steps, err);
  return code == BERTH_OK ? test(trainer, tests, err) : code;
}

static int argument(int argc, char **argv, int index, int fallback) {
  return argc > index ? (int)strtol(argv[index], NULL, 10) : fallback;
}

int main(int argc, char **argv) {
  images_t images = {0}, tests = {0};
  trainer_t trainer = {.folder = argc > 6 ? argv[6] : NULL,
                       .tower_count = argument(argc, argv, 3, 1),
                       .batch = argument(argc, argv, 5, 32)};
  int steps = argument(argc, argv, 4, 100);
  if (argc < 3 || trainer.tower_count < 1 || trainer.tower_count > TOWERS_MAX ||
      trainer.batch < 1 || steps < 1) {
    fprintf(
        stderr,
        "usage: cifar10 TRAIN.bin TEST.bin [GPUS [STEPS [BATCH [FOLDER]]]]\n");
    return 2;
  }
  size_t batch = (size_t)trainer.batch;
  trainer.pixels = malloc(batch * PIXELS * sizeof(float));
  trainer.labels = malloc(batch * sizeof(int32_t));
  int status = 1;
  if (!images_read(argv[1], &images) || !images_read(argv[2], &tests)) {
    fprintf(stderr, "cifar10: %s and %s have no images\n", argv[1], argv[2]);
  } else if (trainer.pixels != NULL && trainer.labels != NULL) {
    berth_error_t err = BERTH_ERROR_INIT;
    net_t net = {.graph = berth_graph_create()};
    status = run(&trainer, &net, &images, &tests, steps, &err) != BERTH_OK;
    if (status != 0) fprintf(stderr, "%s\n", berth_error_message(&err));
    berth_error_clear(&err);
    berth_session_destroy(trainer.session);
    berth_graph_release(net.graph);
  }
  free(images.bytes);
  free(tests.bytes);
  free(trainer.pixels);
  free(trainer.labels);
  return status;
}
