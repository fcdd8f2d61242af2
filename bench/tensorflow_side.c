// tensorflow_side.c - TensorFlow's side, through its C API.
//
//   tensorflow_side THREADS           answers requests, see side.h
//   tensorflow_side THREADS inline    the same with inter_op = -1: the thread
//                                     that calls TF_SessionRun runs the graph
//   tensorflow_side import FILE       as berth_side import
//   tensorflow_side model NAME THREADS RUNS [OUT]
//                                     as berth_side model
#include "tensorflow_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "crowd.h"
#include "kernels.h"
#include "model.h"

tensorflow_config_t tensorflow_side_config;
TF_Status *tensorflow_side_status;

bool tensorflow_side_ok(void) {
  if (TF_GetCode(tensorflow_side_status) == TF_OK) return true;
  fprintf(stderr, "%s\n", TF_Message(tensorflow_side_status));
  return false;
}

static void append(tensorflow_config_t *config, const unsigned char *bytes,
                   size_t size) {
  memcpy(config->bytes + config->size, bytes, size);
  config->size += size;
}

// Sets intra_op_parallelism_threads and inter_op_parallelism_threads.
static void set_threads(int threads, bool is_inline) {
  const unsigned char intra[] = {0x10, (unsigned char)threads};
  const unsigned char inter[] = {0x28, (unsigned char)threads};
  static const unsigned char minus_one[] = {0x28, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 1};
  append(&tensorflow_side_config, intra, sizeof(intra));
  if (is_inline) {
    append(&tensorflow_side_config, minus_one, sizeof(minus_one));
  } else {
    append(&tensorflow_side_config, inter, sizeof(inter));
  }
}

TF_Session *tensorflow_side_session(TF_Graph *graph, bool is_plain) {
  // graph_options { optimizer_options { opt_level: L0 }
  //                 rewrite_options { disable_meta_optimizer: true } }
  static const unsigned char plain[] = {
      0x52, 18,   0x1a, 11,   0x18, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 1,    0x52, 3,    0x98, 1,    1};
  tensorflow_config_t config = tensorflow_side_config;
  if (is_plain) append(&config, plain, sizeof(plain));
  TF_Session *session = NULL;
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, config.bytes, config.size, tensorflow_side_status);
  if (tensorflow_side_ok()) {
    session = TF_NewSession(graph, options, tensorflow_side_status);
  }
  TF_DeleteSessionOptions(options);
  return tensorflow_side_ok() ? session : NULL;
}

void tensorflow_side_close(TF_Session *session) {
  if (session == NULL) return;
  TF_CloseSession(session, tensorflow_side_status);
  TF_DeleteSession(session, tensorflow_side_status);
}

TF_Output tensorflow_side_placeholder(TF_Graph *graph, const char *name,
                                      TF_DataType dtype, const int64_t *dims,
                                      int rank) {
  TF_OperationDescription *op = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(op, "dtype", dtype);
  TF_SetAttrShape(op, "shape", dims, rank);
  return (TF_Output){TF_FinishOperation(op, tensorflow_side_status), 0};
}

TF_Output tensorflow_side_binary(TF_Graph *graph, const char *op,
                                 const char *name, TF_Output a, TF_Output b) {
  TF_OperationDescription *description = TF_NewOperation(graph, op, name);
  TF_AddInput(description, a);
  TF_AddInput(description, b);
  return (TF_Output){TF_FinishOperation(description, tensorflow_side_status),
                     0};
}

TF_Tensor *tensorflow_side_tensor(const int64_t *dims, int rank, int set) {
  int count = 1;
  for (int i = 0; i < rank; ++i) count *= (int)dims[i];
  TF_Tensor *tensor =
      TF_AllocateTensor(TF_FLOAT, dims, rank, (size_t)count * sizeof(float));
  call_fill(TF_TensorData(tensor), count, set);
  return tensor;
}

// ---- Import ----

// Feeds 1 to x, and prints the seconds since |start| and y.
static bool run_imported(TF_Graph *graph, double start) {
  TF_Output in = {TF_GraphOperationByName(graph, "x"), 0};
  TF_Output out = {TF_GraphOperationByName(graph, "y"), 0};
  TF_Tensor *result = NULL, *one = tensorflow_side_tensor(NULL, 0, 0);
  TF_Session *session = tensorflow_side_session(graph, true);
  if (session == NULL) return false;
  TF_SessionRun(session, NULL, &in, &one, 1, &out, &result, 1, NULL, 0, NULL,
                tensorflow_side_status);
  bool is_right = tensorflow_side_ok();
  if (is_right) {
    printf("%.9g %.9g\n", side_now() - start,
           (double)*(const float *)TF_TensorData(result));
    TF_DeleteTensor(result);
  }
  TF_DeleteTensor(one);
  tensorflow_side_close(session);
  return is_right;
}

