// elementwise.c - Preparing and launching kernels that compute element by
// element.
#include "cuda/ops/elementwise.h"

#include <stdio.h>

#include "cuda/code/launch.h"
#include "op/types.h"

enum { MAX_GRANULE = 16 };  // Of bytes, 16 bytes.

// ---- Kernels ----

// Types whose kernels are compiled together: a card compiles all of a module
// when it needs one of it, so that modules are small.
static const char *group_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return "f32";
    case BERTH_DOUBLE:
      return "f64";
    case BERTH_HALF:
      return "f16";
    case BERTH_BFLOAT16:
      return "bf16";
    case BERTH_COMPLEX64:
    case BERTH_COMPLEX128:
      return "complex";
    case BERTH_INT64:
    case BERTH_UINT64:
      return "int64";
    case BERTH_INT32:
    case BERTH_UINT32:
      return "int32";
    case BERTH_INT16:
    case BERTH_UINT16:
      return "int16";
    default:
      return "int8";
  }
}

static bool is_real(berth_dtype_t dtype) {
  return berth_type_in(dtype, BERTH_TYPES_FLOATING);
}

int berth_unary_kernel(berth_unary_op_t op, berth_dtype_t dtype) {
  enum { BRIEF, QUESTION, CURVE, ERROR, ANGLE, LONG };
  enum {
#define UNARY(NAME, name, ...) at_##name = BERTH_UNARY_##NAME,
#include "op/unary_list.inc"
  };
  static const char *const names[BERTH_UNARY_COUNT] = {
#define UNARY(NAME, name, ...) [at_##name] = "berth_unary_" #name,
#include "op/unary_list.inc"
  };
  // Of real numbers.
  static const bool is_curve[BERTH_UNARY_COUNT] = {
#define UNARY_REAL(where, kind, name, expr) [at_##name] = kind >= CURVE,
#include "op/unary_list.inc"
  };
  char module[32];
  snprintf(module, sizeof(module), "unary%s_%s",
           is_curve[op] && is_real(dtype) ? "_curve" : "",
           berth_type_in(dtype, BERTH_TYPES_INEXACT) ? group_of(dtype) : "int");
  return berth_cuda_kernel_for(module, names[op], dtype);
}

int berth_binary_kernel(berth_binary_op_t op, berth_dtype_t dtype) {
  enum { COMMON, COMPARE, BRIEF, CURVE, SLOPE, LONG };
  enum {
#define BINARY(NAME, name, ...) at_##name = BERTH_BINARY_##NAME,
#include "op/binary_list.inc"
  };
  static const char *const names[BERTH_BINARY_COUNT] = {
#define BINARY(NAME, name, ...) [at_##name] = "berth_binary_" #name,
#include "op/binary_list.inc"
  };
  // Of real numbers.
  static const bool is_rest[BERTH_BINARY_COUNT] = {
#define BINARY_REAL(where, kind, order, name, expr) [at_##name] = kind > COMMON,
#include "op/binary_list.inc"
  };
  char module[32];
  snprintf(module, sizeof(module), "binary%s_%s",
           is_rest[op] && is_real(dtype) ? "_rest" : "", group_of(dtype));
  return berth_cuda_kernel_for(module, names[op], dtype);
}

static berth_code_t check_kernel(const berth_prepare_t *prepare, int kernel,
                                 berth_error_t *err) {
  if (kernel >= 0) return BERTH_OK;
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "no room for the kernel of %s",
                         prepare->op.node->op->name);
}

// ---- Granules ----

