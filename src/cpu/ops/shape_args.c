// shape_args.c - Kernels that compute with shapes as values: BroadcastArgs,
// BroadcastGradientArgs, ConcatOffset.
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/types.h"

// Two shapes as vectors.
typedef struct pair {
  berth_dtype_t dtype;
  const void *values[2];
  int64_t ranks[2];
  int64_t rank;  // The larger one.
} pair_t;

// Returns dimension |i| of shape |which| seen from the larger rank: 1 in front.
static int64_t pair_at(const pair_t *pair, int which, int64_t i) {
  int64_t at = i - (pair->rank - pair->ranks[which]);
  return at < 0 ? 1 : berth_index_at(pair->dtype, pair->values[which], at);
}

static pair_t pair_of(berth_dtype_t dtype, const void *a, int64_t a_rank,
                      const void *b, int64_t b_rank) {
  return (pair_t){
      dtype, {a, b}, {a_rank, b_rank}, a_rank > b_rank ? a_rank : b_rank};
}

static void print_shape(const pair_t *pair, int which, berth_str_t *str) {
  berth_str_putc(str, '[');
  for (int64_t i = 0; i < pair->ranks[which]; ++i) {
    berth_str_printf(
        str, "%s%lld", i > 0 ? "," : "",
        (long long)berth_index_at(pair->dtype, pair->values[which], i));
  }
  berth_str_putc(str, ']');
}

static berth_code_t pair_check(const pair_t *pair, berth_error_t *err) {
  for (int64_t i = 0; i < pair->rank; ++i) {
    int64_t a = pair_at(pair, 0, i), b = pair_at(pair, 1, i);
    if (a == b || a == 1 || b == 1) continue;
    berth_str_t left = {0}, right = {0};
    print_shape(pair, 0, &left);
    print_shape(pair, 1, &right);
    berth_code_t code = berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
        berth_str_get(&left), berth_str_get(&right));
    berth_str_clear(&left);
    berth_str_clear(&right);
    return code;
  }
  return BERTH_OK;
}

// ---- BroadcastArgs ----

typedef struct args_plan {
  berth_dtype_t dtype;
  int64_t ranks[2];
} args_plan_t;

static berth_code_t run_args(const void *arg, void *const *args,
                             berth_call_t *call) {
  const args_plan_t *plan = arg;
  pair_t pair =
      pair_of(plan->dtype, args[0], plan->ranks[0], args[1], plan->ranks[1]);
  BERTH_TRY(pair_check(&pair, call->err));
  for (int64_t i = 0; i < pair.rank; ++i) {
    int64_t a = pair_at(&pair, 0, i), b = pair_at(&pair, 1, i);
    berth_index_set(pair.dtype, args[2], i, a == 1 ? b : a);
  }
  return BERTH_OK;
}

static berth_code_t prepare_args(berth_prepare_t *prepare, berth_error_t *err) {
  args_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_broadcast_args(&prepare->op, err));
  const berth_case_input_t *in = prepare->op.inputs;
  *plan = (args_plan_t){in[0].dtype, {in[0].count, in[1].count}};
  prepare->run = run_args;
  return BERTH_OK;
}

// ---- BroadcastGradientArgs ----

// Whether dimension |i| of shape |which| is repeated, so that its gradient is a
// sum. Where all dimensions are one and the same, none is.
static bool is_summed(const pair_t *pair, int which, int64_t i) {
  bool is_same = pair->ranks[0] == pair->ranks[1];
  for (int64_t k = 0; is_same && k < pair->rank; ++k) {
    is_same = pair_at(pair, 0, k) == pair_at(pair, 1, k);
  }
  return !is_same && pair_at(pair, which, i) == 1;
}

