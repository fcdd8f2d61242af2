// random.c - Kernels of random numbers.
//
// A node has one sequence (state/generator.h); a run reserves its part. Outputs
// come in groups of what one step of the counter gives, four numbers of up to
// four bytes or two of eight, so that any interval of groups can be made by any
// thread. Truncated normals take a varying number of words: there each group
// has a part of the sequence of its own.
#include <math.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/normal.h"
#include "cpu/loops/random_loops.h"
#include "cpu/ops/move.h"
#include "kernel/handle.h"
#include "kernel/rng.h"
#include "op/source.h"
#include "state/generator.h"
#include "tensor/half.h"

enum {
  CHUNK_STEPS = 128,  // Words of so many steps lie on the stack.
  GRAIN_GROUPS = 4096,
};

typedef struct plan plan_t;

// Turns words into |count| outputs at |out|; the words are those of as many
// whole groups as it takes.
typedef void (*fill_fn)(const plan_t *plan, const uint32_t *words, void *out,
                        int64_t count);

struct plan {
  fill_fn fill;
  const berth_random_loops_t *loops;
  int64_t count;  // Outputs.
  berth_dtype_t dtype;
  int32_t group;  // Outputs of one step.
  int32_t size;   // Bytes of an output.
  bool is_truncated;
  berth_random_start_t start;
  bool is_seed_wide;      // Seeds are of 64 bits.
  bool has_long_counter;  // The counter is two numbers.
  int limits, out;        // Among the arguments.
};

// A plan of integers on its way: the range is known only when it runs.
typedef struct integers {
  plan_t plan;
  uint64_t low, range;
} integers_t;

// ---- Filling ----

static void fill_floats(const plan_t *plan, const uint32_t *words, void *out,
                        int64_t count) {
  plan->loops->floats(words, out, count);
}

static void fill_doubles(const plan_t *plan, const uint32_t *words, void *out,
                         int64_t count) {
  plan->loops->doubles(words, out, count);
}

static uint16_t narrow(const plan_t *plan, float value) {
  return plan->dtype == BERTH_HALF ? berth_float_to_half(value)
                                   : berth_float_to_bfloat16(value);
}

static void fill_narrow(const plan_t *plan, const uint32_t *words, void *out,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    float value = plan->dtype == BERTH_HALF ? berth_philox_half(words[i])
                                            : berth_philox_bfloat16(words[i]);
    ((uint16_t *)out)[i] = narrow(plan, value);
  }
}

// Adds without overflow: TensorFlow's ranges may be as wide as the type.
static void fill_int32(const plan_t *plan, const uint32_t *words, void *out,
                       int64_t count) {
  const integers_t *integers = (const integers_t *)plan;
  uint32_t low = (uint32_t)integers->low, range = (uint32_t)integers->range;
  for (int64_t i = 0; i < count; ++i) {
    ((uint32_t *)out)[i] = low + words[i] % range;
  }
}

static void fill_int64(const plan_t *plan, const uint32_t *words, void *out,
                       int64_t count) {
  const integers_t *integers = (const integers_t *)plan;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    ((uint64_t *)out)[i] = integers->low + bits % integers->range;
  }
}

// Whole numbers are words as they come, the low one of two first.
static void fill_bits(const plan_t *plan, const uint32_t *words, void *out,
                      int64_t count) {
  memcpy(out, words, (size_t)count * (size_t)plan->size);
}

static void fill_normals(const plan_t *plan, const uint32_t *words, void *out,
                         int64_t count) {
  (void)plan;
  float *to = out;
  for (int64_t i = 0; i < count; i += 2) {
    float pair[2];
    berth_normal_floats(words + i, pair);
    to[i] = pair[0];
    if (i + 1 < count) to[i + 1] = pair[1];
  }
}

static void fill_narrow_normals(const plan_t *plan, const uint32_t *words,
                                void *out, int64_t count) {
  float values[4 * CHUNK_STEPS];
  fill_normals(plan, words, values, count);
  for (int64_t i = 0; i < count; ++i) {
    ((uint16_t *)out)[i] = narrow(plan, values[i]);
  }
}