// The largest power of two that divides |n|, at most MAX_GRANULE.
static uint32_t power_in(uint64_t n) {
  uint64_t power = n & (0 - n);
  return power == 0 || power > MAX_GRANULE ? MAX_GRANULE : (uint32_t)power;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Elements up to this many have a thread each: packs, and then what is left
// over, would take the time of two.
enum { FEW = BERTH_CUDA_BLOCK };

uint32_t berth_granule_at(uint32_t granule, const void *address, size_t size) {
  return smaller(granule, power_in((uintptr_t)address / size));
}

// About how many threads are of use for |count| elements of |size| bytes.
static uint64_t threads_of(uint64_t count, uint32_t granule, size_t size) {
  uint64_t pack = smaller(granule, (uint32_t)(size < 16 ? 16 / size : 1));
  return (count + pack - 1) / pack;
}

// ---- One input ----

typedef struct unary_plan {
  int kernel;
  size_t in_size, out_size;
  uint64_t count;
  double parameter;
} unary_plan_t;

static berth_code_t run_unary(const void *arg, void *const *args,
                              berth_call_t *call) {
  const unary_plan_t *plan = arg;
  uint32_t granule = plan->count <= FEW ? 1 : MAX_GRANULE;
  granule = berth_granule_at(granule, args[0], plan->in_size);
  granule = berth_granule_at(granule, args[1], plan->out_size);
  berth_unary_params_t params = {args[1], args[0], plan->count, granule,
                                 plan->parameter};
  size_t size = plan->in_size > plan->out_size ? plan->in_size : plan->out_size;
  return berth_cuda_launch(call, plan->kernel,
                           threads_of(plan->count, granule, size), &params,
                           sizeof(params));
}

berth_code_t berth_unary_prepare(berth_prepare_t *prepare, int kernel,
                                 const berth_unary_t *unary,
                                 berth_error_t *err) {
  BERTH_TRY(check_kernel(prepare, kernel, err));
  unary_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = kernel;
  plan->in_size = berth_dtype_size(unary->input);
  plan->out_size = berth_dtype_size(unary->output);
  plan->count = (uint64_t)unary->count;
  plan->parameter = unary->parameter;
  prepare->run = plan->count == 0 ? berth_run_nothing : run_unary;
  return BERTH_OK;
}

// ---- Walks ----

// Takes over the levels of |broadcast|; false when there are too many.
static bool walk_fill(berth_walk_t *walk, const berth_broadcast_t *broadcast,
                      int count, bool swap) {
  if (broadcast->level_count > BERTH_WALK_LEVELS) return false;
  walk->level_count = (uint32_t)broadcast->level_count;
  walk->count = 1;
  for (uint32_t l = 0; l < walk->level_count; ++l) {
    const berth_level_t *from = &broadcast->levels[l];
    walk->levels[l].count = (uint64_t)from->count;
    walk->count *= walk->levels[l].count;
    for (int i = 0; i < count; ++i) {
      walk->levels[l].steps[i] = from->steps[swap ? 1 - i : i];
    }
  }
  return true;
}

// Prepares divisions, and finds what can be taken as a whole.
static void walk_finish(berth_walk_t *walk, int count) {
  walk->granule = MAX_GRANULE;
  // Of one level any rest is done one by one; of several each has to fit.
  if (walk->level_count > 1) walk->granule = power_in(walk->levels[0].count);
  for (uint32_t l = 0; l < walk->level_count; ++l) {
    berth_walk_level_t *level = &walk->levels[l];
    if (level->count < BERTH_DIVIDE_LIMIT) {
      level->by = berth_divider(level->count);
    }
    for (int i = 0; l > 0 && i < count; ++i) {
      if (walk->levels[0].steps[i] == 0) continue;
      walk->granule =
          smaller(walk->granule, power_in((uint64_t)level->steps[i]));
    }
  }
}

// Returns the level that |walk| is cut along: the first whose elements are
// |limit| or more. Stores how many elements an index of it has.
static uint32_t level_to_cut(const berth_walk_t *walk, uint64_t limit,
                             uint64_t *out_inner) {
  uint64_t inner = 1;
  uint32_t level = 0;
  while (level + 1 < walk->level_count &&
         inner * walk->levels[level].count < limit) {
    inner *= walk->levels[level++].count;
  }
  *out_inner = inner;
  return level;
}

bool berth_walk_part(const berth_walk_t *walk, int count, uint64_t limit,
                     uint64_t index, berth_walk_t *part, uint64_t *out_at,
                     int64_t *at) {
  uint64_t inner = 1;
  uint32_t cut = level_to_cut(walk, limit, &inner);
  const berth_walk_level_t *level = &walk->levels[cut];
  // So many indices of the level at a time, the last time fewer; then the same
  // for every index of the levels above it.
  uint64_t most = cut == 0 ? level->count : (limit - 1) / inner;
  uint64_t turns = (level->count + most - 1) / most;
  uint64_t start = index % turns * most, outer = index / turns;
  if (outer * level->count * inner >= walk->count) return false;
  uint64_t left = level->count - start;
  *part = *walk;
  part->level_count = cut + 1;
  part->levels[cut].count = left < most ? left : most;
  part->count = part->levels[cut].count * inner;
  if (cut > 0) part->levels[cut].by = berth_divider(part->levels[cut].count);
  *out_at = (outer * level->count + start) * inner;
  for (int i = 0; i < count; ++i) at[i] = (int64_t)start * level->steps[i];
  for (uint32_t l = cut + 1; l < walk->level_count; ++l) {
    const berth_walk_level_t *above = &walk->levels[l];
    for (int i = 0; i < count; ++i) {
      at[i] += (int64_t)(outer % above->count) * above->steps[i];
    }
    outer /= above->count;
  }
  return true;
}

typedef struct walk_plan {
  int kernel;
  int count;
  double parameter;
  bool swap;
  size_t sizes[BERTH_WALK_INPUTS];  // Of elements, by input.
  size_t out_size;
  berth_walk_t walk;
} walk_plan_t;

// Lowers the granule to what the addresses allow, and launches.
static berth_code_t launch_walk(const walk_plan_t *plan,
                                berth_walk_params_t *params,
                                berth_call_t *call) {
  berth_walk_t *walk = &params->walk;
  uint32_t granule = walk->count <= FEW ? 1 : walk->granule;
  granule = berth_granule_at(granule, params->out, plan->out_size);
  size_t largest = plan->out_size;
  for (int i = 0; i < plan->count; ++i) {
    if (plan->sizes[i] > largest) largest = plan->sizes[i];
    if (walk->levels[0].steps[i] == 0) continue;
    granule = berth_granule_at(granule, params->in[i], plan->sizes[i]);
  }
  walk->granule = granule;
  return berth_cuda_launch(call, plan->kernel,
                           threads_of(walk->count, granule, largest), params,
                           sizeof(*params));
}

static berth_code_t run_walk(const void *arg, void *const *args,
                             berth_call_t *call) {
  const walk_plan_t *plan = arg;
  berth_walk_params_t params = {.out = args[plan->count],
                                .walk = plan->walk,
                                .parameter = plan->parameter};
  for (int i = 0; i < plan->count; ++i) {
    params.in[i] = args[plan->swap ? 1 - i : i];
  }
  return launch_walk(plan, &params, call);
}

// The same for more elements than a kernel can count in several levels.
static berth_code_t run_parts(const void *arg, void *const *args,
                              berth_call_t *call) {
  const walk_plan_t *plan = arg;
  berth_walk_params_t params = {.out = NULL, .parameter = plan->parameter};
  uint64_t out_at = 0;
  int64_t at[BERTH_WALK_INPUTS];
  for (uint64_t index = 0;
       berth_walk_part(&plan->walk, plan->count, BERTH_DIVIDE_LIMIT, index,
                       &params.walk, &out_at, at);
       ++index) {
    params.out = (char *)args[plan->count] + out_at * plan->out_size;
    for (int i = 0; i < plan->count; ++i) {
      params.in[i] = (const char *)args[plan->swap ? 1 - i : i] +
                     at[i] * (int64_t)plan->sizes[i];
    }
    BERTH_TRY(launch_walk(plan, &params, call));
  }
  return BERTH_OK;
}

static berth_code_t fail_levels(const berth_prepare_t *prepare,
                                berth_error_t *err) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_UNIMPLEMENTED,
      "Broadcast between %s and %s is not supported yet.",
      berth_dims_text(berth_case_input_dims(&prepare->op, 0), a),
      berth_dims_text(berth_case_input_dims(&prepare->op, 1), b));
}

