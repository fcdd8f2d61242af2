// parts.c - Kernels of the parts of complex numbers, and some small ones of
// their own: ClipByValue, Cross, Betainc, PopulationCount, ApproximateEqual.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/complex_vector.h"
#include "cpu/loops/number.h"
#include "cpu/loops/special.h"
#include "op/elementwise.h"
#include "op/small.h"
#include "op/types.h"
#include "tensor/complex.h"

enum { GRAIN = 4096, BETA_GRAIN = 512 };  // Elements that are worth a thread.

// ---- Parts of complex numbers ----

enum { PART_COST = 2000 };  // Picoseconds an element.

// Refuses an output of the other width, which TensorFlow's registrations for
// ComplexAbs leave open.
static berth_code_t check_width(const berth_prepare_t *prepare,
                                berth_complex_part_t part, berth_error_t *err) {
  berth_dtype_t input = prepare->op.inputs[0].dtype;
  berth_dtype_t output = berth_dtype_base(prepare->op.node->output_types[0]);
  berth_dtype_t wanted = input == BERTH_COMPLEX64 ? BERTH_FLOAT : BERTH_DOUBLE;
  if (part == BERTH_PART_CONJ || output == wanted) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Signature mismatch, have: %s->%s expected: %s->%s",
                         berth_dtype_name(input), berth_dtype_name(output),
                         berth_dtype_name(input), berth_dtype_name(wanted));
}

static berth_code_t prepare_part(berth_prepare_t *prepare,
                                 berth_complex_part_t part,
                                 berth_error_t *err) {
  BERTH_TRY(check_width(prepare, part, err));
  const berth_complex_hot_t *hot = BERTH_ISA_PICK(berth_cpu_complex_hot);
  berth_dtype_t input = prepare->op.inputs[0].dtype;
  const berth_complex_loops_t *loops =
      input == BERTH_COMPLEX64 ? &hot->c64 : &hot->c128;
  berth_sweep_t sweep = {
      .loops = {.both = loops->part[part]},
      .input = input,
      .output = berth_dtype_base(prepare->op.node->output_types[0]),
      .cost = part >= BERTH_PART_ANGLE ? PART_COST : 0};
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  return berth_sweep_unary(prepare, &sweep, err);
}

#define PART(id, which)                                      \
  static berth_code_t prepare_##id(berth_prepare_t *prepare, \
                                   berth_error_t *err) {     \
    return prepare_part(prepare, which, err);                \
  }
PART(real, BERTH_PART_REAL)
PART(imag, BERTH_PART_IMAG)
PART(angle, BERTH_PART_ANGLE)
PART(abs, BERTH_PART_ABS)
PART(conj, BERTH_PART_CONJ)

// ---- Complex ----

typedef struct complex_plan {
  bool is_wide;
  int64_t count;
  berth_broadcast_t broadcast;
} complex_plan_t;

// True when both parts are as long as the output.
static bool parts_lie_alike(const complex_plan_t *plan) {
  const berth_level_t *level = &plan->broadcast.levels[0];
  return plan->broadcast.level_count == 1 && level->steps[0] == 1 &&
         level->steps[1] == 1;
}

#define JOIN(type)                                             \
  for (int64_t i = 0; i < plan->count; ++i) {                  \
    ((type *)args[2])[2 * i] = ((const type *)args[0])[i];     \
    ((type *)args[2])[2 * i + 1] = ((const type *)args[1])[i]; \
  }

static void join_parts(const complex_plan_t *plan, void *const *args) {
  if (plan->is_wide) {
    JOIN(double)
  } else {
    JOIN(float)
  }
}

