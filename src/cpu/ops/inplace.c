// inplace.c - Kernels of rows that are changed, and of tensors of one's own:
// InplaceAdd, InplaceSub, InplaceUpdate, DeepCopy, Empty.
//
// TensorFlow writes into the tensor that it is given, whoever else sees it.
// Here that is done where nobody else does; otherwise into a copy.
#include "op/inplace.h"

#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/poll.h"

typedef struct plan {
  berth_inplace_t work;
  berth_combiner_t join;
  int64_t count;
} plan_t;

static berth_code_t no_memory(berth_call_t *call) {
  return berth_error_no_memory(call->err, "an element");
}

static berth_code_t run_inplace(const void *data, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = data;
  const berth_inplace_t *work = &plan->work;
  const int32_t *index = args[1];
  size_t row = (size_t)work->cols * plan->join.size;
  if (args[3] != args[0] &&
      !berth_elements_copy(work->dtype, args[3], args[0], plan->count)) {
    return no_memory(call);
  }
  for (int64_t i = 0; i < work->changes; ++i) {
    int64_t at = (index[i] % work->rows + work->rows) % work->rows;
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    if (!berth_combine(&plan->join, (char *)args[3] + (size_t)at * row,
                       (const char *)args[2] + (size_t)i * row, work->cols,
                       false)) {
      return no_memory(call);
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_inplace(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_inplace(&prepare->op, &plan->work, err));
  plan->join = berth_combiner_of(plan->work.how, plan->work.dtype);
  plan->count = prepare->op.inputs[0].count;
  prepare->run = run_inplace;
  prepare->work = plan->count;
  return BERTH_OK;
}

static berth_code_t run_copy(const void *data, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = data;
  bool is_done =
      berth_elements_copy(plan->work.dtype, args[1], args[0], plan->count);
  return is_done ? BERTH_OK : no_memory(call);
}

static berth_code_t prepare_copy(berth_prepare_t *prepare, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_deep_copy(&prepare->op, err));
  plan->work.dtype = prepare->op.inputs[0].dtype;
  plan->count = prepare->op.inputs[0].count;
  prepare->run = run_copy;
  prepare->work = plan->count;
  return BERTH_OK;
}

// What is not asked to be set is set all the same: nothing old is shown.
static berth_code_t run_empty(const void *data, void *const *args,
                              berth_call_t *call) {
  const size_t *size = data;
  if (*size > 0) memset(args[call->node->input_count], 0, *size);
  return BERTH_OK;
}

// Also of what has its shape as an attribute.
static berth_code_t prepare_empty(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_dtype_t dtype = prepare->op.node->output_types[0];
  size_t *size = berth_prepare_plan(prepare, sizeof(*size));
  if (size == NULL) return berth_error_no_memory(err, "a plan");
  if (prepare->op.input_count == 0) {
    berth_op_fake(&prepare->op);
  } else {
    BERTH_TRY(berth_op_empty(&prepare->op, err));
  }
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  bool is_plain = berth_dtype_is_plain(dtype);
  *size = is_plain ? (size_t)count * berth_dtype_size(dtype) : 0;
  prepare->run = run_empty;
  prepare->work = (int64_t)*size / 8;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_inplace_kernels[] = {
    {.op = "DeepCopy", .prepare = prepare_copy},
    {.op = "Empty",
     .types = {{"dtype", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_empty},
    {.op = "FakeParam", .prepare = prepare_empty},
    {.op = "InplaceAdd", .prepare = prepare_inplace},
    {.op = "InplaceSub", .prepare = prepare_inplace},
    {.op = "InplaceUpdate", .prepare = prepare_inplace},
    {.op = NULL},
};
