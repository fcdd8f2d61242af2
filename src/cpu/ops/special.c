// special.c - Kernels of functions that are not hot: each element by a call.
//
// Real ones are computed in double and rounded once; complex ones in their own
// precision.
#include "cpu/loops/special.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/complex_vector.h"
#include "cpu/loops/number.h"
#include "cpu/loops/special_vector.h"
#include "op/elementwise.h"
#include "op/types.h"
#include "tensor/complex.h"

enum { GRAIN = 1024 };  // Elements that are worth a thread.

// One function. Missing ones are NULL.
typedef struct function {
  const char *op;
  berth_special_t vector;        // Of real numbers; then no others are needed.
  berth_special_fn real;         // Of one or two real numbers.
  float (*single)(float);        // Of float, where its rounding shows.
  berth_special_pair_t vectors;  // Of two real numbers; as |vector|.
  berth_complex64_t (*complex64)(berth_complex64_t);
  berth_complex128_t (*complex128)(berth_complex128_t);
} function_t;

static const function_t functions[] = {
    {.op = "Asin",
     .vector = BERTH_SPECIAL_asin,
     .complex64 = casinf,
     .complex128 = casin},
    {.op = "Acos",
     .vector = BERTH_SPECIAL_acos,
     .complex64 = cacosf,
     .complex128 = cacos},
    {.op = "Atan",
     .vector = BERTH_SPECIAL_atan,
     .complex64 = catanf,
     .complex128 = catan},
    {.op = "Asinh",
     .vector = BERTH_SPECIAL_asinh,
     .complex64 = casinhf,
     .complex128 = casinh},
    {.op = "Acosh",
     .vector = BERTH_SPECIAL_acosh,
     .complex64 = cacoshf,
     .complex128 = cacosh},
    {.op = "Atanh",
     .vector = BERTH_SPECIAL_atanh,
     .complex64 = catanhf,
     .complex128 = catanh},
    {.op = "Erfinv", .vector = BERTH_SPECIAL_erfinv},
    {.op = "Ndtri", .vector = BERTH_SPECIAL_ndtri},
    {.op = "Lgamma", .real = berth_special_lgammas},
    {.op = "Digamma",
     .real = berth_special_digamma,
     .single = berth_special_digamma_float},
    {.op = "BesselI0", .vector = BERTH_SPECIAL_bessel_i0},
    {.op = "BesselI1", .vector = BERTH_SPECIAL_bessel_i1},
    {.op = "BesselI0e", .vector = BERTH_SPECIAL_bessel_i0e},
    {.op = "BesselI1e", .vector = BERTH_SPECIAL_bessel_i1e},
    {.op = "BesselK0", .vector = BERTH_SPECIAL_bessel_k0},
    {.op = "BesselK1", .vector = BERTH_SPECIAL_bessel_k1},
    {.op = "BesselK0e", .vector = BERTH_SPECIAL_bessel_k0e},
    {.op = "BesselK1e", .vector = BERTH_SPECIAL_bessel_k1e},
    {.op = "BesselJ0", .vector = BERTH_SPECIAL_bessel_j0},
    {.op = "BesselJ1", .vector = BERTH_SPECIAL_bessel_j1},
    {.op = "BesselY0", .vector = BERTH_SPECIAL_bessel_y0},
    {.op = "BesselY1", .vector = BERTH_SPECIAL_bessel_y1},
    {.op = "Dawsn", .vector = BERTH_SPECIAL_dawsn},
    {.op = "Expint", .real = berth_special_expint},
    {.op = "FresnelCos", .vector = BERTH_SPECIAL_fresnel_cos},
    {.op = "FresnelSin", .vector = BERTH_SPECIAL_fresnel_sin},
    {.op = "Spence", .real = berth_special_spence},
    {.op = "IgammaGradA", .real = berth_special_igamma_grad_a},
    {.op = "RandomGammaGrad", .real = berth_special_gamma_grad},
    {.op = "Igamma", .real = berth_special_igamma},
    {.op = "Igammac", .real = berth_special_igammac},
    {.op = "Zeta", .real = berth_special_zeta},
    {.op = "Polygamma", .real = berth_special_polygamma},
    {.op = "Xlog1py", .vectors = BERTH_PAIR_xlog1py},
    {.op = "NextAfter", .vectors = BERTH_PAIR_next_after},
};

static const function_t *function_of(const char *op) {
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
    if (strcmp(functions[i].op, op) == 0) return &functions[i];
  }
  return NULL;
}

// ---- Running ----

