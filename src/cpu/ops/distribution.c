// distribution.c - Kernels of random numbers whose distribution has parameters.
//
// The numbers are TensorFlow's for the same seeds: gamma by Marsaglia and
// Tsang's rejection, Poisson by Knuth's products or Hörmann's rejection, bounded
// normals by the three ways of Robert. Every number of the first two begins at
// its own part of the sequence, so threads do not matter; bounded normals follow
// each other.
#include "op/distribution.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/normal.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/special.h"
#include "kernel/rng.h"
#include "state/generator.h"

enum {
  GRAIN = 256,
  MOST_TRIES = 1000,
  FEW_STEPS = 42,  // Of the sequence, for a binomial number of a small mean.
};

typedef struct plan {
  berth_draws_t draws;
  berth_dtype_t dtype, out_type;  // Of parameters, of numbers.
  bool is_seed_wide;
} plan_t;

typedef struct work {
  const plan_t *plan;
  void *const *args;
  berth_philox_t start;
  void *out;
} work_t;

// ---- Uniform and normal numbers, the last of a step first ----

typedef struct source {
  berth_philox_t philox;
  double uniforms[2], normals[2];
  int uniforms_left, normals_left;
} source_t;

static double next_uniform(source_t *source) {
  if (source->uniforms_left == 0) {
    uint32_t words[4];
    berth_philox_next(&source->philox, words);
    source->uniforms[0] = berth_philox_double(words[0], words[1]);
    source->uniforms[1] = berth_philox_double(words[2], words[3]);
    source->uniforms_left = 2;
  }
  return source->uniforms[--source->uniforms_left];
}

static double next_normal(source_t *source) {
  if (source->normals_left == 0) {
    uint32_t words[4];
    berth_philox_next(&source->philox, words);
    berth_normal_doubles(words, source->normals);
    source->normals_left = 2;
  }
  return source->normals[--source->normals_left];
}

// ---- Gamma ----

static double draw_gamma(source_t *source, double alpha) {
  if (alpha == 1) return -log1p(-next_uniform(source));
  bool is_small = alpha < 1;
  double d = alpha + (is_small ? 2.0 / 3 : -1.0 / 3);
  double c = 1.0 / 3 / sqrt(d);
  for (;;) {
    double x = next_normal(source);
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    double u = next_uniform(source);
    if (!(u < 1 - 0.0331 * (x * x) * (x * x)) &&
        !(log(u) < 0.5 * x * x + d * (1 - v + log(v)))) {
      continue;
    }
    double value = d * v;
    return is_small ? value * pow(next_uniform(source), 1 / alpha) : value;
  }
}

// ---- Poisson ----

static double draw_small_poisson(source_t *source, double rate) {
  double least = exp(-rate), product = 1;
  for (double x = 0;; x += 1) {
    product *= next_uniform(source);
    if (product <= least) return x;
  }
}

static double draw_poisson(source_t *source, double rate, double most) {
  if (rate < 10) return draw_small_poisson(source, rate);
  double log_rate = log(rate);
  double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (;;) {
    double u = next_uniform(source) - 0.5, v = next_uniform(source);
    double rest = 0.5 - fabs(u);
    double k = floor((2 * a / rest + b) * u + rate + 0.43);
    if (k > most) continue;
    if (rest >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (rest < 0.013 && v > rest)) continue;
    double s = log(v * inverse_alpha / (a / (rest * rest) + b));
    if (s <= -rate + k * log_rate - berth_special_lgamma(k + 1)) return k;
  }
}

// ---- Binomial ----

