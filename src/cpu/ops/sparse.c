// sparse.c - The kernel SparseToDense.
#include <string.h>

#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/move_loops.h"
#include "cpu/loops/poll.h"
#include "op/index.h"

typedef struct plan {
  berth_sparse_t sparse;
  berth_dtype_t dtype;
  size_t size;   // Of an element.
  bool is_wide;  // Indices have 64 bits.
  berth_shape_t shape;
  berth_rows_fn repeat;  // Of elements that are plain; NULL: they are not.
} plan_t;

static int64_t index_at(const plan_t *plan, const void *indices, int64_t i) {
  return plan->is_wide ? ((const int64_t *)indices)[i]
                       : ((const int32_t *)indices)[i];
}

static berth_code_t fail_place(const plan_t *plan, const void *indices,
                               int64_t place, const char *what,
                               berth_error_t *err) {
  berth_str_t str = {0};
  for (int32_t k = 0; k < plan->sparse.rank; ++k) {
    berth_str_printf(
        &str, "%s%lld", k > 0 ? "," : "",
        (long long)index_at(plan, indices, place * plan->sparse.rank + k));
  }
  (void)berth_error_set(err, BERTH_INVALID_ARGUMENT,
                        "indices[%lld] = [%s] is %s", (long long)place,
                        berth_str_get(&str), what);
  berth_str_clear(&str);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t fail_outside(const plan_t *plan, const void *indices,
                                 int64_t place, berth_error_t *err) {
  char shape[BERTH_DIMS_TEXT], what[BERTH_DIMS_TEXT + 64];
  berth_dims_text(berth_shape_dims(&plan->shape), shape);
  if (!plan->sparse.checks_order) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Indices are not valid (out of bounds).  Shape: %s",
                           shape);
  }
  snprintf(what, sizeof(what), "out of bounds: need 0 <= index < %s", shape);
  return fail_place(plan, indices, place, what, err);
}

// Stores the number of the element at |place|.
static berth_code_t find_element(const plan_t *plan, const void *indices,
                                 int64_t place, int64_t *out_element,
                                 berth_error_t *err) {
  int64_t element = 0;
  for (int32_t k = 0; k < plan->sparse.rank; ++k) {
    int64_t index = index_at(plan, indices, place * plan->sparse.rank + k);
    if (index < 0 || index >= plan->shape.dims[k]) {
      return fail_outside(plan, indices, place, err);
    }
    element = element * plan->shape.dims[k] + index;
  }
  *out_element = element;
  return BERTH_OK;
}

static berth_code_t check_order(const plan_t *plan, const void *indices,
                                int64_t place, int64_t element, int64_t last,
                                berth_error_t *err) {
  if (!plan->sparse.checks_order || place == 0 || element > last) {
    return BERTH_OK;
  }
  const char *what =
      element == last
          ? "repeated"
          : "out of order. Many sparse ops require sorted indices.\n"
            "    Use `tf.sparse.reorder` to create a correctly ordered copy."
            "\n\n";
  return fail_place(plan, indices, place, what, err);
}

static berth_code_t put(const plan_t *plan, char *to, const char *from,
                        berth_error_t *err) {
  if (plan->size == 4) {
    memcpy(to, from, 4);
    return BERTH_OK;
  }
  if (berth_dtype_is_plain(plan->dtype)) {
    memcpy(to, from, plan->size);
    return BERTH_OK;
  }
  return berth_elements_copy(plan->dtype, to, from, 1)
             ? BERTH_OK
             : berth_error_no_memory(err, "a string");
}

// Fills the output with the default at |from|, some of it at once.
static berth_code_t fill(const plan_t *plan, char *out, const char *from,
                         berth_call_t *call) {
  int64_t size = (int64_t)plan->size, count = plan->sparse.count;
  for (int64_t i = 0; i < count && plan->repeat == NULL; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    BERTH_TRY(put(plan, out + i * size, from, call->err));
  }
  for (int64_t i = 0; i < count && plan->repeat != NULL; i += BERTH_CPU_POLL) {
    int64_t left = count - i;
    berth_cpu_move_level_t once = {1, 0, 0};
    berth_cpu_move_level_t row = {left < BERTH_CPU_POLL ? left : BERTH_CPU_POLL,
                                  0, size};
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    plan->repeat(from, out + i * size, size, row, once);
  }
  return BERTH_OK;
}

static berth_code_t run_to_dense(const void *data, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = data;
  const char *values = args[2];
  char *out = args[4];
  int64_t last = -1;
  BERTH_TRY(fill(plan, out, args[3], call));
  for (int64_t i = 0; i < plan->sparse.places; ++i) {
    int64_t element = 0;
    size_t from = plan->sparse.is_one ? 0 : (size_t)i * plan->size;
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    BERTH_TRY(find_element(plan, args[0], i, &element, call->err));
    BERTH_TRY(check_order(plan, args[0], i, element, last, call->err));
    BERTH_TRY(put(plan, out + (size_t)element * plan->size, values + from,
                  call->err));
    last = element;
  }
  return BERTH_OK;
}

static berth_code_t prepare_to_dense(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_to_dense(&prepare->op, &plan->sparse, err));
  plan->dtype = prepare->op.inputs[2].dtype;
  plan->size = berth_dtype_size(plan->dtype);
  plan->is_wide = prepare->op.inputs[0].dtype == BERTH_INT64;
  plan->shape = prepare->op.outputs[0];
  int class = 0;
  while (plan->size > (size_t)1 << class) ++class;
  plan->repeat = berth_dtype_is_plain(plan->dtype)
                     ? BERTH_ISA_PICK(berth_cpu_row_loops)->elements[class]
                     : NULL;
  prepare->run = run_to_dense;
  prepare->work = plan->sparse.count + plan->sparse.places * 4;
  return BERTH_OK;
}

#define TYPES                                                   \
  (BERTH_TYPES_BASIC | BERTH_TYPE(STRING) | BERTH_TYPE(QINT8) | \
   BERTH_TYPE(QUINT8) | BERTH_TYPE(QINT16) | BERTH_TYPE(QUINT16))

const berth_kernel_t berth_cpu_sparse_kernels[] = {
    {.op = "SparseToDense",
     .types = {{"T", TYPES}, {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_to_dense},
    {.op = NULL},
};