static int import_file(const char *path) {
  unsigned long size = 0;
  void *bytes = side_read(path, &size);
  if (bytes == NULL) return EXIT_FAILURE;
  TF_Buffer *buffer = TF_NewBufferFromString(bytes, size);
  free(bytes);

  double start = side_now();
  TF_Graph *graph = TF_NewGraph();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(graph, buffer, options, tensorflow_side_status);
  TF_DeleteBuffer(buffer);
  bool is_right = tensorflow_side_ok() && run_imported(graph, start);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteGraph(graph);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

// ---- Requests ----

static const int chain_short = 1000, chain_long = 10000;
static const int one_thread = 1, all_threads = CROWD_MOST;
static const int64_t floats_few = 16, floats_many = 262144;

static const side_bench_t calls[] = {
    {"session_run_small_c", "us", 1, tensorflow_open_small,
     tensorflow_call_session, tensorflow_close_session, NULL},
    {"assign_add_small_c", "us", 1, tensorflow_open_update,
     tensorflow_call_session, tensorflow_close_session, NULL},
    {"chain_1000", "ns", 1000, tensorflow_open_chain, tensorflow_call_session,
     tensorflow_close_session, &chain_short},
    {"chain_10000", "ns", 10000, tensorflow_open_chain, tensorflow_call_session,
     tensorflow_close_session, &chain_long},
    {"flow_cond_c", "us", 1, tensorflow_open_cond, tensorflow_call_session,
     tensorflow_close_session, NULL},
    {"flow_count_c", "ns", CALL_TURNS, tensorflow_open_count,
     tensorflow_call_session, tensorflow_close_session, NULL},
    {"eager_small_c_matmul", "us", 1, tensorflow_open_eager_matmul,
     tensorflow_call_eager, tensorflow_close_eager, NULL},
    {"eager_small_c_add", "us", 1, tensorflow_open_eager_add,
     tensorflow_call_eager, tensorflow_close_eager, NULL},
    {"tensor_alloc_64b", "ns", 1, tensorflow_open_alloc, tensorflow_call_alloc,
     tensorflow_close_nothing, &floats_few},
    {"tensor_alloc_1mib", "ns", 1, tensorflow_open_alloc, tensorflow_call_alloc,
     tensorflow_close_nothing, &floats_many},
    {"graph_build", "ns", 1000, tensorflow_open_build, tensorflow_call_build,
     tensorflow_close_nothing, NULL},
    {"threads_1_session", "us", CROWD_RUNS, tensorflow_open_crowd,
     tensorflow_call_crowd, tensorflow_close_crowd, &one_thread},
    {"threads_8_session", "us", CROWD_RUNS, tensorflow_open_crowd,
     tensorflow_call_crowd, tensorflow_close_crowd, &all_threads},
    {"threads_towers", "us", 1, tensorflow_open_towers, tensorflow_call_session,
     tensorflow_close_session, NULL},
    {"threads_8_tail", "us", 1, tensorflow_open_crowd, tensorflow_call_crowd,
     tensorflow_close_crowd, &all_threads, tensorflow_crowd_tail},
};

enum { CALL_COUNT = sizeof(calls) / sizeof(calls[0]) };

static int serve(void) {
  side_bench_t benches[64];
  int kernel_count = 0, count = CALL_COUNT;
  const kernel_t *kernels = kernel_list(&kernel_count);
  memcpy(benches, calls, sizeof(calls));
  for (int i = 0; i < kernel_count; ++i) {
    benches[count++] = (side_bench_t){kernels[i].name,
                                      kernels[i].unit,
                                      kernels[i].work,
                                      tensorflow_open_kernel,
                                      tensorflow_call_kernel,
                                      tensorflow_close_kernel,
                                      &kernels[i]};
  }
  count = model_benches(&tensorflow_model_side, benches, count);
  return side_serve(benches, count);
}

int main(int argc, char **argv) {
  bool is_import = argc == 3 && strcmp(argv[1], "import") == 0;
  bool is_inline = argc == 3 && strcmp(argv[2], "inline") == 0;
  bool is_model = argc >= 5 && strcmp(argv[1], "model") == 0;
  int threads = 1;
  if (argc > 1 && !is_import) {
    threads = (int)strtol(argv[is_model ? 3 : 1], NULL, 10);
  }
  if (argc < 2 || threads < 1 || threads > 127) {
    fprintf(stderr,
            "usage: tensorflow_side THREADS [inline] | import FILE | "
            "model NAME THREADS RUNS [OUT]\n");
    return EXIT_FAILURE;
  }
  tensorflow_side_status = TF_NewStatus();
  set_threads(threads, is_inline);
  if (is_import) return import_file(argv[2]);
  if (!is_model) return serve();
  return model_process(&tensorflow_model_side, argv[2],
                       strtol(argv[4], NULL, 10), argc > 5 ? argv[5] : NULL);
}
