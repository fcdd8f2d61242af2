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

static bool is_in(const char *what, const char *const *list, int count) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(list[i], what) == 0) return true;
  }
  return false;
}

static bool is_real(berth_dtype_t dtype) {
  return berth_type_in(dtype, BERTH_TYPES_FLOATING);
}

int berth_unary_kernel(const char *what, berth_dtype_t dtype) {
  static const char *const curves[] = {
      "exp", "expm1", "log",  "log1p", "sigmoid", "tanh",     "sin",     "cos",
      "tan", "erf",   "erfc", "elu",   "selu",    "softplus", "softsign"};
  char module[32], name[64];
  const char *group = group_of(dtype);
  bool is_curve = is_real(dtype) && is_in(what, curves, BERTH_COUNT_OF(curves));
  snprintf(module, sizeof(module), "unary%s_%s", is_curve ? "_curve" : "",
           strncmp(group, "int", 3) == 0 ? "int" : group);
  snprintf(name, sizeof(name), "berth_unary_%s", what);
  return berth_cuda_kernel_for(module, name, dtype);
}

int berth_binary_kernel(const char *what, berth_dtype_t dtype) {
  static const char *const common[] = {"add", "sub", "mul",
                                       "div", "max", "min"};
  char module[32], name[64];
  const char *group = group_of(dtype);
  bool is_rest = is_real(dtype) && !is_in(what, common, BERTH_COUNT_OF(common));
  snprintf(module, sizeof(module), "binary%s_%s", is_rest ? "_rest" : "",
           group);
  snprintf(name, sizeof(name), "berth_binary_%s", what);
  return berth_cuda_kernel_for(module, name, dtype);
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
                                 berth_dtype_t output, double parameter,
                                 berth_error_t *err) {
  BERTH_TRY(check_kernel(prepare, kernel, err));
  unary_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = kernel;
  plan->in_size = berth_dtype_size(prepare->op.inputs[0].dtype);
  plan->out_size = berth_dtype_size(output);
  plan->count = (uint64_t)prepare->op.inputs[0].count;
  plan->parameter = parameter;
  prepare->run = plan->count == 0 ? berth_run_nothing : run_unary;
  prepare->op.may_overwrite = plan->in_size == plan->out_size ? 1 : 0;
  return BERTH_OK;
}

// ---- Walks ----

// Fills |level| for dimension |axis| (from the end) of |shape|. |sizes| holds
// the elements below this dimension per input, and is moved on.
static void level_fill(const berth_dims_t *inputs, int count,
                       berth_dims_t shape, int axis, int64_t *sizes,
                       berth_walk_level_t *level) {
  level->count = (uint64_t)shape.dims[shape.rank - 1 - axis];
  for (int i = 0; i < count; ++i) {
    int64_t dim =
        axis < inputs[i].rank ? inputs[i].dims[inputs[i].rank - 1 - axis] : 1;
    level->steps[i] = dim == 1 ? 0 : sizes[i];
    sizes[i] *= dim;
  }
}

// True when |outer| goes on where |inner| ends, for all inputs.
static bool level_continues(const berth_walk_level_t *inner,
                            const berth_walk_level_t *outer, int count) {
  for (int i = 0; i < count; ++i) {
    if (outer->steps[i] != inner->steps[i] * (int64_t)inner->count)
      return false;
  }
  return true;
}

// Collapses |shape|, which has elements; false when too much is left.
static bool walk_fill(berth_walk_t *walk, const berth_dims_t *inputs, int count,
                      berth_dims_t shape) {
  int64_t sizes[BERTH_WALK_INPUTS] = {1, 1, 1};
  int top = -1;
  for (int axis = 0; axis < shape.rank; ++axis) {
    berth_walk_level_t level = {0};
    level_fill(inputs, count, shape, axis, sizes, &level);
    if (level.count == 1) continue;
    if (top >= 0 && level_continues(&walk->levels[top], &level, count)) {
      walk->levels[top].count *= level.count;
      continue;
    }
    if (++top == BERTH_WALK_LEVELS) return false;
    walk->levels[top] = level;
  }
  if (top < 0) walk->levels[++top].count = 1;
  walk->level_count = (uint32_t)top + 1;
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
  berth_walk_params_t params = {.out = args[plan->count], .walk = plan->walk};
  for (int i = 0; i < plan->count; ++i) {
    params.in[i] = args[plan->swap ? 1 - i : i];
  }
  return launch_walk(plan, &params, call);
}

// The same for more elements than a kernel can count in several levels.
static berth_code_t run_parts(const void *arg, void *const *args,
                              berth_call_t *call) {
  const walk_plan_t *plan = arg;
  berth_walk_params_t params = {.out = NULL};
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

static berth_code_t fail_levels(const berth_dims_t *inputs,
                                berth_error_t *err) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "Broadcast between %s and %s is not supported yet.",
                         berth_dims_text(inputs[0], a),
                         berth_dims_text(inputs[1], b));
}

// Inputs as large as the output, of elements as large, may be overwritten.
static uint32_t overwritable(const berth_prepare_t *prepare, int count,
                             int64_t out_count, size_t out_size) {
  uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    const berth_op_input_t *input = &prepare->op.inputs[i];
    bool fits =
        input->count == out_count && berth_dtype_size(input->dtype) == out_size;
    if (fits) mask |= UINT32_C(1) << i;
  }
  return mask;
}

berth_code_t berth_walk_prepare(berth_prepare_t *prepare, int kernel,
                                const berth_dims_t *inputs, int count,
                                bool swap, berth_error_t *err) {
  berth_dims_t shape = berth_shape_dims(&prepare->op.outputs[0]);
  int64_t out_count = berth_dims_count(shape);
  BERTH_TRY(check_kernel(prepare, kernel, err));
  if (out_count == 0) {
    prepare->run = berth_run_nothing;
    return BERTH_OK;
  }
  walk_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_dims_t ordered[BERTH_WALK_INPUTS];
  for (int i = 0; i < count; ++i) {
    int from = swap ? 1 - i : i;
    ordered[i] = inputs[from];
    plan->sizes[i] = berth_dtype_size(prepare->op.inputs[from].dtype);
  }
  if (!walk_fill(&plan->walk, ordered, count, shape)) {
    return fail_levels(inputs, err);
  }
  plan->kernel = kernel;
  plan->count = count;
  plan->swap = swap;
  plan->out_size =
      berth_dtype_size(berth_dtype_base(prepare->op.node->output_types[0]));
  plan->walk.count = (uint64_t)out_count;
  walk_finish(&plan->walk, count);
  bool is_large =
      plan->walk.level_count > 1 && plan->walk.count >= BERTH_DIVIDE_LIMIT;
  prepare->run = is_large ? run_parts : run_walk;
  prepare->op.may_overwrite =
      overwritable(prepare, count, out_count, plan->out_size);
  return BERTH_OK;
}
