// sparse_cwise.c - Kernels of a sparse tensor and a dense one: SparseDenseCwise
// Add, Mul and Div, SparseTensorDenseAdd.
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "op/sparse_math.h"

// Prints a shape held by a tensor, as TensorFlow does.
static const char *shape_text(const berth_tensor_t *shape,
                              char text[BERTH_DIMS_TEXT]) {
  return berth_dims_text((berth_dims_t){(int32_t)shape->count, shape->data},
                         text);
}

static berth_code_t check_shapes(const berth_tensor_t *shape,
                                 const berth_tensor_t *dense,
                                 berth_error_t *err) {
  const int64_t *dims = shape->data;
  int64_t more = shape->count - dense->rank;
  bool fits = more >= 0;
  for (int32_t i = 0; fits && i < dense->rank; ++i) {
    fits = dense->dims[i] == 1 || dense->dims[i] == dims[more + i];
  }
  if (fits) return BERTH_OK;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
      "incompatible shapes: %s vs. %s",
      shape_text(shape, a),
      berth_dims_text((berth_dims_t){dense->rank, dense->dims}, b));
}

// Stores the number of the element of |dense| that place |at| meets.
static berth_code_t find_element(const int64_t *at, const berth_tensor_t *shape,
                                 const berth_tensor_t *dense, int64_t *out,
                                 berth_error_t *err) {
  const int64_t *dims = shape->data;
  int64_t more = shape->count - dense->rank, element = 0;
  for (int64_t i = 0; i < shape->count; ++i) {
    if (at[i] < 0 || at[i] >= dims[i]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Provided indices are out-of-bounds w.r.t. dense "
                             "side with broadcasted shape");
    }
    if (i < more) continue;
    int64_t size = dense->dims[i - more];
    element = element * size + (size == 1 ? 0 : at[i]);
  }
  *out = element;
  return BERTH_OK;
}

static berth_code_t check_divisor(const berth_tensor_t *dense, int64_t element,
                                  berth_error_t *err) {
  if (berth_type_in(dense->dtype, BERTH_TYPES_FLOATING) ||
      berth_number_at(dense->dtype, dense->data, element) != 0) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "SparseDenseCwiseDiv cannot divide by zero,but input "
                         "dense tensor contains zero ");
}

static berth_combine_t how_of(const berth_node_t *node) {
  return strstr(node->op->name, "Add") != NULL   ? BERTH_COMBINE_ADD
         : strstr(node->op->name, "Mul") != NULL ? BERTH_COMBINE_MUL
                                                 : BERTH_COMBINE_DIV;
}

static berth_code_t make_cwise(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *values = call->inputs[1], *shape = call->inputs[2];
  const berth_tensor_t *dense = call->inputs[3];
  const int64_t *at = call->inputs[0]->data;
  berth_combiner_t join = berth_combiner_of(how_of(call->node), values->dtype);
  void *out = NULL;
  BERTH_TRY(check_shapes(shape, dense, call->err));
  BERTH_TRY(berth_cpu_make(call, 0, 1, values->dims, &out));
  if (values->count > 0) memcpy(out, values->data, values->size);
  bool divides = join.how == BERTH_COMBINE_DIV;
  for (int64_t i = 0; divides && i < dense->count; ++i) {
    BERTH_TRY(check_divisor(dense, i, call->err));
  }
  for (int64_t i = 0; i < values->count; ++i) {
    int64_t element = 0;
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    BERTH_TRY(
        find_element(at + i * shape->count, shape, dense, &element, call->err));
    (void)berth_combine(&join, (char *)out + (size_t)i * join.size,
                        (const char *)dense->data + (size_t)element * join.size,
                        1, false);
  }
  return BERTH_OK;
}

BERTH_CPU_MAKES(cwise)

static berth_code_t prepare_cwise(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_cwise(&prepare->op, err));
  prepare->run = run_cwise;
  prepare->work = prepare->op.inputs[1].count * 10;
  return BERTH_OK;
}

// ---- SparseTensorDenseAdd ----

typedef struct sum_plan {
  berth_combiner_t join;
  bool is_wide;  // Places have 64 bits.
  int64_t count, elements;
  berth_shape_t shape;  // Of the dense tensor.
} sum_plan_t;

static int64_t number_at(const sum_plan_t *plan, const void *data, int64_t i) {
  return plan->is_wide ? ((const int64_t *)data)[i]
                       : ((const int32_t *)data)[i];
}

static berth_code_t fail_place(const sum_plan_t *plan, int64_t row, int32_t d,
                               int64_t index, berth_error_t *err) {
  char shape[BERTH_DIMS_TEXT];
  size_t used = 0;
  for (int32_t i = 0; i < plan->shape.rank && used < sizeof(shape); ++i) {
    used += (size_t)snprintf(shape + used, sizeof(shape) - used, "%s%lld",
                             i > 0 ? " " : "", (long long)plan->shape.dims[i]);
  }
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Sparse tensor has an invalid index on dimension %d: a_indices(%lld,%d) "
      "= %lld, dense tensor shape: %s",
      (int)d, (long long)row, (int)d, (long long)index, shape);
}

static berth_code_t run_sum(const void *data, void *const *args,
                            berth_call_t *call) {
  const sum_plan_t *plan = data;
  int32_t rank = plan->shape.rank;
  size_t size = plan->join.size;
  for (int32_t d = 0; d < rank; ++d) {
    int64_t own = number_at(plan, args[2], d);
    if (own == plan->shape.dims[d]) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Dimension %d does not equal (no broadcasting is "
                           "supported): sparse side %lld vs dense side %lld",
                           (int)d, (long long)own,
                           (long long)plan->shape.dims[d]);
  }
  if (args[4] != args[3] && plan->elements > 0) {
    memcpy(args[4], args[3], (size_t)plan->elements * size);
  }
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t element = 0;
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    for (int32_t d = 0; d < rank; ++d) {
      int64_t index = number_at(plan, args[0], i * rank + d);
      if (index < 0 || index >= plan->shape.dims[d]) {
        return fail_place(plan, i, d, index, call->err);
      }
      element = element * plan->shape.dims[d] + index;
    }
    (void)berth_combine(&plan->join, (char *)args[4] + (size_t)element * size,
                        (const char *)args[1] + (size_t)i * size, 1, false);
  }
  return BERTH_OK;
}

static berth_code_t prepare_sum(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  sum_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_dense_add(&prepare->op, err));
  *plan = (sum_plan_t){berth_combiner_of(BERTH_COMBINE_ADD, in[3].dtype),
                       in[0].dtype == BERTH_INT64, in[1].count, in[3].count,
                       prepare->op.outputs[0]};
  prepare->run = run_sum;
  prepare->work = plan->elements + plan->count * 10;
  return BERTH_OK;
}

#define KERNEL(name) \
  { .op = name, .types = {{"T", BERTH_TYPES_REAL}}, .prepare = prepare_cwise }

const berth_kernel_t berth_cpu_sparse_cwise_kernels[] = {
    KERNEL("SparseDenseCwiseAdd"),
    KERNEL("SparseDenseCwiseMul"),
    KERNEL("SparseDenseCwiseDiv"),
    {.op = "SparseTensorDenseAdd",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}, {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_sum},
    {.op = NULL},
};
