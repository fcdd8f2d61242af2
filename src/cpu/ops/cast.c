// cast.c - The Cast kernel.
#include "cpu/loops/cast.h"

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/stream.h"
#include "cpu/ops/move.h"
#include "cpu/ops/sweep.h"
#include "op/elementwise.h"

enum { BLOCK = 256 };  // Elements that are wide at a time.

typedef struct cast_plan {
  int64_t count;
  int64_t grain;
  int64_t from_size, to_size;
  berth_convert_fn direct;  // NULL: load, drop bits, store.
  berth_convert_fn load, store;
  uint64_t keep;  // Bits of a wide double that stay; 0: all.
  int64_t parts;  // Doubles of a wide element: 2 when it is complex.
  bool is_quick;  // The loops are those of convert.h.
  bool streams;
} cast_plan_t;

typedef struct cast_job {
  const cast_plan_t *plan;
  const char *from;
  char *to;
} cast_job_t;

// Takes the bits away that the result has no room for, so that it is rounded
// towards zero.
static void drop_bits(double *values, int64_t count, uint64_t keep) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof(bits));
    // A NaN must not become infinite.
    if (values[i] == values[i]) bits &= keep;
    memcpy(&values[i], &bits, sizeof(bits));
  }
}

static void cast_blocks(const cast_plan_t *plan, const char *from, char *to,
                        int64_t count) {
  _Alignas(64) union {
    int64_t whole[BLOCK];
    double real[2 * BLOCK];  // Of complex numbers, two each.
    float narrow[BLOCK];
  } wide;
  for (int64_t i = 0; i < count; i += BLOCK) {
    int64_t n = count - i < BLOCK ? count - i : BLOCK;
    plan->load(from + i * plan->from_size, &wide, n);
    if (plan->keep != 0) drop_bits(wide.real, n * plan->parts, plan->keep);
    plan->store(&wide, to + i * plan->to_size, n);
  }
}

static void cast_stream(const cast_plan_t *plan, const char *from, char *to,
                        int64_t count) {
  _Alignas(64) char piece[BERTH_STREAM_PIECE];
  const int64_t most = BERTH_STREAM_PIECE / plan->to_size;
  const berth_stream_fn stream = berth_cpu_stream();
  for (int64_t i = 0; i < count; i += most) {
    int64_t n = count - i < most ? count - i : most;
    const char *some = from + i * plan->from_size;
    berth_cpu_stream_ask(some, (size_t)(n * plan->from_size));
    plan->direct(some, piece, n);
    stream(to + i * plan->to_size, piece, (size_t)(n * plan->to_size));
  }
  berth_cpu_stream_end();
}

static void do_cast(void *arg, int64_t begin, int64_t end) {
  const cast_job_t *job = arg;
  const cast_plan_t *plan = job->plan;
  const char *from = job->from + begin * plan->from_size;
  char *to = job->to + begin * plan->to_size;
  if (plan->direct == NULL) {
    cast_blocks(plan, from, to, end - begin);
  } else if (plan->streams && job->from != job->to) {
    cast_stream(plan, from, to, end - begin);
  } else {
    plan->direct(from, to, end - begin);
  }
}

static berth_code_t run_cast(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const cast_plan_t *plan = arg;
  cast_job_t job = {plan, args[0], args[1]};
  berth_parallel_for(plan->count, plan->grain, do_cast, &job);
  return BERTH_OK;
}

static berth_code_t run_small(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const cast_plan_t *plan = arg;
  plan->direct(args[0], args[1], plan->count);
  return BERTH_OK;
}

// Returns the type whose loop to |to| is that of |from|, too: whether a number
// without a sign is 0, and its low bits, are those of the signed one.
static berth_dtype_t like_of(berth_dtype_t from, berth_dtype_t to) {
  const berth_dtype_set_t whole = BERTH_TYPES_SIGNED | BERTH_TYPE(UINT8) |
                                  BERTH_TYPE(UINT16) | BERTH_TYPE(UINT32);
  bool is_short =
      berth_type_in(to, whole) && berth_dtype_size(to) < berth_dtype_size(from);
  if (to != BERTH_BOOL && !is_short) return from;
  switch (from) {
    case BERTH_UINT8:
      return BERTH_INT8;
    case BERTH_UINT16:
      return BERTH_INT16;
    case BERTH_UINT32:
      return BERTH_INT32;
    case BERTH_UINT64:
      return BERTH_INT64;
    default:
      return from;
  }
}

