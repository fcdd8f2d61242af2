// sparse_rows.c - The kernels SparseFillEmptyRows and RaggedFillEmptyRows, and
// their gradients. Of the second, the rows alone are the places.
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"
#include "op/sparse_parts.h"

// Returns how many indices a place has.
static int64_t place_rank(const berth_tensor_t *at) {
  return at->rank == 2 ? at->dims[1] : 1;
}

// Counts the elements of each row. Fails for a row that is not there.
static berth_code_t count_rows(berth_call_t *call, int64_t rows,
                               int64_t *counts) {
  const berth_tensor_t *at = call->inputs[0];
  const int64_t *place = at->data;
  for (int64_t i = 0; i < at->dims[0]; ++i) {
    int64_t row = place[i * place_rank(at)];
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    if (row < 0 || row >= rows) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "indices(%lld, 0) is invalid: %lld >= %lld",
                             (long long)i, (long long)row, (long long)rows);
    }
    ++counts[row];
  }
  return BERTH_OK;
}

// Writes the elements, row by row; |counts| becomes where the next of each row
// goes.
static berth_code_t write_rows(berth_call_t *call, int64_t rows,
                               int64_t *counts, int64_t *out_at,
                               void *out_values, bool *is_empty,
                               int64_t *back) {
  const berth_tensor_t *at = call->inputs[0], *values = call->inputs[1];
  const int64_t *place = at->data;
  int64_t rank = place_rank(at), next = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t count = counts[row];
    is_empty[row] = count == 0;
    counts[row] = next;
    if (count == 0) {
      memset(out_at + next * rank, 0, (size_t)rank * sizeof(*out_at));
      out_at[next * rank] = row;
      BERTH_TRY(berth_sparse_copy(call->inputs[3], 0, 1, out_values, next,
                                  call->err));
    }
    next += count > 0 ? count : 1;
  }
  // Rows that are in order, and none of them empty, are what was given.
  if (next == values->count && berth_sparse_is_sorted(place, next, rank)) {
    memcpy(out_at, place, (size_t)(next * rank) * sizeof(*out_at));
    for (int64_t i = 0; i < next; ++i) back[i] = i;
    return berth_elements_copy(values->dtype, out_values, values->data, next)
               ? BERTH_OK
               : berth_error_no_memory(call->err, "an element");
  }
  for (int64_t i = 0; i < values->count; ++i) {
    int64_t to = counts[place[i * rank]]++;
    memcpy(out_at + to * rank, place + i * rank,
           (size_t)rank * sizeof(*out_at));
    BERTH_TRY(berth_sparse_copy(values, i, 1, out_values, to, call->err));
    back[i] = to;
  }
  return BERTH_OK;
}

static berth_code_t fill(berth_call_t *call, int64_t rows, int64_t *counts) {
  const berth_tensor_t *at = call->inputs[0];
  void *out_at = NULL, *values = NULL, *is_empty = NULL, *back = NULL;
  BERTH_TRY(count_rows(call, rows, counts));
  int64_t dims[2] = {at->dims[0], place_rank(at)};
  for (int64_t row = 0; row < rows; ++row) dims[0] += counts[row] == 0 ? 1 : 0;
  BERTH_TRY(berth_cpu_make(call, 0, at->rank, dims, &out_at));
  BERTH_TRY(berth_cpu_make(call, 1, 1, dims, &values));
  BERTH_TRY(berth_cpu_make(call, 2, 1, &rows, &is_empty));
  BERTH_TRY(berth_cpu_make(call, 3, 1, at->dims, &back));
  return write_rows(call, rows, counts, out_at, values, is_empty, back);
}

static berth_code_t make_fill(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  int64_t rows = *(const int64_t *)call->inputs[2]->data;
  int64_t elements = call->inputs[0]->dims[0];
  if (rows == 0 && elements != 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Received SparseTensor with dense_shape[0] = 0 but "
                           "indices.shape[0] = %lld",
                           (long long)elements);
  }
  if (rows < 0 && call->inputs[0]->rank == 1) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Expected shape dimensions to be non-negative, got %lld",
        (long long)rows);
  }
  if (rows < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Dimension 0 of dense_shape must be >= 0, but is "
                           "%lld",
                           (long long)rows);
  }
  int64_t *counts = berth_calloc((size_t)rows + 1, sizeof(*counts));
  if (counts == NULL) return berth_error_no_memory(call->err, "rows");
  berth_code_t code = fill(call, rows, counts);
  berth_free(counts);
  return code;
}

BERTH_CPU_MAKES(fill)

static berth_code_t prepare_fill(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_fill_rows(&prepare->op, err));
  prepare->run = run_fill;
  prepare->work = prepare->op.inputs[1].count * 10;
  return BERTH_OK;
}

static berth_code_t prepare_ragged_fill(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  BERTH_TRY(berth_op_ragged_fill_rows(&prepare->op, err));
  prepare->run = run_fill;
  prepare->work = prepare->op.inputs[1].count * 10;
  return BERTH_OK;
}

// ---- The gradient ----

typedef struct plan {
  int64_t count, grads;
  berth_combiner_t join;
} plan_t;

static berth_code_t run_grad(const void *data, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = data;
  const int64_t *back = args[0];
  const char *grads = args[1];
  bool *is_used = args[4];
  size_t size = plan->join.size;
  memset(is_used, 0, (size_t)plan->grads + 1);
  memset(args[3], 0, size);
  for (int64_t i = 0; i < plan->count; ++i) {
    if (back[i] < 0 || back[i] >= plan->grads) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "Elements in reverse index must be in [0, %lld) but got %lld",
          (long long)plan->grads, (long long)back[i]);
    }
    memcpy((char *)args[2] + (size_t)i * size, grads + (size_t)back[i] * size,
           size);
    is_used[back[i]] = true;
  }
  for (int64_t i = 0; i < plan->grads; ++i) {
    if (is_used[i]) continue;
    (void)berth_combine(&plan->join, args[3], grads + (size_t)i * size, 1,
                        false);
  }
  return BERTH_OK;
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_fill_grad(&prepare->op, err));
  *plan = (plan_t){in[0].count, in[1].count,
                   berth_combiner_of(BERTH_COMBINE_ADD, in[1].dtype)};
  prepare->run = run_grad;
  prepare->scratch_size = (size_t)plan->grads + 1;
  prepare->work = plan->grads * 4;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_sparse_rows_kernels[] = {
    {.op = "RaggedFillEmptyRows",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_ragged_fill},
    {.op = "RaggedFillEmptyRowsGrad",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = prepare_grad},
    {.op = "SparseFillEmptyRows",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_fill},
    {.op = "SparseFillEmptyRowsGrad",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = prepare_grad},
    {.op = NULL},
};