static void fill_double_normals(const plan_t *plan, const uint32_t *words,
                                void *out, int64_t count) {
  (void)plan;
  for (int64_t i = 0; i < count; i += 2) {
    double pair[2];
    berth_normal_doubles(words + 2 * i, pair);
    ((double *)out)[i] = pair[0];
    if (i + 1 < count) ((double *)out)[i + 1] = pair[1];
  }
}

// ---- Running ----

typedef struct work {
  const plan_t *plan;
  berth_philox_t start;
  char *out;
} work_t;

// Does groups [begin, end) from one part of the sequence.
static void groups_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  const plan_t *plan = work->plan;
  uint32_t words[4 * CHUNK_STEPS];
  while (begin < end) {
    int64_t steps = end - begin < CHUNK_STEPS ? end - begin : CHUNK_STEPS;
    berth_philox_t philox = work->start;
    berth_philox_skip(&philox, (uint64_t)begin);
    plan->loops->words(&philox, words, steps);
    int64_t first = begin * plan->group, count = steps * plan->group;
    if (count > plan->count - first) count = plan->count - first;
    plan->fill(plan, words, work->out + first * plan->size, count);
    begin += steps;
  }
}

// The words of one group of truncated normals, a few at a time.
typedef struct source {
  berth_philox_t philox;
  uint32_t words[4];
  int used;
} source_t;

static uint32_t source_next(source_t *source) {
  if (source->used == 4) {
    berth_philox_next(&source->philox, source->words);
    source->used = 0;
  }
  return source->words[source->used++];
}

// Draws a pair of normal numbers.
static void draw_pair(const plan_t *plan, source_t *source, double pair[2]) {
  uint32_t words[4];
  bool is_double = plan->dtype == BERTH_DOUBLE;
  for (int i = 0; i < (is_double ? 4 : 2); ++i) words[i] = source_next(source);
  if (is_double) {
    berth_normal_doubles(words, pair);
    return;
  }
  float floats[2];
  berth_normal_floats(words, floats);
  pair[0] = (double)floats[0];
  pair[1] = (double)floats[1];
}

static void store_real(const plan_t *plan, char *out, double value) {
  float single = (float)value;
  uint16_t half = 0;
  switch (plan->dtype) {
    case BERTH_DOUBLE:
      memcpy(out, &value, sizeof(value));
      break;
    case BERTH_FLOAT:
      memcpy(out, &single, sizeof(single));
      break;
    default:
      half = narrow(plan, single);
      memcpy(out, &half, sizeof(half));
      break;
  }
}

// Fills one group with normals that are within two standard deviations.
static void truncated_group(const work_t *work, int64_t group) {
  const plan_t *plan = work->plan;
  source_t source = {.philox = work->start, .used = 4};
  uint64_t apart = (uint64_t)plan->group * BERTH_GENERATOR_STEPS / 4;
  berth_philox_skip(&source.philox, (uint64_t)group * apart);
  int64_t first = group * plan->group;
  int64_t count = plan->count - first;
  if (count > plan->group) count = plan->group;
  char *out = work->out + first * plan->size;
  int64_t made = 0;
  while (made < count) {
    double pair[2];
    draw_pair(plan, &source, pair);
    for (int i = 0; i < 2 && made < count; ++i) {
      if (!(fabs(pair[i]) < 2.0)) continue;
      store_real(plan, out + made++ * plan->size, pair[i]);
    }
  }
}

static void truncated_piece(void *arg, int64_t begin, int64_t end) {
  for (int64_t group = begin; group < end; ++group) {
    truncated_group(arg, group);
  }
}

static uint64_t seed_of(bool is_wide, const void *seeds, int index) {
  return is_wide ? (uint64_t)((const int64_t *)seeds)[index]
                 : (uint64_t)(int64_t)((const int32_t *)seeds)[index];
}

