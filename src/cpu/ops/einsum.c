// einsum.c - The kernel Einsum: sums of products over labels.
//
// What is a product of matrices is computed as one (einsum_product.h). Of the
// rest the loops are those of op/einsum.h. The innermost runs over the last
// label of the output, a strip of results at a time, or, where that is shorter,
// over the last label that is summed over. Halves are summed as floats.
#include "op/einsum.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/einsum_product.h"
#include "op/types.h"
#include "tensor/half.h"

enum {
  STRIP = 256,        // Results made at a time.
  ITEM_TERMS = 8192,  // Products that are worth a thread.
  MAX_SIZE = 16,      // Bytes of an element.
};

// The loops of one type. Steps are in elements.
typedef struct loops {
  // Adds |count| products, each to a sum of its own, or all to one.
  void (*each)(void *sums, int64_t count, const void *a, int64_t a_step,
               const void *b, int64_t b_step);
  void (*all)(void *sum, int64_t count, const void *a, int64_t a_step,
              const void *b, int64_t b_step);
  void (*store)(const void *sums, int64_t count, void *out, int64_t step);
  size_t sum_size;
  uint64_t one[2];  // The number one, for what has no second input.
} loops_t;

typedef struct complex_float {
  float re, im;
} complex_float_t;
typedef struct complex_double {
  double re, im;
} complex_double_t;

#define NUMBER_ADD(sum, x, y) ((sum) += (x) * (y))
#define COMPLEX_ADD(sum, x, y)                    \
  ((sum).re += (x).re * (y).re - (x).im * (y).im, \
   (sum).im += (x).re * (y).im + (x).im * (y).re)
#define SAME(x) (x)

#define DEFINE_LOOPS(name, T, SUM, LOAD, STORE, ADD)                           \
  static void name##_each(void *sums, int64_t count, const void *a,            \
                          int64_t a_step, const void *b, int64_t b_step) {     \
    SUM *to = sums;                                                            \
    const T *x = a, *y = b;                                                    \
    for (int64_t i = 0; i < count; ++i) {                                      \
      ADD(to[i], LOAD(x[i * a_step]), LOAD(y[i * b_step]));                    \
    }                                                                          \
  }                                                                            \
  static void name##_all(void *sum, int64_t count, const void *a,              \
                         int64_t a_step, const void *b, int64_t b_step) {      \
    SUM total = *(SUM *)sum;                                                   \
    const T *x = a, *y = b;                                                    \
    for (int64_t i = 0; i < count; ++i) {                                      \
      ADD(total, LOAD(x[i * a_step]), LOAD(y[i * b_step]));                    \
    }                                                                          \
    *(SUM *)sum = total;                                                       \
  }                                                                            \
  static void name##_store(const void *sums, int64_t count, void *out,         \
                           int64_t step) {                                     \
    const SUM *from = sums;                                                    \
    for (int64_t i = 0; i < count; ++i) ((T *)out)[i * step] = STORE(from[i]); \
  }

DEFINE_LOOPS(f32, float, float, SAME, SAME, NUMBER_ADD)
DEFINE_LOOPS(f64, double, double, SAME, SAME, NUMBER_ADD)
DEFINE_LOOPS(f16, uint16_t, float, berth_half_to_float, berth_float_to_half,
             NUMBER_ADD)
DEFINE_LOOPS(bf16, uint16_t, float, berth_bfloat16_to_float,
             berth_float_to_bfloat16, NUMBER_ADD)
// Integers wrap.
DEFINE_LOOPS(i32, uint32_t, uint32_t, SAME, SAME, NUMBER_ADD)
DEFINE_LOOPS(i64, uint64_t, uint64_t, SAME, SAME, NUMBER_ADD)
DEFINE_LOOPS(c64, complex_float_t, complex_float_t, SAME, SAME, COMPLEX_ADD)
DEFINE_LOOPS(c128, complex_double_t, complex_double_t, SAME, SAME, COMPLEX_ADD)

#define LOOPS(name, sum, one)                                      \
  {                                                                \
    name##_each, name##_all, name##_store, sizeof(sum), { one, 0 } \
  }

