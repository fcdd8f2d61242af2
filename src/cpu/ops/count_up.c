// count_up.c - CountUpTo: a variable that counts to a limit.
//
// What the op gives is known only when the variable changes, so its commit is
// done at once.
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "kernel/handle.h"
#include "kernel/places.h"
#include "op/types.h"
#include "state/commit.h"
#include "state/variable.h"

typedef struct count_arg {
  int64_t limit;
  berth_dtype_t dtype;
  bool is_ref;
  void *out;
  berth_container_t *container;
} count_arg_t;

static const count_arg_t *count_arg(const berth_change_t *change) {
  return (const count_arg_t *)(const void *)change->arg;
}

static berth_code_t check_count(const berth_change_t *change,
                                const berth_tensor_t *now, berth_error_t *err) {
  const count_arg_t *with = count_arg(change);
  if (now == NULL) {
    return berth_variable_fail_update(change->variable, with->container,
                                      with->is_ref, err);
  }
  if (now->rank != 0 || now->dtype != with->dtype) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input is not a scalar");
  }
  if (berth_index_at(now->dtype, now->data, 0) < with->limit) return BERTH_OK;
  return berth_error_set(err, BERTH_OUT_OF_RANGE, "Reached limit of %lld",
                         (long long)with->limit);
}

static berth_code_t apply_count(const berth_change_t *change,
                                const berth_tensor_t *from, berth_tensor_t *to,
                                berth_error_t *err) {
  (void)err;
  const count_arg_t *with = count_arg(change);
  int64_t now = berth_index_at(with->dtype, from->data, 0);
  berth_index_set(with->dtype, with->out, 0, now);
  berth_index_set(with->dtype, to->data, 0, now + 1);
  return BERTH_OK;
}

static berth_code_t run_count(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_change_t *change = NULL;
  BERTH_TRY(
      berth_handle_change(args[0], check_count, apply_count, call, &change));
  *(count_arg_t *)(void *)change->arg =
      (count_arg_t){.limit = berth_node_attr_int(call->node, "limit", 0),
                    .dtype = call->node->output_types[0],
                    .is_ref = call->node->op->inputs[0].is_ref,
                    .out = args[1],
                    .container = call->container};
  return berth_commit_do(call->commit, call->err);
}

static berth_code_t prepare_count(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  (void)err;
  berth_case_output(&prepare->op, 0, BERTH_SCALAR);
  prepare->run = run_count;
  return BERTH_OK;
}

#define COUNT(name) \
  { .op = name, .types = {{"T", BERTH_TYPES_INDEX}}, .prepare = prepare_count }

const berth_kernel_t berth_cpu_count_up_kernels[] = {
    COUNT("CountUpTo"),
    COUNT("ResourceCountUpTo"),
    {.op = NULL},
};
