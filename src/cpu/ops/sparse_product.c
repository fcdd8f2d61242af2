// sparse_product.c - The kernel SparseTensorDenseMatMul.
//
// Each element of the sparse matrix adds a multiple of a row of the dense one
// to a row of the result. Half and bfloat16 are summed in float.
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/loops/floats.h"
#include "cpu/loops/lines.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "op/sparse_math.h"

// One run: a is m x k, b is k x n.
typedef struct product {
  const berth_tensor_t *at, *values, *b;
  bool turns_a, turns_b;
  berth_dtype_t dtype, sums;  // Of elements, of sums.
  size_t size;                // Of a sum.
  int64_t m, k, n;
  const berth_loops_t *add, *multiply;
  char *row;       // Room for a multiple of a row.
  char *b_rows;    // The rows of b, as sums are.
  char *a_values;  // The values of a, the same.
} product_t;

static BERTH_INLINE int64_t place(const product_t *p, int64_t i,
                                  int column) {
  int64_t index = i * 2 + (p->turns_a ? 1 - column : column);
  return p->at->dtype == BERTH_INT64 ? ((const int64_t *)p->at->data)[index]
                                     : ((const int32_t *)p->at->data)[index];
}

static berth_code_t check_place(const product_t *p, int64_t i, int column,
                                berth_error_t *err) {
  int64_t index = place(p, i, column), limit = column == 0 ? p->m : p->k;
  if (index >= 0 && index < limit) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s (%lld) from index[%lld,%d] out of bounds (>=%lld)",
                         column == 0 ? "m" : "k", (long long)index,
                         (long long)i, p->turns_a ? 1 - column : column,
                         (long long)limit);
}

static void conjugate(berth_dtype_t dtype, void *data, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == BERTH_COMPLEX64) {
      ((float *)data)[2 * i + 1] = -((float *)data)[2 * i + 1];
    } else if (dtype == BERTH_COMPLEX128) {
      ((double *)data)[2 * i + 1] = -((double *)data)[2 * i + 1];
    }
  }
}

// Copies |from| as sums are.
static void widen(const product_t *p, const berth_tensor_t *from, char *to) {
  if (p->sums != p->dtype) {
    berth_floats_from(p->dtype, from->data, (float *)(void *)to, from->count);
  } else if (from->count > 0) {
    memcpy(to, from->data, from->size);
  }
}

// Brings b into rows of n, and conjugates what is turned.
static void arrange(product_t *p, char *room) {
  widen(p, p->values, p->a_values);
  if (p->turns_a) conjugate(p->dtype, p->a_values, p->values->count);
  if (!p->turns_b) {
    widen(p, p->b, p->b_rows);
    return;
  }
  widen(p, p->b, room);
  for (int64_t i = 0; i < p->k * p->n; ++i) {
    memcpy(p->b_rows + (size_t)i * p->size,
           room + (size_t)(i % p->n * p->k + i / p->n) * p->size, p->size);
  }
  conjugate(p->dtype, p->b_rows, p->b->count);
}

static berth_code_t multiply(const product_t *p, char *out,
                             berth_call_t *call) {
  size_t row_size = (size_t)p->n * p->size;
  void (*add_times)(int64_t, const float *, float, float *) =
      BERTH_ISA_PICK(berth_cpu_lines_loops)->add_times;
  for (int64_t i = 0; i < p->values->count; ++i) {
    if (berth_cpu_ends_at(call, i * 16)) return berth_cpu_ended(call);
    int64_t row = place(p, i, 0), column = place(p, i, 1);
    if ((uint64_t)row >= (uint64_t)p->m || (uint64_t)column >= (uint64_t)p->k) {
      BERTH_TRY(check_place(p, i, 1, call->err));
      return check_place(p, i, 0, call->err);
    }
    char *to = out + (size_t)row * row_size;
    const char *from = p->b_rows + (size_t)column * row_size;
    if (p->sums == BERTH_FLOAT) {
      float by = ((const float *)(const void *)p->a_values)[i];
      add_times(p->n, (const void *)from, by, (void *)to);
      continue;
    }
    p->multiply->right(from, p->a_values + (size_t)i * p->size, p->row, p->n);
    p->add->both(to, p->row, to, p->n);
  }
  return BERTH_OK;
}

static berth_code_t read_sizes(product_t *p, berth_call_t *call) {
  int64_t sizes[3];
  BERTH_TRY(berth_sparse_product_sizes(call->node, call->inputs[2]->data,
                                       berth_tensor_dims(p->b), sizes,
                                       call->err));
  p->m = sizes[0];
  p->k = sizes[1];
  p->n = sizes[2];
  return BERTH_OK;
}

static berth_code_t make_product(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  (void)args;
  product_t p = {
      .at = call->inputs[0],
      .values = call->inputs[1],
      .b = call->inputs[3],
      .turns_a = berth_node_attr_bool(call->node, "adjoint_a", false),
      .turns_b = berth_node_attr_bool(call->node, "adjoint_b", false),
      .dtype = call->inputs[3]->dtype};
  BERTH_TRY(read_sizes(&p, call));
  bool is_narrow = p.dtype == BERTH_HALF || p.dtype == BERTH_BFLOAT16;
  p.sums = is_narrow ? BERTH_FLOAT : p.dtype;
  p.size = berth_dtype_size(p.sums);
  p.add = berth_binary_loops(BERTH_BINARY_ADD, p.sums);
  p.multiply = berth_binary_loops(BERTH_BINARY_MUL, p.sums);
  void *out = NULL;
  int64_t dims[2] = {p.m, p.n};
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &out));
  size_t b_size = (size_t)p.b->count * p.size;
  size_t a_size = (size_t)p.values->count * p.size;
  size_t out_size = (size_t)(p.m * p.n) * p.size;
  char *room = berth_calloc(
      2 * b_size + a_size + out_size + (size_t)p.n * p.size + 1, 1);
  if (room == NULL) return berth_error_no_memory(call->err, "a product");
  p.b_rows = room;
  p.a_values = p.b_rows + 2 * b_size;
  p.row = p.a_values + a_size;
  char *sums = p.row + (size_t)p.n * p.size;
  arrange(&p, room + b_size);
  berth_code_t code = multiply(&p, sums, call);
  if (code == BERTH_OK && is_narrow) {
    berth_floats_to(p.dtype, (const float *)(void *)sums, out, p.m * p.n);
  } else if (code == BERTH_OK && out_size > 0) {
    memcpy(out, sums, out_size);
  }
  berth_free(room);
  return code;
}

BERTH_CPU_MAKES(product)

static berth_code_t prepare_product(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_product(&prepare->op, err));
  prepare->run = run_product;
  prepare->work = prepare->op.inputs[1].count * 20;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_sparse_product_kernels[] = {
    {.op = "SparseTensorDenseMatMul",
     .types = {{"T", BERTH_TYPES_INEXACT | BERTH_TYPE(INT32)},
               {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_product},
    {.op = NULL},
};