static const loops_t *loops_of(berth_dtype_t dtype) {
  static const struct {
    berth_dtype_t dtype;
    loops_t loops;
  } all[] = {
      {BERTH_FLOAT, LOOPS(f32, float, 0x3f800000)},
      {BERTH_DOUBLE, LOOPS(f64, double, UINT64_C(0x3ff0000000000000))},
      {BERTH_HALF, LOOPS(f16, float, 0x3c00)},
      {BERTH_BFLOAT16, LOOPS(bf16, float, 0x3f80)},
      {BERTH_INT32, LOOPS(i32, uint32_t, 1)},
      {BERTH_INT64, LOOPS(i64, uint64_t, 1)},
      {BERTH_COMPLEX64, LOOPS(c64, complex_float_t, 0x3f800000)},
      {BERTH_COMPLEX128,
       LOOPS(c128, complex_double_t, UINT64_C(0x3ff0000000000000))},
  };
  for (int i = 0; i < BERTH_COUNT_OF(all); ++i) {
    if (all[i].dtype == dtype) return &all[i].loops;
  }
  return NULL;
}

// ---- Plans ----

typedef struct plan {
  berth_einsum_t einsum;
  const loops_t *loops;
  int64_t size;    // Bytes of an element.
  int64_t length;  // Of the last loop over the output.
  int64_t strips;  // Of one row.
  int64_t rows;
  int64_t terms;  // Summed over, without the last such loop.
  int64_t last;   // That loop's length.
  bool is_long;   // It is the innermost one.
  size_t bytes;   // Of the output.
} plan_t;

typedef struct einsum_run {
  const plan_t *plan;
  const char *in[2];
  char *out;
} einsum_run_t;

// Adds to |at| where index |index| of the loops [first, last) leads.
static void offsets_add(const berth_einsum_t *einsum, int32_t first,
                        int32_t last, int64_t index, int64_t at[3]) {
  for (int32_t l = last; l-- > first;) {
    int64_t dim = einsum->dims[l], i = index % dim;
    index /= dim;
    for (int k = 0; k < 3; ++k) at[k] += i * einsum->steps[k][l];
  }
}

// Sums up one strip of |count| results that begins at |at|.
static void run_strip(const einsum_run_t *run, const int64_t at[3],
                      int64_t count) {
  _Alignas(16) unsigned char sums[STRIP * MAX_SIZE];
  const plan_t *plan = run->plan;
  const berth_einsum_t *einsum = &plan->einsum;
  const loops_t *loops = plan->loops;
  int32_t along = einsum->kept - 1, last = einsum->count - 1;
  int64_t step[3] = {0, 0, 0}, sum_step[2] = {0, 0};
  for (int k = 0; along >= 0 && k < 3; ++k) step[k] = einsum->steps[k][along];
  for (int k = 0; last > along && k < 2; ++k) {
    sum_step[k] = einsum->steps[k][last];
  }
  memset(sums, 0, (size_t)count * loops->sum_size);
  for (int64_t t = 0; t < plan->terms; ++t) {
    int64_t from[3] = {at[0], at[1], 0};
    offsets_add(einsum, einsum->kept, last > along ? last : last + 1, t, from);
    const char *a = run->in[0] + from[0] * plan->size;
    const char *b = run->in[1] + from[1] * plan->size;
    for (int64_t i = 0; plan->is_long && i < count; ++i) {
      loops->all(sums + (size_t)i * loops->sum_size, plan->last,
                 a + i * step[0] * plan->size, sum_step[0],
                 b + i * step[1] * plan->size, sum_step[1]);
    }
    for (int64_t i = 0; !plan->is_long && i < plan->last; ++i) {
      loops->each(sums, count, a + i * sum_step[0] * plan->size, step[0],
                  b + i * sum_step[1] * plan->size, step[1]);
    }
  }
  loops->store(sums, count, run->out + at[2] * plan->size, step[2]);
}