typedef struct plan {
  const function_t *function;
  berth_dtype_t dtype;
  int inputs;
  int64_t count;
  berth_broadcast_t broadcast;  // Of two inputs.
} plan_t;

typedef struct map_run {
  const plan_t *plan;
  const void *in[2];
  void *out;
} map_run_t;

static void map_complex(const map_run_t *run, int64_t begin, int64_t end) {
  const function_t *function = run->plan->function;
  for (int64_t i = begin; i < end; ++i) {
    if (run->plan->dtype == BERTH_COMPLEX64) {
      ((berth_complex64_t *)run->out)[i] =
          function->complex64(((const berth_complex64_t *)run->in[0])[i]);
    } else {
      ((berth_complex128_t *)run->out)[i] =
          function->complex128(((const berth_complex128_t *)run->in[0])[i]);
    }
  }
}

static void map_single(const map_run_t *run, int64_t begin, int64_t end) {
  const float *from = run->in[0];
  float *to = run->out;
  for (int64_t i = begin; i < end; ++i) {
    to[i] = run->plan->function->single(from[i]);
  }
}

// Finds where the inputs are for element |i| of the output.
static void find_places(const berth_broadcast_t *broadcast, int64_t i,
                        int64_t places[2]) {
  places[0] = places[1] = 0;
  for (int32_t level = 0; level < broadcast->level_count; ++level) {
    const berth_level_t *at = &broadcast->levels[level];
    places[0] += i % at->count * at->steps[0];
    places[1] += i % at->count * at->steps[1];
    i /= at->count;
  }
}

// Brings elements from |first| on of both inputs into a block.
static void read_block(const map_run_t *run, int64_t first,
                       berth_special_block_t *block) {
  const plan_t *plan = run->plan;
  const bool is_flat = plan->inputs == 1 || plan->broadcast.level_count <= 1;
  for (int k = 0; k < plan->inputs; ++k) {
    int64_t step = plan->inputs == 1 ? 1 : 0;
    if (plan->inputs == 2 && plan->broadcast.level_count == 1) {
      step = plan->broadcast.levels[0].steps[k];
    }
    berth_special_read(block, k, plan->dtype, run->in[k],
                       is_flat ? first * step : 0, step);
  }
  for (int i = 0; i < block->count && !is_flat; ++i) {
    int64_t at[2];
    find_places(&plan->broadcast, first + i, at);
    for (int k = 0; k < 2; ++k) {
      block->in[k][i] = berth_number_at(plan->dtype, run->in[k], at[k]);
    }
  }
}

static void map_blocks(const map_run_t *run, int64_t begin, int64_t end) {
  const plan_t *plan = run->plan;
  berth_special_block_t block;
  for (int64_t i = begin; i < end; i += block.count) {
    block.count = berth_special_count(end - i);
    read_block(run, i, &block);
    plan->function->real(&block);
    berth_special_write(&block, plan->dtype, run->out, i);
  }
}

static void map(void *arg, int64_t begin, int64_t end) {
  const map_run_t *run = arg;
  const plan_t *plan = run->plan;
  if (berth_type_in(plan->dtype, BERTH_TYPES_COMPLEX)) {
    map_complex(run, begin, end);
  } else if (plan->dtype == BERTH_FLOAT && plan->function->single != NULL) {
    map_single(run, begin, end);
  } else {
    map_blocks(run, begin, end);
  }
}

static berth_code_t run_one(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)call;
  map_run_t run = {plan, {args[0], NULL}, args[1]};
  berth_parallel_for(run.plan->count, GRAIN, map, &run);
  return BERTH_OK;
}

static berth_code_t run_two(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)call;
  map_run_t run = {plan, {args[0], args[1]}, args[2]};
  berth_parallel_for(run.plan->count, GRAIN, map, &run);
  return BERTH_OK;
}

// ---- Preparing ----

enum { VECTOR_COST = 2000 };  // Picoseconds an element.

static berth_code_t prepare_vector(berth_prepare_t *prepare,
                                   berth_special_t function,
                                   berth_error_t *err) {
  const berth_special_hot_t *hot = BERTH_ISA_PICK(berth_cpu_special_hot);
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  berth_sweep_t sweep = {
      .loops = {.both = dtype == BERTH_DOUBLE ? hot->f64[function]
                                              : hot->f32[function]},
      .input = dtype,
      .output = dtype,
      .cost = VECTOR_COST,
      .parameter = (double)function};
  return berth_sweep_unary(prepare, &sweep, err);
}