static berth_code_t run_complex(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const complex_plan_t *plan = arg;
  if (parts_lie_alike(plan)) {
    join_parts(plan, args);
    return BERTH_OK;
  }
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t rest = i, at[2] = {0, 0};
    for (int32_t k = 0; k < plan->broadcast.level_count; ++k) {
      const berth_level_t *level = &plan->broadcast.levels[k];
      at[0] += rest % level->count * level->steps[0];
      at[1] += rest % level->count * level->steps[1];
      rest /= level->count;
    }
    if (plan->is_wide) {
      ((double *)args[2])[2 * i] = ((const double *)args[0])[at[0]];
      ((double *)args[2])[2 * i + 1] = ((const double *)args[1])[at[1]];
    } else {
      ((float *)args[2])[2 * i] = ((const float *)args[0])[at[0]];
      ((float *)args[2])[2 * i + 1] = ((const float *)args[1])[at[1]];
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_complex(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_binary_t binary = {.function = BERTH_BINARY_ADD};
  BERTH_TRY(berth_op_binary(&prepare->op, &binary, err));
  complex_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (complex_plan_t){binary.input == BERTH_DOUBLE, binary.count,
                           binary.broadcast};
  prepare->op.may_overwrite = 0;
  prepare->run = binary.count > 0 ? run_complex : berth_run_nothing;
  prepare->work = binary.count * 4;
  return BERTH_OK;
}

// ---- ClipByValue ----

typedef struct clip_plan {
  berth_combiner_t least, most;
  int64_t count;
  bool low_is_one, high_is_one;
} clip_plan_t;

static berth_code_t run_clip(const void *arg, void *const *args,
                             berth_call_t *call) {
  const clip_plan_t *plan = arg;
  if (args[3] != args[0]) {
    memcpy(args[3], args[0], (size_t)plan->count * plan->least.size);
  }
  bool is_done = berth_combine(&plan->least, args[3], args[2], plan->count,
                               plan->high_is_one) &&
                 berth_combine(&plan->most, args[3], args[1], plan->count,
                               plan->low_is_one);
  return is_done ? BERTH_OK : berth_error_no_memory(call->err, "a tensor");
}

static berth_code_t prepare_clip(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  BERTH_TRY(berth_op_clip(&prepare->op, err));
  clip_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan =
      (clip_plan_t){.least = berth_combiner_of(BERTH_COMBINE_MIN, in[0].dtype),
                    .most = berth_combiner_of(BERTH_COMBINE_MAX, in[0].dtype),
                    .count = in[0].count,
                    .low_is_one = in[1].count == 1,
                    .high_is_one = in[2].count == 1};
  prepare->run = in[0].count > 0 ? run_clip : berth_run_nothing;
  prepare->work = in[0].count;
  return BERTH_OK;
}

// ---- Cross ----

typedef struct cross_plan {
  berth_combiner_t product, difference;
  int64_t rows;
} cross_plan_t;

static berth_code_t run_cross(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const cross_plan_t *plan = arg;
  size_t size = plan->product.size;
  for (int64_t i = 0; i < 3 * plan->rows; ++i) {
    int64_t row = i / 3 * 3, next = row + (i + 1) % 3, last = row + (i + 2) % 3;
    const char *a = args[0], *b = args[1];
    char left[8], right[8];
    memcpy(left, a + (size_t)next * size, size);
    memcpy(right, a + (size_t)last * size, size);
    (void)berth_combine(&plan->product, left, b + (size_t)last * size, 1,
                        false);
    (void)berth_combine(&plan->product, right, b + (size_t)next * size, 1,
                        false);
    (void)berth_combine(&plan->difference, left, right, 1, false);
    memcpy((char *)args[2] + (size_t)i * size, left, size);
  }
  return BERTH_OK;
}

static berth_code_t prepare_cross(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  BERTH_TRY(berth_op_cross(&prepare->op, err));
  cross_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->product = berth_combiner_of(BERTH_COMBINE_MUL, in[0].dtype);
  plan->difference = berth_combiner_of(BERTH_COMBINE_SUB, in[0].dtype);
  plan->rows = in[0].count / 3;
  prepare->run = plan->rows > 0 ? run_cross : berth_run_nothing;
  prepare->work = in[0].count * 20;
  return BERTH_OK;
}

// ---- Betainc ----

typedef struct beta_plan {
  berth_dtype_t dtype;
  int64_t count;
  int64_t steps[3];
} beta_plan_t;

typedef struct beta_run {
  const beta_plan_t *plan;
  void *const *args;
} beta_run_t;

static void find_beta(void *arg, int64_t begin, int64_t end) {
  const beta_run_t *run = arg;
  const beta_plan_t *plan = run->plan;
  berth_special_block_t block;
  for (int64_t i = begin; i < end; i += block.count) {
    block.count = berth_special_count(end - i);
    for (int k = 0; k < 3; ++k) {
      berth_special_read(&block, k, plan->dtype, run->args[k],
                         i * plan->steps[k], plan->steps[k]);
    }
    berth_special_betainc(&block);
    berth_special_write(&block, plan->dtype, run->args[3], i);
  }
}

static berth_code_t run_beta(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const beta_plan_t *plan = arg;
  beta_run_t run = {plan, args};
  berth_parallel_for(plan->count, BETA_GRAIN, find_beta, &run);
  return BERTH_OK;
}

static berth_code_t prepare_beta(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_op_betainc(&prepare->op, err));
  beta_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->dtype = prepare->op.inputs[0].dtype;
  plan->count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  for (int k = 0; k < 3; ++k) {
    plan->steps[k] = prepare->op.inputs[k].rank == 0 ? 0 : 1;
  }
  prepare->run = plan->count > 0 ? run_beta : berth_run_nothing;
  prepare->work = plan->count * 60;
  return BERTH_OK;
}

// ---- PopulationCount, ApproximateEqual ----

typedef struct count_plan {
  size_t size;
  int64_t count;
  float tolerance;
} count_plan_t;

// Bits are added up in pairs, in fours and in bytes, and these by a product: no
// table and no instruction of its own, so that there are vectors for it.
#define COUNT_BITS(size, type, ones)                                       \
  static void count_##size(const type *from, uint8_t *to, int64_t count) { \
    const type all = (type) ~(type)0, one = (type)(all / 255);             \
    for (int64_t i = 0; i < count; ++i) {                                  \
      type x = from[i];                                                    \
      x = (type)(x - ((x >> 1) & (all / 3)));                              \
      x = (type)((x & (all / 5)) + ((x >> 2) & (all / 5)));                \
      x = (type)((x + (x >> 4)) & (all / 17));                             \
      to[i] = (uint8_t)((type)(x * (ones)one) >> (8 * sizeof(type) - 8));  \
    }                                                                      \
  }