static void run_items(void *arg, int64_t begin, int64_t end) {
  const einsum_run_t *run = arg;
  const plan_t *plan = run->plan;
  const berth_einsum_t *einsum = &plan->einsum;
  for (int64_t item = begin; item < end; ++item) {
    int64_t row = item / plan->strips, first = item % plan->strips * STRIP;
    int64_t count = plan->length - first < STRIP ? plan->length - first : STRIP;
    int64_t at[3] = {0, 0, 0};
    offsets_add(einsum, 0, einsum->kept - 1, row, at);
    for (int k = 0; einsum->kept > 0 && k < 3; ++k) {
      at[k] += first * einsum->steps[k][einsum->kept - 1];
    }
    run_strip(run, at, count);
  }
}

static berth_code_t run_einsum(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  (void)call;
  int inputs = plan->einsum.inputs;
  einsum_run_t run = {.plan = plan, .out = args[inputs]};
  run.in[0] = args[0];
  run.in[1] = inputs > 1 ? args[1] : (const void *)plan->loops->one;
  // Nothing is summed where a label has no indices.
  if (plan->einsum.has_diagonal || plan->terms * plan->last == 0) {
    memset(run.out, 0, plan->bytes);
  }
  if (plan->terms * plan->last == 0) return BERTH_OK;
  int64_t work =
      plan->terms * plan->last * (plan->length < STRIP ? plan->length : STRIP);
  berth_parallel_for(plan->rows * plan->strips, ITEM_TERMS / (work + 1) + 1,
                     run_items, &run);
  return BERTH_OK;
}

static berth_code_t run_product(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)call;
  berth_einsum_product_run(arg, args, args[2], args[3]);
  return BERTH_OK;
}

static void measure(plan_t *plan) {
  const berth_einsum_t *einsum = &plan->einsum;
  int32_t kept = einsum->kept, count = einsum->count;
  plan->length = kept > 0 ? einsum->dims[kept - 1] : 1;
  plan->strips = (plan->length + STRIP - 1) / STRIP;
  plan->rows = plan->terms = 1;
  for (int32_t l = 0; l + 1 < kept; ++l) plan->rows *= einsum->dims[l];
  for (int32_t l = kept; l + 1 < count; ++l) plan->terms *= einsum->dims[l];
  plan->last = count > kept ? einsum->dims[count - 1] : 1;
  // Neighbours in memory are worth more than a long loop.
  bool is_strided = kept > 0 && (einsum->steps[0][kept - 1] > 1 ||
                                 einsum->steps[1][kept - 1] > 1);
  plan->is_long = plan->length < plan->last && (plan->length < 8 || is_strided);
}

// Plans |einsum| as products, where |*out_is_product| becomes true.
static berth_code_t prepare_product(berth_prepare_t *prepare,
                                    const berth_einsum_t *einsum,
                                    bool *out_is_product, berth_error_t *err) {
  berth_einsum_product_t made;
  *out_is_product = berth_einsum_product_plan(
      einsum, (int64_t)berth_dtype_size(einsum->dtype), &made);
  if (!*out_is_product) return BERTH_OK;
  berth_einsum_product_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = made;
  prepare->run = run_product;
  prepare->scratch_size = (size_t)berth_slots_bytes(&plan->slots);
  prepare->work = einsum->outputs * plan->gemm.k / 16;
  return BERTH_OK;
}

static berth_code_t prepare_einsum(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_einsum_t einsum;
  bool is_product;
  BERTH_TRY(berth_op_einsum(&prepare->op, &einsum, err));
  BERTH_TRY(prepare_product(prepare, &einsum, &is_product, err));
  if (is_product) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->einsum = einsum;
  berth_dtype_t dtype = plan->einsum.dtype;
  plan->loops = loops_of(dtype);
  plan->size = (int64_t)berth_dtype_size(dtype);
  plan->bytes = (size_t)(plan->einsum.outputs * plan->size);
  measure(plan);
  prepare->run = plan->bytes > 0 ? run_einsum : berth_run_nothing;
  prepare->work = plan->rows * plan->length * plan->terms * plan->last;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX | BERTH_TYPES_INDEX)

const berth_kernel_t berth_cpu_einsum_kernels[] = {
    {.op = "Einsum", .types = {{"T", TYPES}}, .prepare = prepare_einsum},
    {.op = NULL},
};