static berth_code_t prepare_one(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  const function_t *function = function_of(prepare->op.node->op->name);
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->op.may_overwrite = 1;
  if (function->vector != BERTH_SPECIAL_none &&
      !berth_type_in(input->dtype, BERTH_TYPES_COMPLEX)) {
    return prepare_vector(prepare, function->vector, err);
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->function = function;
  plan->dtype = input->dtype;
  plan->inputs = 1;
  plan->count = input->count;
  prepare->run = input->count > 0 ? run_one : berth_run_nothing;
  prepare->work = input->count * 10;
  return BERTH_OK;
}

static berth_code_t prepare_vectors(berth_prepare_t *prepare,
                                    berth_special_pair_t function,
                                    const berth_binary_t *binary,
                                    berth_error_t *err) {
  const berth_special_hot_t *hot = BERTH_ISA_PICK(berth_cpu_special_hot);
  const berth_complex_hot_t *numbers = BERTH_ISA_PICK(berth_cpu_complex_hot);
  berth_dtype_t dtype = binary->input;
  berth_sweep_t sweep = {
      .loops = dtype == BERTH_COMPLEX64    ? numbers->c64.xlog1py
               : dtype == BERTH_COMPLEX128 ? numbers->c128.xlog1py
               : dtype == BERTH_DOUBLE     ? hot->pair_f64[function]
                                           : hot->pair_f32[function],
      .input = binary->input,
      .output = binary->input,
      .cost = VECTOR_COST,
      .broadcast = &binary->broadcast};
  return berth_sweep_binary(prepare, &sweep, err);
}

static berth_code_t prepare_two(berth_prepare_t *prepare, berth_error_t *err) {
  berth_binary_t binary = {.function = BERTH_BINARY_ADD};
  BERTH_TRY(berth_op_binary(&prepare->op, &binary, err));
  const function_t *function = function_of(prepare->op.node->op->name);
  if (function->vectors != BERTH_PAIR_none) {
    return prepare_vectors(prepare, function->vectors, &binary, err);
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){.function = function,
                   .dtype = binary.input,
                   .inputs = 2,
                   .count = binary.count,
                   .broadcast = binary.broadcast};
  prepare->op.may_overwrite = 0;
  prepare->run = binary.count > 0 ? run_two : berth_run_nothing;
  prepare->work = binary.count * 40;
  return BERTH_OK;
}

#define COMMON (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define NOT_BFLOAT16 (COMMON | BERTH_TYPE(HALF))
#define ONE(name, t) \
  { .op = name, .types = {{"T", t}}, .prepare = prepare_one }
#define TWO(name, t) \
  { .op = name, .types = {{"T", t}}, .prepare = prepare_two }

const berth_kernel_t berth_cpu_special_kernels[] = {
    ONE("Asin", BERTH_TYPES_INEXACT),
    ONE("Acos", BERTH_TYPES_INEXACT),
    ONE("Atan", BERTH_TYPES_INEXACT),
    ONE("Asinh", BERTH_TYPES_INEXACT),
    ONE("Acosh", BERTH_TYPES_INEXACT),
    ONE("Atanh", BERTH_TYPES_INEXACT),
    ONE("Erfinv", COMMON),
    ONE("Ndtri", COMMON),
    ONE("Lgamma", NOT_BFLOAT16),
    ONE("Digamma", NOT_BFLOAT16),
    ONE("BesselI0", NOT_BFLOAT16),
    ONE("BesselI1", NOT_BFLOAT16),
    ONE("BesselI0e", NOT_BFLOAT16),
    ONE("BesselI1e", NOT_BFLOAT16),
    ONE("BesselK0", NOT_BFLOAT16),
    ONE("BesselK1", NOT_BFLOAT16),
    ONE("BesselK0e", NOT_BFLOAT16),
    ONE("BesselK1e", NOT_BFLOAT16),
    ONE("BesselJ0", NOT_BFLOAT16),
    ONE("BesselJ1", NOT_BFLOAT16),
    ONE("BesselY0", NOT_BFLOAT16),
    ONE("BesselY1", NOT_BFLOAT16),
    ONE("Dawsn", COMMON),
    ONE("Expint", COMMON),
    ONE("FresnelCos", COMMON),
    ONE("FresnelSin", COMMON),
    ONE("Spence", COMMON),
    TWO("IgammaGradA", COMMON),
    TWO("RandomGammaGrad", COMMON),
    TWO("Igamma", COMMON),
    TWO("Igammac", COMMON),
    TWO("Zeta", COMMON),
    TWO("Polygamma", COMMON),
    TWO("Xlog1py", BERTH_TYPES_INEXACT),
    TWO("NextAfter", COMMON),
    {.op = NULL},
};