// Returns where the sequence of this run begins, of an op without a variable.
static berth_philox_t start_of(const plan_t *plan, void *const *args,
                               berth_call_t *call) {
  uint64_t key = 0, counter[2] = {0, 0};
  switch (plan->start) {
    case BERTH_RANDOM_SEED:
      berth_philox_scramble(seed_of(plan->is_seed_wide, args[1], 0),
                            seed_of(plan->is_seed_wide, args[1], 1), &key,
                            counter);
      return berth_philox_keyed(key, counter[0], counter[1]);
    case BERTH_RANDOM_KEY:
      memcpy(counter, args[2], sizeof(uint64_t[1]) << plan->has_long_counter);
      return berth_philox_keyed(*(const uint64_t *)args[1], counter[0],
                                counter[1]);
    default:
      return berth_generator_reserve(
          (berth_generator_t *)call->resource,
          (uint64_t)plan->count * BERTH_GENERATOR_STEPS);
  }
}

static berth_code_t run_plan(const plan_t *plan, void *const *args,
                             berth_call_t *call) {
  work_t work = {.plan = plan, .out = args[plan->out]};
  if (plan->start == BERTH_RANDOM_STATE) {
    int64_t state[BERTH_RNG_STATE];
    BERTH_TRY(berth_rng_reserve(args[0], (uint64_t)plan->count, call, state));
    work.start = berth_rng_start(state);
  } else {
    work.start = start_of(plan, args, call);
  }
  int64_t groups = (plan->count + plan->group - 1) / plan->group;
  if (plan->is_truncated) {
    berth_parallel_for(groups, GRAIN_GROUPS / 16, truncated_piece, &work);
  } else {
    berth_parallel_for(groups, GRAIN_GROUPS, groups_piece, &work);
  }
  return BERTH_OK;
}

static berth_code_t run_reals(const void *plan, void *const *args,
                              berth_call_t *call) {
  return run_plan(plan, args, call);
}

static berth_code_t run_integers(const void *plan, void *const *args,
                                 berth_call_t *call) {
  integers_t integers = {.plan = *(const plan_t *)plan};
  int limits = integers.plan.limits;
  BERTH_TRY(berth_random_limits(integers.plan.dtype, args[limits],
                                args[limits + 1], &integers.low,
                                &integers.range, call->err));
  return run_plan(&integers.plan, args, call);
}

static berth_code_t run_key_counter(const void *plan, void *const *args,
                                    berth_call_t *call) {
  bool is_wide = *(const bool *)plan;
  berth_philox_scramble(seed_of(is_wide, args[0], 0),
                        seed_of(is_wide, args[0], 1), args[1], args[2]);
  if (call->node->output_count > 2) *(int32_t *)args[3] = 1;  // Philox.
  return BERTH_OK;
}

static berth_code_t run_alg(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)call;
  *(int32_t *)args[0] = 1;  // Philox.
  return BERTH_OK;
}

// ---- Preparing ----

static fill_fn choose_fill(const berth_random_t *random) {
  bool is_normal = random->distribution == BERTH_RANDOM_TRUNCATED ||
                   random->distribution == BERTH_RANDOM_NORMAL;
  if (random->distribution == BERTH_RANDOM_BITS) return fill_bits;
  switch (random->dtype) {
    case BERTH_FLOAT:
      return is_normal ? fill_normals : fill_floats;
    case BERTH_DOUBLE:
      return is_normal ? fill_double_normals : fill_doubles;
    case BERTH_INT32:
      return fill_int32;
    case BERTH_INT64:
      return fill_int64;
    default:
      return is_normal ? fill_narrow_normals : fill_narrow;
  }
}

