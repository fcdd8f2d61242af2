// scan.c - Cumsum, Cumprod and CumulativeLogsumexp.
//
// A slice of |inner| elements is joined with the one before it.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/number.h"
#include "cpu/loops/round.h"
#include "op/group.h"
#include "op/types.h"

enum { PIECE = 1 << 14 };  // Elements that are worth a thread.

// Scans a line of single elements.
typedef void (*line_fn)(const berth_scan_t *scan, const void *in, void *out);

typedef struct plan {
  berth_scan_t scan;
  berth_combiner_t combiner;
  bool is_log;
  line_fn line;    // NULL: see run_outer().
  bool is_narrow;  // Lines of half or bfloat16: see scan_narrow().
  int64_t grain;   // Of |outer| that make a piece.
} plan_t;

// log(e^x + e^y), in the precision of the type.
static double log_add(berth_dtype_t dtype, double x, double y) {
  double most = x > y ? x : y, least = x > y ? y : x;
  if (isinf(least) && least < 0) return most;
  if (dtype == BERTH_DOUBLE) return most + log1p(exp(least - most));
  return (float)most + log1pf(expf((float)least - (float)most));
}

// Joins |count| elements of |value| with those at |to|.
static void join(const plan_t *plan, char *to, const char *value,
                 int64_t count) {
  if (!plan->is_log) {
    (void)berth_combine(&plan->combiner, to, value, count, false);
    return;
  }
  berth_dtype_t dtype = plan->scan.dtype;
  for (int64_t i = 0; i < count; ++i) {
    berth_number_set(dtype, to, i,
                     log_add(dtype, berth_number_at(dtype, to, i),
                             berth_number_at(dtype, value, i)));
  }
}

// Writes what nothing joined is: 0, 1, or the logarithm of 0.
static void begin(const plan_t *plan, char *to) {
  berth_dtype_t dtype = plan->scan.dtype;
  int64_t count = plan->scan.inner;
  size_t size = plan->combiner.size;
  memset(to, 0, (size_t)count * size);
  bool is_product = plan->combiner.how == BERTH_COMBINE_MUL;
  if (!is_product && !plan->is_log) return;
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == BERTH_COMPLEX64) {
      ((float *)(void *)to)[2 * i] = 1;
    } else if (dtype == BERTH_COMPLEX128) {
      ((double *)(void *)to)[2 * i] = 1;
    } else {
      berth_number_set(dtype, to, i, plan->is_log ? -INFINITY : 1);
    }
  }
}

// A scan of lines of single elements: sums wrap where numbers are whole.
#define DEFINE_LINE(name, type, OP, START)                          \
  static void line_##name(const berth_scan_t *scan, const void *in, \
                          void *out) {                              \
    const type *from = in;                                          \
    type *to = out;                                                 \
    int64_t step = scan->reverse ? -1 : 1;                          \
    int64_t at = scan->reverse ? scan->length - 1 : 0;              \
    type sum = from[at];                                            \
    if (scan->exclusive) sum = START;                               \
    to[at] = sum;                                                   \
    int64_t back = scan->exclusive ? step : 0;                      \
    for (int64_t i = 1; i < scan->length; ++i) {                    \
      at += step;                                                   \
      sum = (type)(sum OP from[at - back]);                         \
      to[at] = sum;                                                 \
    }                                                               \
  }
DEFINE_LINE(sum_f32, float, +, 0)
DEFINE_LINE(sum_f64, double, +, 0)
DEFINE_LINE(sum_u32, uint32_t, +, 0)
DEFINE_LINE(sum_u64, uint64_t, +, 0)
DEFINE_LINE(prod_f32, float, *, 1)
DEFINE_LINE(prod_f64, double, *, 1)
#undef DEFINE_LINE

// ---- Lines of half and bfloat16 ----

// Every step is rounded, which takes longer than adding: some lines go side by
// side, and stay floats of which the lower bits are 0.
enum { SIDE_BY_SIDE = 4, NARROW_PIECE = 256 };

// Goes on with |lines| lines of |count| floats, from |sums|.
#define DEFINE_STEPS(name)                                                   \
  static void steps_##name(const plan_t *plan, float lines[][NARROW_PIECE],  \
                           int64_t count, float *sums) {                     \
    const bool is_product = plan->combiner.how == BERTH_COMBINE_MUL;         \
    const bool is_back = plan->scan.reverse, is_late = plan->scan.exclusive; \
    for (int64_t i = 0; i < count; ++i) {                                    \
      const int64_t at = is_back ? count - 1 - i : i;                        \
      for (int k = 0; k < SIDE_BY_SIDE; ++k) {                               \
        const float x = lines[k][at], sum = sums[k];                         \
        sums[k] = berth_round_##name(is_product ? sum * x : sum + x);        \
        lines[k][at] = is_late ? sum : sums[k];                              \
      }                                                                      \
    }                                                                        \
  }
DEFINE_STEPS(half)
DEFINE_STEPS(bfloat16)
#undef DEFINE_STEPS

