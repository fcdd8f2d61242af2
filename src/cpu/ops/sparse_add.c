// sparse_add.c - Kernels of two sparse tensors: SparseAdd, its gradient,
// SparseSparseMaximum and Minimum.
//
// Places are in order, so that both are walked at once:
//
//   a   [0,1] [1,0]       [1,2]
//   b   [0,1]       [1,1]         ->   both, a, b, a
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"
#include "op/sparse_math.h"

// One of both tensors.
typedef struct side {
  const int64_t *at;
  const char *values;
  int64_t count;
} side_t;

// Where elements of the result come from: -1 is nowhere.
typedef struct origin {
  int64_t a, b;
} origin_t;

// Walks both and stores where each element comes from, |origins| having room
// for all; returns how many there are.
static int64_t merge(const side_t *a, const side_t *b, int64_t rank,
                     origin_t *origins) {
  int64_t i = 0, k = 0, count = 0;
  while (i < a->count || k < b->count) {
    int order = i == a->count   ? 1
                : k == b->count ? -1
                                : berth_sparse_compare(a->at + i * rank,
                                                       b->at + k * rank, rank);
    origins[count++] = (origin_t){order <= 0 ? i++ : -1, order >= 0 ? k++ : -1};
  }
  return count;
}

static berth_code_t check_same(const berth_tensor_t *a, const berth_tensor_t *b,
                               berth_error_t *err) {
  const int64_t *x = a->data, *y = b->data;
  for (int64_t i = 0; i < a->count; ++i) {
    if (x[i] == y[i]) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Operands' shapes do not match: got %lld and %lld for dimension %lld",
        (long long)x[i], (long long)y[i], (long long)i);
  }
  return BERTH_OK;
}

static side_t side_of(const berth_call_t *call, int first) {
  return (side_t){call->inputs[first]->data, call->inputs[first + 1]->data,
                  call->inputs[first + 1]->count};
}

// Stores the value of an element of the result.
static void join_one(const berth_combiner_t *join, const side_t *a,
                     const side_t *b, origin_t from, const char *zero,
                     char *out) {
  const char *x = from.a >= 0 ? a->values + (size_t)from.a * join->size : zero;
  const char *y = from.b >= 0 ? b->values + (size_t)from.b * join->size : zero;
  memcpy(out, x, join->size);
  (void)berth_combine(join, out, y, 1, false);
}

// Makes the outputs: the places and values of |count| elements.
static berth_code_t make_outputs(berth_call_t *call, const side_t *a,
                                 const side_t *b, int64_t rank,
                                 const origin_t *origins, int64_t count,
                                 const char *values, size_t size) {
  int64_t dims[2] = {count, rank};
  void *at = NULL, *to = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &at));
  BERTH_TRY(berth_cpu_make(call, 1, 1, dims, &to));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t *from = origins[i].a >= 0 ? a->at + origins[i].a * rank
                                            : b->at + origins[i].b * rank;
    memcpy((int64_t *)at + i * rank, from, (size_t)rank * sizeof(int64_t));
  }
  if (count > 0) memcpy(to, values, (size_t)count * size);
  return BERTH_OK;
}

// ---- SparseAdd, SparseSparseMaximum, SparseSparseMinimum ----

// How large a number is, for the threshold of a sum.
static double magnitude(berth_dtype_t dtype, const void *x) {
  if (dtype == BERTH_COMPLEX64) {
    return (double)hypotf(((const float *)x)[0], ((const float *)x)[1]);
  }
  if (dtype == BERTH_COMPLEX128) {
    return hypot(((const double *)x)[0], ((const double *)x)[1]);
  }
  return fabs(berth_number_at(dtype, x, 0));
}

static berth_combine_t how_of(const berth_node_t *node) {
  return strcmp(node->op->name, "SparseAdd") == 0 ? BERTH_COMBINE_ADD
         : strcmp(node->op->name, "SparseSparseMaximum") == 0
             ? BERTH_COMBINE_MAX
             : BERTH_COMBINE_MIN;
}

// Joins elements, and keeps their |origins|; returns how many stay. Sums below
// |least| do not.
static int64_t join_all(const berth_combiner_t *join, const side_t *a,
                        const side_t *b, const berth_tensor_t *least,
                        origin_t *origins, int64_t count, char *values) {
  static const _Alignas(16) char zero[16];
  double limit =
      least != NULL ? berth_number_at(least->dtype, least->data, 0) : 0;
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    char *to = values + (size_t)kept * join->size;
    join_one(join, a, b, origins[i], zero, to);
    bool is_sum = origins[i].a >= 0 && origins[i].b >= 0;
    if (least != NULL && is_sum && !(limit <= magnitude(join->dtype, to))) {
      continue;
    }
    origins[kept++] = origins[i];
  }
  return kept;
}