static berth_code_t make_axes(const pair_t *pair, int which,
                              berth_call_t *call) {
  int64_t count = 0;
  for (int64_t i = 0; i < pair->rank; ++i) count += is_summed(pair, which, i);
  BERTH_TRY(berth_tensor_make(call->allocator, pair->dtype, 1, &count, count,
                              &call->outputs[which], call->err));
  int64_t at = 0;
  for (int64_t i = 0; i < pair->rank; ++i) {
    if (!is_summed(pair, which, i)) continue;
    berth_index_set(pair->dtype, call->outputs[which]->data, at++, i);
  }
  return BERTH_OK;
}

static berth_code_t run_gradient(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *a = call->inputs[0], *b = call->inputs[1];
  pair_t pair = pair_of(a->dtype, a->data, a->count, b->data, b->count);
  BERTH_TRY(pair_check(&pair, call->err));
  call->outputs[0] = NULL;
  BERTH_TRY(make_axes(&pair, 0, call));
  berth_code_t code = make_axes(&pair, 1, call);
  if (code != BERTH_OK) {
    berth_tensor_release(call->outputs[0]);
    call->outputs[0] = NULL;
  }
  return code;
}

static berth_code_t prepare_gradient(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  prepare->run = run_gradient;
  return berth_op_broadcast_args(&prepare->op, err);
}

// ---- ConcatOffset ----

typedef struct offset_plan {
  berth_dtype_t dtype;
  int64_t rank;
  int count;
} offset_plan_t;

static void print_row(const offset_plan_t *plan, const void *shape,
                      berth_str_t *str) {
  berth_str_putc(str, '[');
  for (int64_t i = 0; i < plan->rank; ++i) {
    berth_str_printf(str, "%s%lld", i > 0 ? " " : "",
                     (long long)berth_index_at(plan->dtype, shape, i));
  }
  berth_str_putc(str, ']');
}

static berth_code_t fail_offset(const offset_plan_t *plan, int64_t axis, int i,
                                void *const *shapes, berth_error_t *err) {
  berth_str_t bad = {0}, first = {0};
  print_row(plan, shapes[i], &bad);
  print_row(plan, shapes[0], &first);
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "All dimensions except %lld must match. Input %d has shape %s and "
      "doesn't match input 0 with shape %s.",
      (long long)axis, i, berth_str_get(&bad), berth_str_get(&first));
  berth_str_clear(&bad);
  berth_str_clear(&first);
  return code;
}

static berth_code_t run_offset(const void *arg, void *const *args,
                               berth_call_t *call) {
  const offset_plan_t *plan = arg;
  int64_t given = *(const int32_t *)args[0], offset = 0;
  int64_t axis = given < 0 ? given + plan->rank : given;
  void *const *shapes = args + 1;
  if (axis < 0 || axis >= plan->rank) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Concat dim is out of range: %lld vs. %lld",
                           (long long)given, (long long)plan->rank);
  }
  for (int i = 0; i < plan->count; ++i) {
    for (int64_t d = 0; d < plan->rank; ++d) {
      int64_t size = berth_index_at(plan->dtype, shapes[i], d);
      if (d != axis && size != berth_index_at(plan->dtype, shapes[0], d)) {
        return fail_offset(plan, axis, i, shapes, call->err);
      }
      berth_index_set(plan->dtype, args[1 + plan->count + i], d,
                      d == axis ? offset : 0);
    }
    offset += berth_index_at(plan->dtype, shapes[i], axis);
  }
  return BERTH_OK;
}

static berth_code_t prepare_offset(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  offset_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_concat_offset(&prepare->op, err));
  *plan =
      (offset_plan_t){prepare->op.inputs[1].dtype, prepare->op.inputs[1].count,
                      prepare->op.input_count - 1};
  prepare->run = run_offset;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_shape_args_kernels[] = {
    {.op = "BroadcastArgs",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_args},
    {.op = "BroadcastGradientArgs",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_gradient},
    {.op = "ConcatOffset",
     .types = {{"shape_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_offset},
    {.op = NULL},
};