// Scans |count| lines, at most SIDE_BY_SIDE, a piece of all of them at a time.
static void scan_narrow(const plan_t *plan, const uint16_t *in, uint16_t *out,
                        int64_t count) {
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  const bool is_half = plan->scan.dtype == BERTH_HALF;
  const int64_t length = plan->scan.length;
  float lines[SIDE_BY_SIDE][NARROW_PIECE] = {{0}}, sums[SIDE_BY_SIDE];
  for (int k = 0; k < SIDE_BY_SIDE; ++k) {
    // What is in front of the first changes nothing, not even the sign of 0.
    sums[k] = plan->scan.exclusive ? 0.0F : -0.0F;
    if (plan->combiner.how == BERTH_COMBINE_MUL) sums[k] = 1;
  }
  for (int64_t done = 0; done < length; done += NARROW_PIECE) {
    const int64_t left = length - done;
    const int64_t n = left < NARROW_PIECE ? left : NARROW_PIECE;
    const int64_t first = plan->scan.reverse ? left - n : done;
    for (int64_t k = 0; k < count; ++k) {
      (is_half ? loops->half_to_float : loops->BFLOAT16_to_FLOAT)(
          in + k * length + first, lines[k], n);
    }
    (is_half ? steps_half : steps_bfloat16)(plan, lines, n, sums);
    for (int64_t k = 0; k < count; ++k) {
      (is_half ? loops->float_to_half : loops->FLOAT_to_BFLOAT16)(
          lines[k], out + k * length + first, n);
    }
  }
}

// Returns what scans lines of single elements; NULL: nothing but run_outer().
static line_fn line_of(const plan_t *plan) {
  bool is_product = plan->combiner.how == BERTH_COMBINE_MUL;
  if (plan->is_log || plan->scan.inner != 1) return NULL;
  switch (plan->scan.dtype) {
    case BERTH_FLOAT:
      return is_product ? line_prod_f32 : line_sum_f32;
    case BERTH_DOUBLE:
      return is_product ? line_prod_f64 : line_sum_f64;
    case BERTH_INT32:
      return is_product ? NULL : line_sum_u32;
    case BERTH_INT64:
      return is_product ? NULL : line_sum_u64;
    default:
      return NULL;
  }
}

// Scans one of |outer|.
static void run_outer(const plan_t *plan, const char *in, char *out) {
  const berth_scan_t *scan = &plan->scan;
  size_t row = (size_t)scan->inner * plan->combiner.size;
  for (int64_t i = 0; i < scan->length; ++i) {
    int64_t at = scan->reverse ? scan->length - 1 - i : i;
    int64_t before = scan->reverse ? at + 1 : at - 1;
    char *to = out + (size_t)at * row;
    const char *last = out + (size_t)before * row;
    const char *value = in + (size_t)(scan->exclusive ? before : at) * row;
    if (i == 0 && scan->exclusive) {
      begin(plan, to);
    } else if (i == 0) {
      memcpy(to, value, row);
    } else if (!plan->is_log && plan->combiner.loops != NULL) {
      plan->combiner.loops->both(last, value, to, scan->inner);
    } else {
      memcpy(to, last, row);
      join(plan, to, value, scan->inner);
    }
  }
}

typedef struct scan_run {
  const plan_t *plan;
  const char *in;
  char *out;
} scan_run_t;

static void run_lines(void *arg, int64_t first, int64_t behind) {
  const scan_run_t *run = arg;
  const plan_t *plan = run->plan;
  size_t each =
      (size_t)(plan->scan.length * plan->scan.inner) * plan->combiner.size;
  for (int64_t o = first; o < behind && plan->is_narrow; o += SIDE_BY_SIDE) {
    const int64_t at = o * plan->scan.length, left = behind - o;
    scan_narrow(plan, (const uint16_t *)(const void *)run->in + at,
                (uint16_t *)(void *)run->out + at,
                left < SIDE_BY_SIDE ? left : SIDE_BY_SIDE);
  }
  for (int64_t o = first; o < behind && !plan->is_narrow; ++o) {
    const char *in = run->in + (size_t)o * each;
    char *out = run->out + (size_t)o * each;
    if (plan->line != NULL) {
      plan->line(&plan->scan, in, out);
    } else {
      run_outer(plan, in, out);
    }
  }
}

static berth_code_t run_scan(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  scan_run_t run = {plan, args[0], args[2]};
  (void)berth_parallel_for(plan->scan.outer, plan->grain, run_lines, &run);
  return BERTH_OK;
}

static berth_code_t prepare_with(berth_prepare_t *prepare,
                                 berth_combine_t combine, bool is_log,
                                 berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_scan(&prepare->op, &plan->scan, err));
  plan->combiner = berth_combiner_of(combine, plan->scan.dtype);
  plan->is_log = is_log;
  plan->line = line_of(plan);
  plan->is_narrow =
      !is_log && plan->scan.inner == 1 &&
      berth_type_in(plan->scan.dtype, BERTH_TYPE(HALF) | BERTH_TYPE(BFLOAT16));
  plan->grain = PIECE / (plan->scan.length * plan->scan.inner + 1) + 1;
  int64_t count = prepare->op.inputs[0].count;
  prepare->run = count > 0 ? run_scan : berth_run_nothing;
  prepare->work = count * 5;
  return BERTH_OK;
}

static berth_code_t prepare_sum(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_COMBINE_ADD, false, err);
}

static berth_code_t prepare_prod(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_COMBINE_MUL, false, err);
}

static berth_code_t prepare_log(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_COMBINE_SET, true, err);
}

const berth_kernel_t berth_cpu_scan_kernels[] = {
    {.op = "Cumsum",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_sum},
    {.op = "Cumprod",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_prod},
    {.op = "CumulativeLogsumexp",
     .types = {{"T", BERTH_TYPES_FLOATING}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_log},
    {.op = NULL},
};