// What Stirling's formula leaves of log(k!).
static double stirling_rest(double k) {
  static const double rests[] = {0.0810614667953272,  0.0413406959554092,
                                 0.0276779256849983,  0.02079067210376509,
                                 0.0166446911898211,  0.0138761288230707,
                                 0.0118967099458917,  0.0104112652619720,
                                 0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return rests[(int)k];
  double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// Adds up distances between successes.
static double draw_few(source_t *source, double count, double prob) {
  double sum = 0;
  for (double found = 0;; found += 1) {
    sum += ceil(log(next_uniform(source)) / log1p(-prob));
    if (!(sum <= count)) return found;
  }
}

// Hörmann's rejection, for means of 10 and more.
static double draw_many(source_t *source, double count, double prob) {
  double deviation = sqrt(count * prob * (1 - prob));
  double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * prob;
  double r = prob / (1 - prob), m = floor((count + 1) * prob);
  double alpha = (2.83 + 5.1 / b) * deviation;
  for (;;) {
    double u = next_uniform(source) - 0.5, v = next_uniform(source);
    double rest = 0.5 - fabs(u);
    double k = floor((2 * a / rest + b) * u + count * prob + 0.5);
    if (rest >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    if (k < 0 || k > count) continue;
    double most = (m + 0.5) * log((m + 1) / (r * (count - m + 1))) +
                  (count + 1) * log((count - m + 1) / (count - k + 1)) +
                  (k + 0.5) * log(r * (count - k + 1) / (k + 1)) +
                  stirling_rest(m) + stirling_rest(count - m) -
                  stirling_rest(k) - stirling_rest(count - k);
    if (log(v * alpha / (a / (rest * rest) + b)) <= most) return k;
  }
}

static double rare_of(double prob) { return prob <= 0.5 ? prob : 1 - prob; }

static double draw_binomial(source_t *source, double count, double prob) {
  double rare = rare_of(prob);
  if (isnan(rare)) return rare;
  double found = count * rare >= 10 ? draw_many(source, count, rare)
                                    : draw_few(source, count, rare);
  return prob <= 0.5 ? found : count - found;
}

// ---- Those that do not depend on each other ----

static double parameter_at(const work_t *work, int index, int64_t place) {
  return berth_number_at(work->plan->dtype,
                         work->args[work->plan->draws.first + index], place);
}

static double draw_one(const work_t *work, const int64_t places[4],
                       source_t *source) {
  const plan_t *plan = work->plan;
  double first = parameter_at(work, 0, places[0]);
  double most = plan->out_type == BERTH_INT32   ? INT32_MAX
                : plan->out_type == BERTH_INT64 ? 0x1.fffffffffffffp62
                : plan->out_type == BERTH_HALF  ? 65504
                : plan->out_type == BERTH_FLOAT ? 0x1.fffffep127
                                                : 0x1.fffffffffffffp1023;
  switch (plan->draws.law) {
    case BERTH_LAW_GAMMA:
      return draw_gamma(source, first);
    case BERTH_LAW_BINOMIAL:
      return draw_binomial(source, first, parameter_at(work, 1, places[1]));
    default:
      return draw_poisson(source, first, most);
  }
}

// How far apart the parts of the sequence are that numbers begin at.
static uint64_t steps_apart(const work_t *work, const int64_t places[4]) {
  if (work->plan->draws.law != BERTH_LAW_BINOMIAL) return BERTH_GENERATOR_STEPS;
  double prob = parameter_at(work, 1, places[1]);
  double mean = parameter_at(work, 0, places[0]) * rare_of(prob);
  return mean >= 10 ? BERTH_GENERATOR_STEPS : FEW_STEPS;
}

static void draws_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  const berth_draws_t *draws = &work->plan->draws;
  int64_t places[4], of = -1;
  for (int64_t i = begin; i < end; ++i) {
    int64_t set = i / draws->samples, sample = i % draws->samples;
    if (set != of) berth_draws_places(draws, set, places);
    of = set;
    source_t source = {.philox = work->start};
    berth_philox_skip(&source.philox, (uint64_t)i * steps_apart(work, places));
    berth_number_set(work->plan->out_type, work->out,
                     sample * draws->sets + set,
                     draw_one(work, places, &source));
  }
}

// ---- Bounded normals ----

// One set, in the order of the sequence. All is rounded to the type.
typedef struct bounded {
  const work_t *work;
  berth_philox_t philox;
  double mean, deviation, least, most, range, factor, alpha;
  int group;  // Numbers of one step.
} bounded_t;

static double rounded(const bounded_t *b, double x) {
  switch (b->work->plan->out_type) {
    case BERTH_DOUBLE:
      return x;
    case BERTH_FLOAT:
      return (double)(float)x;
    default:
      return (double)berth_half_to_float(berth_float_to_half((float)x));
  }
}

static void step_uniform(bounded_t *b, double values[4]) {
  uint32_t words[4];
  berth_philox_next(&b->philox, words);
  for (int i = 0; i < b->group; ++i) {
    values[i] = b->group == 2
                    ? berth_philox_double(words[2 * i], words[2 * i + 1])
                : b->work->plan->out_type == BERTH_FLOAT
                    ? (double)berth_philox_float(words[i])
                    : (double)berth_philox_half(words[i]);
  }
}

static void step_normal(bounded_t *b, double values[4]) {
  uint32_t words[4];
  berth_philox_next(&b->philox, words);
  if (b->group == 2) {
    berth_normal_doubles(words, values);
    return;
  }
  for (int i = 0; i < 4; i += 2) {
    float pair[2];
    berth_normal_floats(words + i, pair);
    values[i] = rounded(b, (double)pair[0]);
    values[i + 1] = rounded(b, (double)pair[1]);
  }
}

// Each tries a step: fills |values| and whether each is taken; returns how many
// there are.
static int try_normal(bounded_t *b, double values[4], bool taken[4]) {
  step_normal(b, values);
  for (int i = 0; i < b->group; ++i) {
    taken[i] = values[i] >= b->least && values[i] <= b->most;
  }
  return b->group;
}

static int try_uniform(bounded_t *b, double values[4], bool taken[4]) {
  double u[4];
  step_uniform(b, values);
  step_uniform(b, u);
  for (int i = 0; i < b->group; ++i) {
    values[i] = rounded(b, rounded(b, values[i] * b->range) + b->least);
    double square = rounded(b, values[i] * values[i]);
    double g = rounded(b, rounded(b, b->factor - square) / 2);
    taken[i] = u[i] <= rounded(b, exp(g));
  }
  return b->group;
}

static int try_exponential(bounded_t *b, double values[4], bool taken[4]) {
  double u[4];
  step_uniform(b, u);
  for (int i = 0; i < b->group / 2; ++i) {
    double log_u = rounded(b, log(u[2 * i]));
    double z = rounded(b, rounded(b, -log_u / b->alpha) + b->least);
    double x =
        rounded(b, b->least < b->alpha ? b->alpha - z : b->least - b->alpha);
    double g = rounded(b, exp(rounded(b, rounded(b, -x * x) / 2)));
    values[i] = z;
    taken[i] = u[2 * i + 1] <= g && z < b->most;
  }
  return b->group / 2;
}

typedef int (*try_fn)(bounded_t *b, double values[4], bool taken[4]);

// Chooses a way by where the bounds are, in deviations.
static try_fn choose_way(bounded_t *b) {
  double inside = rounded(b, 1.3);
  double square = rounded(b, b->least * b->least);
  double root = rounded(b, sqrt(rounded(b, square + 4)));
  double product = rounded(b, b->least * rounded(b, b->least - root));
  double cutoff = rounded(
      b,
      rounded(b,
              2 * rounded(b, exp(rounded(b, 0.5 + rounded(b, product / 4))))) /
          rounded(b, b->least + root));
  b->range = rounded(b, b->most - b->least);
  b->factor = b->least < 0 ? 0 : square;
  b->alpha = rounded(b, rounded(b, b->least + root) / 2);
  if ((b->least < -inside && b->most >= 0) ||
      (b->most > inside && b->least <= 0)) {
    return try_normal;
  }
  return b->range < cutoff ? try_uniform : try_exponential;
}

static berth_code_t set_bounds(bounded_t *b, const int64_t places[4],
                               berth_error_t *err) {
  double least = parameter_at(b->work, 2, places[2]);
  double most = parameter_at(b->work, 3, places[3]);
  b->mean = parameter_at(b->work, 0, places[0]);
  b->deviation = parameter_at(b->work, 1, places[1]);
  if (!(b->deviation > 0) || !(least < most) ||
      (!isfinite(least) && !isfinite(most))) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Invalid parameters");
  }
  if ((isinf(least) && least < 0) || most < b->mean) {
    double kept = least;
    least = most;
    most = kept;
    b->deviation = -b->deviation;
  }
  b->least = rounded(b, rounded(b, least - b->mean) / b->deviation);
  b->most = rounded(b, rounded(b, most - b->mean) / b->deviation);
  return BERTH_OK;
}

static berth_code_t fail_tries(const char *way, berth_error_t *err) {
  return berth_error_set(err, BERTH_INTERNAL,
                         "TruncatedNormal %s rejection sampler failed to "
                         "accept a sample.",
                         way);
}

static berth_code_t draw_set(bounded_t *b, int64_t set, berth_error_t *err) {
  const berth_draws_t *draws = &b->work->plan->draws;
  try_fn way = choose_way(b);
  int64_t limit = draws->samples, tries = 0;
  if (draws->is_by_set && draws->count - set * draws->samples < limit) {
    limit = draws->count - set * draws->samples;
  }
  for (int64_t sample = 0; sample < limit;) {
    double values[4];
    bool taken[4];
    int made = way(b, values, taken);
    for (int i = 0; i < made && sample < limit; ++i) {
      if (!taken[i] && ++tries >= MOST_TRIES) {
        return fail_tries(way == try_normal    ? "randn"
                          : way == try_uniform ? "uniform"
                                               : "exponential distribution",
                          err);
      }
      if (!taken[i]) continue;
      int64_t at = draws->is_by_set ? set * draws->samples + sample
                                    : sample * draws->sets + set;
      double value = rounded(b, values[i] * b->deviation) + b->mean;
      berth_number_set(b->work->plan->out_type, b->work->out, at, value);
      ++sample;
      tries = 0;
    }
  }
  return BERTH_OK;
}

static berth_code_t draw_bounded(const work_t *work, berth_call_t *call) {
  const berth_draws_t *draws = &work->plan->draws;
  bounded_t b = {.work = work,
                 .philox = work->start,
                 .group = work->plan->out_type == BERTH_DOUBLE ? 2 : 4};
  for (int64_t set = 0; set < draws->sets; ++set) {
    int64_t places[4];
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    berth_draws_places(draws, set, places);
    BERTH_TRY(set_bounds(&b, places, call->err));
    BERTH_TRY(draw_set(&b, set, call->err));
  }
  return BERTH_OK;
}

// ---- Running ----

// How many steps of the node's own sequence a run takes.
static uint64_t steps_of(const berth_draws_t *draws) {
  if (draws->law == BERTH_LAW_BOUNDED) {
    return (uint64_t)draws->sets * 2 * MOST_TRIES *
           ((uint64_t)draws->samples + 3) / 4;
  }
  return (uint64_t)draws->count * BERTH_GENERATOR_STEPS;
}

static berth_philox_t start_of(const plan_t *plan, void *const *args,
                               const berth_call_t *call) {
  uint64_t key = 0, counter[2] = {0, 0};
  const int64_t *wide = args[1];
  const int32_t *narrow = args[1];
  switch (plan->draws.start) {
    case BERTH_RANDOM_SEED:
      berth_philox_scramble(
          (uint64_t)(plan->is_seed_wide ? wide[0] : narrow[0]),
          (uint64_t)(plan->is_seed_wide ? wide[1] : narrow[1]), &key, counter);
      return berth_philox_keyed(key, counter[0], counter[1]);
    case BERTH_RANDOM_KEY:
      memcpy(counter, args[2],
             sizeof(uint64_t[1]) << plan->draws.has_long_counter);
      return berth_philox_keyed(*(const uint64_t *)args[1], counter[0],
                                counter[1]);
    default:
      return berth_generator_reserve((berth_generator_t *)call->resource,
                                     steps_of(&plan->draws));
  }
}

// TensorFlow draws without end where there is nothing to be found.
static berth_code_t check_finite(const work_t *work, berth_error_t *err) {
  const berth_draws_t *draws = &work->plan->draws;
  for (int64_t set = 0; set < draws->sets; ++set) {
    int64_t places[4];
    berth_draws_places(draws, set, places);
    double x = parameter_at(work, 0, places[0]);
    if (isfinite(x) || x < 0) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "%s must be finite, got %g",
        draws->law == BERTH_LAW_POISSON ? "rate" : "counts", x);
  }
  return BERTH_OK;
}