static berth_code_t make_pair(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *shape = call->inputs[2], *other = call->inputs[5];
  bool is_sum = call->node->input_count == 7;
  side_t a = side_of(call, 0), b = side_of(call, 3);
  berth_combiner_t join =
      berth_combiner_of(how_of(call->node), call->inputs[1]->dtype);
  int64_t rank = shape->count;
  void *out = NULL;
  if (rank != other->count) {
    char x[BERTH_SPARSE_TEXT], y[BERTH_SPARSE_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Operands do not have the same ranks; got shapes: %s and %s",
        berth_sparse_text(shape, x), berth_sparse_text(other, y));
  }
  BERTH_TRY(check_same(shape, other, call->err));
  if (is_sum) {
    BERTH_TRY(berth_cpu_make(call, 2, 1, shape->dims, &out));
    if (rank > 0) memcpy(out, shape->data, shape->size);
  }
  size_t most = (size_t)(a.count + b.count);
  origin_t *origins = berth_calloc(most + 1, sizeof(*origins));
  char *values = berth_calloc(most + 1, join.size);
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  if (origins == NULL || values == NULL) {
    code = berth_error_no_memory(call->err, "a sum");
  } else {
    int64_t count = merge(&a, &b, rank, origins);
    count = join_all(&join, &a, &b, is_sum ? call->inputs[6] : NULL, origins,
                     count, values);
    code = make_outputs(call, &a, &b, rank, origins, count, values, join.size);
  }
  berth_free(origins);
  berth_free(values);
  return code;
}

BERTH_CPU_MAKES(pair)

static berth_code_t prepare_add(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_add(&prepare->op, err));
  prepare->run = run_pair;
  prepare->work = prepare->op.inputs[1].count * 20;
  return BERTH_OK;
}

static berth_code_t prepare_extreme(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_extreme(&prepare->op, err));
  prepare->run = run_pair;
  prepare->work = prepare->op.inputs[1].count * 20;
  return BERTH_OK;
}

// ---- SparseAddGrad ----

typedef struct grad_plan {
  int64_t counts[2], sums, rank;
  size_t size;
} grad_plan_t;

// Hands each gradient to the element of one tensor that has its place.
static void spread(const grad_plan_t *plan, const int64_t *at, int64_t count,
                   const int64_t *sum_at, const char *grads, char *out) {
  int64_t k = 0;
  if (count > 0) memset(out, 0, (size_t)count * plan->size);
  for (int64_t i = 0; i < plan->sums && k < count; ++i) {
    const int64_t *place = sum_at + i * plan->rank;
    while (k < count &&
           berth_sparse_compare(at + k * plan->rank, place, plan->rank) < 0) {
      ++k;
    }
    if (k == count ||
        berth_sparse_compare(at + k * plan->rank, place, plan->rank) != 0) {
      continue;
    }
    memcpy(out + (size_t)k * plan->size, grads + (size_t)i * plan->size,
           plan->size);
    ++k;
  }
}

static berth_code_t run_grad(const void *data, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const grad_plan_t *plan = data;
  for (int i = 0; i < 2; ++i) {
    spread(plan, args[1 + i], plan->counts[i], args[3], args[0], args[4 + i]);
  }
  return BERTH_OK;
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  grad_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_add_grad(&prepare->op, err));
  *plan = (grad_plan_t){{in[1].dims[0], in[2].dims[0]},
                        in[0].count,
                        in[1].dims[1],
                        berth_dtype_size(in[0].dtype)};
  prepare->run = run_grad;
  prepare->work = in[0].count * 20;
  return BERTH_OK;
}

#define SUMS                                                     \
  (BERTH_TYPES_SIGNED | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) | \
   BERTH_TYPES_COMPLEX)

const berth_kernel_t berth_cpu_sparse_add_kernels[] = {
    {.op = "SparseAdd", .types = {{"T", SUMS}}, .prepare = prepare_add},
    {.op = "SparseAddGrad", .types = {{"T", SUMS}}, .prepare = prepare_grad},
    {.op = "SparseSparseMaximum",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_extreme},
    {.op = "SparseSparseMinimum",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_extreme},
    {.op = NULL},
};
