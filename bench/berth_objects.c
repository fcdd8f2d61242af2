// berth_objects.c - Eager calls, making tensors, building graphs.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth_side.h"
#include "calls.h"

// ---- Eager calls ----

// An op and two sets of inputs.
typedef struct eager_call {
  berth_error_t err;
  const char *name;
  const char *op;
  berth_context_t *context;
  berth_tensor_t *inputs[CALL_SETS][CALL_INPUTS];
  float answers[CALL_SETS];
} eager_call_t;

static bool make_input(eager_call_t *call, int set, int index,
                       berth_dims_t shape) {
  berth_error_t err = BERTH_ERROR_INIT;
  float values[6];
  call_fill(values, 6, set);
  berth_code_t code = berth_tensor_copy_from(BERTH_FLOAT, shape, values,
                                             &call->inputs[set][index], &err);
  return berth_side_ok(code, &err);
}

static void *open_eager(const side_bench_t *bench, const char *op,
                        berth_dims_t first, berth_dims_t second,
                        float (*answer)(int set)) {
  berth_error_t err = BERTH_ERROR_INIT;
  eager_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->name = bench->name;
  call->op = op;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = berth_side_threads;
  berth_code_t code = berth_context_create(&config, &call->context, &err);
  bool is_ready = berth_side_ok(code, &err);
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = answer(set);
    is_ready = is_ready && make_input(call, set, 0, first) &&
               make_input(call, set, 1, second);
  }
  if (is_ready) return call;
  berth_close_eager(call);
  return NULL;
}

void *berth_open_eager_matmul(const side_bench_t *bench) {
  return open_eager(bench, "MatMul", BERTH_SHAPE(2, 3), BERTH_SHAPE(3, 2),
                    call_matmul_answer);
}

void *berth_open_eager_add(const side_bench_t *bench) {
  return open_eager(bench, "AddV2", BERTH_SHAPE(2, 3), BERTH_SHAPE(2, 3),
                    call_add_answer);
}

bool berth_call_eager(void *state, long turn) {
  eager_call_t *call = state;
  int set = (int)(turn % CALL_SETS), count = 1;
  berth_tensor_t *result = NULL;
  berth_code_t code =
      berth_eager_call(call->context, call->op, NULL, call->inputs[set],
                       CALL_INPUTS, &result, &count, &call->err);
  if (code != BERTH_OK) return berth_side_ok(code, &call->err);
  float found = *(const float *)berth_tensor_data(result);
  berth_tensor_release(result);
  return call_check(call->name, found, call->answers[set]);
}

void berth_close_eager(void *state) {
  eager_call_t *call = state;
  for (int i = 0; i < CALL_SETS * CALL_INPUTS; ++i) {
    berth_tensor_release(call->inputs[i / CALL_INPUTS][i % CALL_INPUTS]);
  }
  berth_context_destroy(call->context);
  free(call);
}

// ---- Tensors ----

void *berth_open_alloc(const side_bench_t *bench) {
  static int64_t floats;
  floats = *(const int64_t *)bench->arg;
  return &floats;
}

bool berth_call_alloc(void *state, long turn) {
  static berth_error_t err;
  const int64_t *floats = state;
  berth_tensor_t *tensor = NULL;
  berth_dims_t shape = {1, floats};
  berth_code_t code = berth_tensor_create(BERTH_FLOAT, shape, &tensor, &err);
  if (code != BERTH_OK) return berth_side_ok(code, &err);
  volatile float *first = berth_tensor_data(tensor);
  *first = (float)(turn % 8);
  bool is_right = *first == (float)(turn % 8);
  berth_tensor_release(tensor);
  return is_right;
}

// ---- Building graphs ----

void *berth_open_build(const side_bench_t *bench) {
  static int nothing;
  (void)bench;
  return &nothing;
}

bool berth_call_build(void *state, long turn) {
  char name[32];
  (void)state;
  (void)turn;
  berth_graph_t *graph = berth_graph_create();
  berth_out_t x = berth_side_placeholder(graph, "x", BERTH_FLOAT, BERTH_SCALAR);
  berth_out_t sum = x;
  for (int i = 1; i < CALL_BUILD_NODES; ++i) {
    snprintf(name, sizeof(name), "sum_%d", i);
    berth_op_t *op = berth_op_begin(graph, "AddV2", name);
    berth_op_input(op, sum);
    berth_op_input(op, x);
    sum = (berth_out_t){berth_op_finish(op), 0};
  }
  bool is_right = berth_graph_error(graph, NULL) == BERTH_OK &&
                  berth_graph_node_count(graph) == CALL_BUILD_NODES;
  berth_graph_release(graph);
  return is_right;
}

void berth_close_nothing(void *state) { (void)state; }