// Returns the loop that converts without a detour, or NULL.
static berth_convert_fn direct_find(berth_dtype_t from, berth_dtype_t to) {
  from = like_of(from, to);
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
#define PAIR(source, from_t, target, to_t, expr) \
  {BERTH_##source, BERTH_##target, loops->source##_to_##target},
  const struct {
    berth_dtype_t from, to;
    berth_convert_fn fn;
  } pairs[] = {{BERTH_HALF, BERTH_FLOAT, loops->half_to_float},
               {BERTH_FLOAT, BERTH_HALF, loops->float_to_half},
               BERTH_CONVERT_PAIRS(PAIR)};
#undef PAIR
  for (int i = 0; i < BERTH_COUNT_OF(pairs); ++i) {
    if (pairs[i].from == from && pairs[i].to == to) return pairs[i].fn;
  }
  return NULL;
}

// Return the loops to float, of a complex number the real part, and from there.
static berth_convert_fn to_float_find(berth_dtype_t from) {
  if (from == BERTH_UINT64) {
    return berth_cpu_cast_stores[BERTH_WIDE_U64][BERTH_FLOAT];
  }
  const berth_convert_fn narrow = berth_cpu_cast_loads[from].narrow;
  return narrow != NULL ? narrow : direct_find(from, BERTH_FLOAT);
}
static berth_convert_fn from_float_find(berth_dtype_t to) {
  if (to == BERTH_COMPLEX64) return berth_cpu_cast_f32_c64;
  if (to == BERTH_COMPLEX128) return berth_cpu_cast_f32_c128;
  return direct_find(BERTH_FLOAT, to);
}

// Sets the loops to and from float, where nothing is lost by way of it: what is
// short is exact, and what becomes short is float before.
static bool plan_set_float(cast_plan_t *plan, const berth_cast_t *cast) {
  const berth_dtype_set_t floats = BERTH_TYPE(HALF) | BERTH_TYPE(BFLOAT16);
  const berth_dtype_set_t exact = floats | BERTH_TYPE(COMPLEX64);
  const berth_dtype_set_t whole = BERTH_TYPE(INT8) | BERTH_TYPE(UINT8) |
                                  BERTH_TYPE(INT16) | BERTH_TYPE(UINT16) |
                                  BERTH_TYPE(BOOL);
  bool is_exact = berth_type_in(cast->from, exact) ||
                  berth_type_in(cast->to, floats | BERTH_TYPE(COMPLEX64)) ||
                  (berth_type_in(cast->from, whole) &&
                   berth_type_in(cast->to, BERTH_TYPES_INEXACT));
  berth_convert_fn load = to_float_find(cast->from);
  berth_convert_fn store = from_float_find(cast->to);
  // Of these the detour is the slow part.
  is_exact &= cast->from != BERTH_UINT64 || cast->to != BERTH_COMPLEX64;
  if (!is_exact || load == NULL || store == NULL) return false;
  plan->load = load;
  plan->store = store;
  return true;
}

// The same for double, which the rest of the detour may have a loop for.
static void plan_set_double(cast_plan_t *plan, const berth_cast_t *cast) {
  const bool is_real = cast->from == BERTH_COMPLEX128;
  berth_convert_fn load = direct_find(cast->from, BERTH_DOUBLE);
  berth_convert_fn store =
      direct_find(is_real ? BERTH_DOUBLE : BERTH_INT64, cast->to);
  if (cast->to == BERTH_COMPLEX128 && load != NULL) {
    plan->load = load;
    plan->store = berth_cpu_cast_stores[BERTH_WIDE_F64][BERTH_COMPLEX128];
  } else if (store != NULL && (is_real || cast->from == BERTH_UINT32)) {
    plan->store = store;
  }
}

static void plan_set_loops(cast_plan_t *plan, const berth_cast_t *cast) {
  const berth_cast_load_t *load = &berth_cpu_cast_loads[cast->from];
  bool to_complex = berth_type_in(cast->to, BERTH_TYPES_COMPLEX);
  bool takes_real = load->real != NULL && !to_complex;
  plan->load = takes_real ? load->real : load->fn;
  plan->store =
      berth_cpu_cast_stores[takes_real ? BERTH_WIDE_F64 : load->wide][cast->to];
  plan->parts = to_complex ? 2 : 1;
  plan->direct = direct_find(cast->from, cast->to);
  if (cast->digits == 0) {
    plan->is_quick = plan->direct != NULL || plan_set_float(plan, cast);
    if (!plan->is_quick) plan_set_double(plan, cast);
  } else {
    plan->keep = ~UINT64_C(0) << (52 - cast->digits);
    plan->direct = NULL;
  }
}

static berth_code_t prepare_cast(berth_prepare_t *prepare, berth_error_t *err) {
  berth_cast_t cast;
  BERTH_TRY(berth_op_cast(&prepare->op, &cast, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  cast_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  if (cast.digits == 0 && berth_type_in(cast.from, BERTH_TYPES_COMPLEX) &&
      berth_type_in(cast.to, BERTH_TYPES_COMPLEX)) {
    // The parts, as they lie.
    cast.from = cast.from == BERTH_COMPLEX64 ? BERTH_FLOAT : BERTH_DOUBLE;
    cast.to = cast.to == BERTH_COMPLEX64 ? BERTH_FLOAT : BERTH_DOUBLE;
    cast.count *= 2;
  }
  plan->count = cast.count;
  plan->from_size = (int64_t)berth_dtype_size(cast.from);
  plan->to_size = (int64_t)berth_dtype_size(cast.to);
  plan_set_loops(plan, &cast);
  int32_t cost =
      plan->is_quick ? (int32_t)(plan->from_size + plan->to_size) * 40 : 2000;
  plan->grain = berth_grain(cost);
  plan->streams = plan->count * plan->to_size > berth_cpu_cache_size() / 2;
  prepare->work = plan->count / 1000 * cost;
  bool is_small = plan->direct != NULL && plan->count <= plan->grain;
  prepare->run = plan->count == 0 ? berth_run_nothing
                 : is_small       ? run_small
                                  : run_cast;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_cast_kernels[] = {
    {.op = "Cast", .prepare = prepare_cast},
    {.op = "_HostCast", .prepare = prepare_cast},
    {.op = NULL},
};
