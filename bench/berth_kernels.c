// berth_kernels.c - The kernels of kernels.h through a session of Berth.
#include <stdlib.h>

#include "berth_side.h"
#include "kernels.h"

// A session with one op, and what kernels.h tells about it.
typedef struct kernel_call {
  berth_error_t err;
  const kernel_t *kernel;
  berth_graph_t *graph;
  berth_session_t *session;
  int input_count;
  berth_feed_t feeds[KERNEL_SETS][KERNEL_INPUTS];
  berth_out_t fetch;
  kernel_answers_t answers;
} kernel_call_t;

static berth_dims_t dims_of(const kernel_shape_t *shape) {
  return (berth_dims_t){shape->rank, shape->dims};
}

// Adds placeholder |index| and makes its feed of both sets.
static bool make_input(kernel_call_t *call, int index, kernel_set_t *sets) {
  berth_error_t err = BERTH_ERROR_INIT;
  const kernel_t *kernel = call->kernel;
  berth_dims_t shape = dims_of(&kernel->inputs[index]);
  berth_dtype_t dtype = (berth_dtype_t)kernel_input_type(kernel, index);
  berth_out_t out = berth_side_placeholder(call->graph, NULL, dtype, shape);
  for (int set = 0; set < KERNEL_SETS; ++set) {
    berth_feed_t *feed = &call->feeds[set][index];
    berth_code_t code = berth_tensor_create(dtype, shape, &feed->tensor, &err);
    if (!berth_side_ok(code, &err)) return false;
    feed->out = out;
    sets[set].data[index] = berth_tensor_data(feed->tensor);
    kernel_fill(kernel, set, index, sets[set].data[index]);
  }
  return true;
}

static void build_op(kernel_call_t *call) {
  const kernel_t *kernel = call->kernel;
  berth_out_t inputs[KERNEL_INPUTS];
  for (int i = 0; i < call->input_count; ++i) inputs[i] = call->feeds[0][i].out;

  berth_op_t *op = berth_op_begin(call->graph, kernel->op, NULL);
  if (kernel->is_list) berth_op_input_list(op, inputs, call->input_count);
  for (int i = 0; i < call->input_count && !kernel->is_list; ++i) {
    berth_op_input(op, inputs[i]);
  }
  if (kernel->setting_rank >= 0) {
    berth_dims_t shape = {kernel->setting_rank, &kernel->setting_count};
    berth_op_input(op,
                   berth_const_i32(call->graph, NULL, kernel->setting, shape));
  }
  if (kernel->result_type != KERNEL_FLOAT) {
    berth_op_attr_type(op, "DstT", (berth_dtype_t)kernel->result_type);
  }
  if (kernel->has_windows) {
    berth_op_attr_ints(op, "ksize", kernel_window, 4);
    berth_op_attr_ints(op, "strides", kernel_steps, 4);
    berth_op_attr_string(op, "padding", "SAME", 4);
  }
  call->fetch = (berth_out_t){berth_op_finish(op), 0};
}

void *berth_open_kernel(const side_bench_t *bench) {
  kernel_set_t sets[KERNEL_SETS];
  kernel_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->kernel = bench->arg;
  call->graph = berth_graph_create();
  bool is_fed = true;
  for (int i = 0; i < KERNEL_INPUTS && call->kernel->inputs[i].rank > 0; ++i) {
    is_fed = is_fed && make_input(call, i, sets);
    call->input_count = i + 1;
  }
  if (is_fed) {
    kernel_answer(call->kernel, sets, &call->answers);
    build_op(call);
    call->session = berth_side_session(call->graph);
  }
  if (call->session != NULL) return call;
  berth_close_kernel(call);
  return NULL;
}

bool berth_call_kernel(void *state, long turn) {
  kernel_call_t *call = state;
  berth_tensor_t *result = NULL;
  berth_code_t code = berth_session_run(
      call->session, call->feeds[turn % KERNEL_SETS], call->input_count,
      &call->fetch, 1, &result, &call->err);
  if (code != BERTH_OK) return berth_side_ok(code, &call->err);
  bool is_right = kernel_check(call->kernel, &call->answers, turn,
                               berth_tensor_data(result));
  berth_tensor_release(result);
  return is_right;
}

void berth_close_kernel(void *state) {
  kernel_call_t *call = state;
  berth_session_destroy(call->session);
  for (int i = 0; i < KERNEL_SETS * KERNEL_INPUTS; ++i) {
    berth_tensor_release(
        call->feeds[i / KERNEL_INPUTS][i % KERNEL_INPUTS].tensor);
  }
  berth_graph_release(call->graph);
  free(call);
}