static berth_code_t prepare_random(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_random_t random;
  BERTH_TRY(berth_op_random(&prepare->op, &random, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  bool is_whole = random.distribution == BERTH_RANDOM_INTEGERS;
  *plan =
      (plan_t){.fill = choose_fill(&random),
               .loops = BERTH_ISA_PICK(berth_cpu_random_loops),
               .count = random.count,
               .dtype = random.dtype,
               .group = random.group,
               .size = (int32_t)berth_dtype_size(random.dtype),
               .is_truncated = random.distribution == BERTH_RANDOM_TRUNCATED,
               .start = random.start,
               .has_long_counter = random.has_long_counter,
               .limits = random.limits,
               .out = prepare->op.input_count};
  if (random.start == BERTH_RANDOM_SEED) {
    plan->is_seed_wide = prepare->op.inputs[1].dtype == BERTH_INT64;
  }
  prepare->run = random.count == 0 ? berth_run_nothing
                 : is_whole        ? run_integers
                                   : run_reals;
  prepare->work = random.count * 2;
  return BERTH_OK;
}

// The plan is whether seeds are of 64 bits.
static berth_code_t prepare_key_counter(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  BERTH_TRY(berth_op_key_counter(&prepare->op, err));
  bool *is_wide = berth_prepare_plan(prepare, sizeof(*is_wide));
  if (is_wide == NULL) return berth_error_no_memory(err, "a plan");
  *is_wide = prepare->op.inputs[0].dtype == BERTH_INT64;
  prepare->run = run_key_counter;
  return BERTH_OK;
}

static berth_code_t prepare_alg(berth_prepare_t *prepare, berth_error_t *err) {
  (void)err;
  berth_case_output(&prepare->op, 0, BERTH_SCALAR);
  prepare->run = run_alg;
  return BERTH_OK;
}

#define RANDOM(name, attr, types_)                                   \
  {                                                                  \
    .op = name, .types = {{attr, types_}, {"T", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_random                                        \
  }

#define SEEDED(name, types_)                                            \
  {                                                                     \
    .op = name, .types = {{"dtype", types_}, {"T", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_random                                           \
  }
#define KEYED(name, types_)                                                  \
  {                                                                          \
    .op = name, .types = {{"dtype", types_}, {"Tshape", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_random                                                \
  }
#define STATEFUL(name, types_)                                        \
  {                                                                   \
    .op = name,                                                       \
    .types = {{"dtype", types_}, {"shape_dtype", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_random                                         \
  }
#define BITS_TYPES (BERTH_TYPES_INDEX | BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64))

const berth_kernel_t berth_cpu_random_kernels[] = {
    RANDOM("RandomUniform", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("RandomStandardNormal", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("TruncatedNormal", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("RandomUniformInt", "Tout", BERTH_TYPES_INDEX),
    SEEDED("StatelessRandomUniform", BERTH_TYPES_FLOATING),
    SEEDED("StatelessRandomNormal", BERTH_TYPES_FLOATING),
    SEEDED("StatelessTruncatedNormal", BERTH_TYPES_FLOATING),
    SEEDED("StatelessRandomUniformInt", BERTH_TYPES_INDEX),
    SEEDED("StatelessRandomUniformFullInt", BITS_TYPES),
    KEYED("StatelessRandomUniformV2", BERTH_TYPES_FLOATING),
    KEYED("StatelessRandomNormalV2", BERTH_TYPES_FLOATING),
    KEYED("StatelessTruncatedNormalV2", BERTH_TYPES_FLOATING),
    KEYED("StatelessRandomUniformIntV2", BERTH_TYPES_INDEX),
    KEYED("StatelessRandomUniformFullIntV2", BITS_TYPES),
    STATEFUL("StatefulUniform", BERTH_TYPES_FLOATING),
    STATEFUL("StatefulStandardNormal", BERTH_TYPES_FLOATING),
    STATEFUL("StatefulStandardNormalV2", BERTH_TYPES_FLOATING),
    STATEFUL("StatefulTruncatedNormal", BERTH_TYPES_FLOATING),
    STATEFUL("StatefulUniformInt", BERTH_TYPES_INDEX),
    STATEFUL("StatefulUniformFullInt", BITS_TYPES),
    {.op = "StatelessRandomGetKeyCounter",
     .types = {{"Tseed", BERTH_TYPES_INDEX}},
     .prepare = prepare_key_counter,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "StatelessRandomGetKeyCounterAlg",
     .types = {{"Tseed", BERTH_TYPES_INDEX}},
     .prepare = prepare_key_counter,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "StatelessRandomGetAlg",
     .prepare = prepare_alg,
     .anywhere = BERTH_TYPES_ALL},
    {.op = NULL},
};