COUNT_BITS(1, uint8_t, uint32_t)
COUNT_BITS(2, uint16_t, uint32_t)
COUNT_BITS(4, uint32_t, uint32_t)
COUNT_BITS(8, uint64_t, uint64_t)

static berth_code_t run_count(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const count_plan_t *plan = arg;
  switch (plan->size) {
    case 1:
      count_1(args[0], args[1], plan->count);
      break;
    case 2:
      count_2(args[0], args[1], plan->count);
      break;
    case 4:
      count_4(args[0], args[1], plan->count);
      break;
    default:
      count_8(args[0], args[1], plan->count);
  }
  return BERTH_OK;
}

static berth_code_t run_approximate(const void *arg, void *const *args,
                                    berth_call_t *call) {
  (void)call;
  const count_plan_t *plan = arg;
  for (int64_t i = 0; i < plan->count; ++i) {
    bool *out = args[2];
    if (plan->size == sizeof(float)) {
      out[i] = fabsf(((const float *)args[0])[i] -
                     ((const float *)args[1])[i]) < plan->tolerance;
    } else {
      out[i] = fabs(((const double *)args[0])[i] -
                    ((const double *)args[1])[i]) < (double)plan->tolerance;
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_simple(berth_prepare_t *prepare, berth_run_fn run,
                                   berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  count_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (count_plan_t){
      berth_dtype_size(input->dtype), input->count,
      (float)berth_node_attr_float(prepare->op.node, "tolerance", 1e-5F)};
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->run = input->count > 0 ? run : berth_run_nothing;
  prepare->work = input->count;
  return BERTH_OK;
}

static berth_code_t prepare_count(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  return prepare_simple(prepare, run_count, err);
}

static berth_code_t prepare_approximate(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  BERTH_TRY(berth_op_approximate_equal(&prepare->op, err));
  return prepare_simple(prepare, run_approximate, err);
}

#define COMMON (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define CLIP                                                       \
  (BERTH_TYPES_FLOATING | BERTH_TYPES_SIGNED | BERTH_TYPE(UINT8) | \
   BERTH_TYPE(UINT16))
#define KERNEL(name, t, id) \
  { .op = name, .types = {{"T", t}}, .prepare = prepare_##id }

const berth_kernel_t berth_cpu_parts_kernels[] = {
    KERNEL("Real", BERTH_TYPES_COMPLEX, real),
    KERNEL("Imag", BERTH_TYPES_COMPLEX, imag),
    KERNEL("Angle", BERTH_TYPES_COMPLEX, angle),
    KERNEL("ComplexAbs", BERTH_TYPES_COMPLEX, abs),
    KERNEL("Conj", BERTH_TYPES_COMPLEX, conj),
    KERNEL("Complex", COMMON, complex),
    KERNEL("ClipByValue", CLIP, clip),
    KERNEL("Cross", BERTH_TYPES_REAL, cross),
    KERNEL("Betainc", COMMON, beta),
    KERNEL("PopulationCount", BERTH_TYPES_SIGNED | BERTH_TYPES_UNSIGNED, count),
    KERNEL("ApproximateEqual", COMMON, approximate),
    {.op = NULL},
};