berth_code_t berth_walk_prepare_broadcast(berth_prepare_t *prepare, int kernel,
                                          const berth_broadcast_t *broadcast,
                                          int count, bool swap,
                                          double parameter,
                                          berth_error_t *err) {
  BERTH_TRY(check_kernel(prepare, kernel, err));
  if (broadcast == NULL) {
    prepare->run = berth_run_nothing;
    return BERTH_OK;
  }
  walk_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  if (!walk_fill(&plan->walk, broadcast, count, swap)) {
    return fail_levels(prepare, err);
  }
  plan->kernel = kernel;
  plan->count = count;
  plan->parameter = parameter;
  plan->swap = swap;
  for (int i = 0; i < count; ++i) {
    plan->sizes[i] =
        berth_dtype_size(prepare->op.inputs[swap ? 1 - i : i].dtype);
  }
  plan->out_size =
      berth_dtype_size(berth_dtype_base(prepare->op.node->output_types[0]));
  walk_finish(&plan->walk, count);
  bool is_large =
      plan->walk.level_count > 1 && plan->walk.count >= BERTH_DIVIDE_LIMIT;
  prepare->run = is_large ? run_parts : run_walk;
  return BERTH_OK;
}

// Inputs as large as the output, of elements as large, may be overwritten.
static uint32_t overwritable(const berth_prepare_t *prepare, int count,
                             int64_t out_count) {
  size_t out_size =
      berth_dtype_size(berth_dtype_base(prepare->op.node->output_types[0]));
  uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    const berth_case_input_t *input = &prepare->op.inputs[i];
    bool fits =
        input->count == out_count && berth_dtype_size(input->dtype) == out_size;
    if (fits) mask |= UINT32_C(1) << i;
  }
  return mask;
}

berth_code_t berth_walk_prepare(berth_prepare_t *prepare, int kernel,
                                const berth_dims_t *inputs, int count,
                                bool swap, berth_error_t *err) {
  berth_dims_t shape = berth_case_output_dims(&prepare->op, 0);
  int64_t out_count = berth_dims_count(shape);
  berth_broadcast_t broadcast;
  if (out_count == 0) {
    return berth_walk_prepare_broadcast(prepare, kernel, NULL, count, swap, 0,
                                        err);
  }
  BERTH_TRY(berth_broadcast_make(inputs, count, shape, prepare->op.arena,
                                 &broadcast, err));
  BERTH_TRY(berth_walk_prepare_broadcast(prepare, kernel, &broadcast, count,
                                         swap, 0, err));
  prepare->op.may_overwrite = overwritable(prepare, count, out_count);
  return BERTH_OK;
}