static berth_code_t run_draws(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_draws_t *draws = &plan->draws;
  work_t work = {.plan = plan,
                 .args = args,
                 .out = args[draws->first + draws->parameters]};
  if (draws->start == BERTH_RANDOM_STATE) {
    int64_t state[BERTH_RNG_STATE];
    int64_t taken = draws->sets * 200 * (draws->samples + 3) / 4;
    BERTH_TRY(berth_rng_reserve(args[0], (uint64_t)taken, call, state));
    work.start = berth_rng_start(state);
  } else {
    work.start = start_of(plan, args, call);
  }
  if (draws->law == BERTH_LAW_BOUNDED) return draw_bounded(&work, call);
  if (draws->law == BERTH_LAW_POISSON)
    BERTH_TRY(check_finite(&work, call->err));
  berth_parallel_for(draws->count, GRAIN, draws_piece, &work);
  return BERTH_OK;
}

static berth_code_t prepare_draws(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_draws(&prepare->op, &plan->draws, err));
  plan->dtype = prepare->op.inputs[plan->draws.first].dtype;
  plan->out_type = prepare->op.node->output_types[0];
  if (plan->draws.start == BERTH_RANDOM_SEED) {
    plan->is_seed_wide = prepare->op.inputs[1].dtype == BERTH_INT64;
  }
  bool is_state = plan->draws.start == BERTH_RANDOM_STATE;
  prepare->run =
      plan->draws.count > 0 || is_state ? run_draws : berth_run_nothing;
  prepare->work = plan->draws.count * 100;
  return BERTH_OK;
}

#define NARROW (BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16))
#define NUMBERS (NARROW | BERTH_TYPES_INDEX)
#define DRAWS(name, ...) \
  { .op = name, .types = {__VA_ARGS__}, .prepare = prepare_draws }

const berth_kernel_t berth_cpu_distribution_kernels[] = {
    DRAWS("RandomGamma", {"T", BERTH_TYPES_FLOATING}),
    DRAWS("RandomPoisson", {"dtype", NARROW}),
    DRAWS("RandomPoissonV2", {"R", NUMBERS}, {"dtype", NUMBERS}),
    DRAWS("ParameterizedTruncatedNormal", {"dtype", NARROW}),
    DRAWS("StatelessRandomGammaV2", {"dtype", BERTH_TYPES_FLOATING}),
    DRAWS("StatelessRandomGammaV3", {"dtype", BERTH_TYPES_FLOATING}),
    DRAWS("StatelessRandomPoisson", {"Rtype", NUMBERS}, {"dtype", NUMBERS}),
    DRAWS("StatelessRandomBinomial", {"T", NARROW}, {"dtype", NUMBERS}),
    DRAWS("StatefulRandomBinomial", {"T", NARROW}, {"dtype", NUMBERS}),
    DRAWS("StatelessParameterizedTruncatedNormal", {"dtype", NARROW}),
    {.op = NULL},
};
