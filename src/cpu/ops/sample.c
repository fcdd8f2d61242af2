// sample.c - Classes drawn at random, as losses over many of them want: with
// how often each is to be expected.
//
// A run takes the words of its part of the sequence one after the other, so
// that it gives TensorFlow's numbers. Where classes may not repeat, draws go on
// until there are enough different ones, and how many it took counts for what
// is expected.
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/words.h"
#include "op/sample.h"

// Steps of the counter that TensorFlow sets aside for each draw.
enum { DRAW_STEPS = 512 };

// ---- Distributions ----

typedef struct plan plan_t;

struct plan {
  berth_sample_t sample;
  int64_t (*draw)(const plan_t *plan, berth_words_t *words);
  float (*chance)(const plan_t *plan, int64_t value);
  uint64_t slots;    // Of the table of what was drawn; a power of two.
  double log_range;  // Of LogUniform.
  // Of FixedUnigram: weights, their sum, and for each class how likely it is
  // when its place is hit, and which one is taken otherwise.
  float *weights, total, *keep;
  int32_t *other;
};

static int64_t draw_uniform(const plan_t *plan, berth_words_t *words) {
  return (int64_t)berth_words_below_long(words, (uint64_t)plan->sample.range);
}

static float chance_uniform(const plan_t *plan, int64_t value) {
  (void)value;
  return (float)(1.0 / (double)plan->sample.range);
}

static int64_t draw_log_uniform(const plan_t *plan, berth_words_t *words) {
  double place = berth_words_double(words) * plan->log_range;
  return ((int64_t)exp(place) - 1) % plan->sample.range;
}

static float chance_log_uniform(const plan_t *plan, int64_t value) {
  double v = (double)value;
  return (float)(log((v + 2.0) / (v + 1.0)) / plan->log_range);
}

static int64_t draw_fixed(const plan_t *plan, berth_words_t *words) {
  float part = berth_philox_float(berth_words_next(words));
  uint32_t place = berth_words_below(words, (uint32_t)plan->sample.range);
  return part < plan->keep[place] ? (int64_t)place : plan->other[place];
}

static float chance_fixed(const plan_t *plan, int64_t value) {
  if (value < 0 || value >= plan->sample.range) return 0;
  return plan->weights[value] / plan->total;
}

// ---- Running ----

// Puts |value| into a table of |slots| places, where 0 is free; false when it
// is there already.
static bool table_add(int64_t *table, uint64_t slots, int64_t value) {
  uint64_t hash = (uint64_t)value * UINT64_C(0x9E3779B97F4A7C15);
  uint64_t place = (hash >> 32) & (slots - 1);
  while (table[place] != 0) {
    if (table[place] == value + 1) return false;
    place = (place + 1) & (slots - 1);
  }
  table[place] = value + 1;
  return true;
}

// Draws; returns how many draws it took, or -1 when the run has ended.
static int64_t draw_all(const plan_t *plan, berth_words_t *words, int64_t *out,
                        int64_t *table, const berth_call_t *call) {
  int64_t tries = 0, found = 0;
  bool is_unique = plan->sample.is_unique;
  if (is_unique) memset(table, 0, plan->slots * sizeof(*table));
  while (found < plan->sample.count) {
    if (berth_cpu_ends_at(call, tries)) return -1;
    ++tries;
    int64_t value = plan->draw(plan, words);
    if (!is_unique || table_add(table, plan->slots, value)) {
      out[found++] = value;
    }
  }
  return tries;
}

// Writes how often each of |count| classes is to be expected.
static void expect(const plan_t *plan, const int64_t *values, int64_t count,
                   int64_t tries, float *out) {
  for (int64_t i = 0; i < count; ++i) {
    float p = plan->chance(plan, values[i]);
    out[i] = tries == plan->sample.count ? p * (float)tries
                                         : -expm1f((float)tries * log1pf(-p));
  }
}

static berth_code_t run_sample(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  berth_words_t words =
      berth_words_reserve(call, (uint64_t)plan->sample.count * DRAW_STEPS);
  int64_t tries = draw_all(plan, &words, args[1], args[4], call);
  if (tries < 0) return BERTH_OK;
  expect(plan, args[1], plan->sample.count, tries, args[3]);
  expect(plan, args[0], plan->sample.trues, tries, args[2]);
  return BERTH_OK;
}

static berth_code_t prepare_sample(berth_prepare_t *prepare, plan_t **out_plan,
                                   berth_error_t *err) {
  int64_t range = berth_node_attr_int(prepare->op.node, "range_max", 1);
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){.slots = 16};
  BERTH_TRY(berth_op_sample(&prepare->op, range, &plan->sample, err));
  while (plan->slots < 2 * (uint64_t)plan->sample.count) plan->slots *= 2;
  prepare->scratch_size = plan->slots * sizeof(int64_t);
  prepare->run = run_sample;
  prepare->work = (plan->sample.count + plan->sample.trues) * 50;
  *out_plan = plan;
  return BERTH_OK;
}

static berth_code_t prepare_uniform(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = NULL;
  BERTH_TRY(prepare_sample(prepare, &plan, err));
  plan->draw = draw_uniform;
  plan->chance = chance_uniform;
  return BERTH_OK;
}

static berth_code_t prepare_log_uniform(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  plan_t *plan = NULL;
  BERTH_TRY(prepare_sample(prepare, &plan, err));
  plan->draw = draw_log_uniform;
  plan->chance = chance_log_uniform;
  plan->log_range = log1p((double)plan->sample.range);
  return BERTH_OK;
}

// ---- FixedUnigram ----

// Reads the weights of classes: none for those that are reserved, then those
// given, of which this shard has each |num_shards|th.
static berth_code_t read_weights(const berth_node_t *node, plan_t *plan,
                                 berth_error_t *err) {
  const berth_attr_value_t *given = berth_node_attr(node, "unigrams");
  int64_t shards = berth_node_attr_int(node, "num_shards", 1);
  int64_t shard = berth_node_attr_int(node, "shard", 0);
  int64_t reserved = berth_node_attr_int(node, "num_reserved_ids", 0);
  float distortion = berth_node_attr_float(node, "distortion", 1);
  int64_t count = 0, size = given == NULL ? 0 : given->count;
  for (int64_t id = 0; id < reserved; ++id) count += id % shards == shard;
  // TensorFlow numbers what follows from the number of those it has kept.
  for (int64_t i = 0, id = count; i < size; ++i, ++id) {
    if (id % shards != shard) continue;
    float weight = powf(given->f_list[i], distortion);
    if (count < plan->sample.range) plan->weights[count] = weight;
    plan->total += weight;
    ++count;
  }
  if (count == plan->sample.range) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "range is %lld must be equal to weights size  %lld",
                         (long long)plan->sample.range, (long long)count);
}

// Gives classes that were left over, as rounding wants it, their own places.
static void keep_whole(plan_t *plan, const int32_t *classes, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    plan->keep[classes[i]] = 1;
    plan->other[classes[i]] = classes[i];
  }
}

// Makes the tables of the alias method: each place belongs to a class that is
// less likely than a place, and the rest of it to one that is more likely.
// |high| and |low| have room for all classes, |p| too.
static void pair_up(plan_t *plan, double *p, int32_t *high, int32_t *low) {
  int64_t n = plan->sample.range, highs = 0, lows = 0;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += (double)plan->weights[i];
  for (int64_t i = 0; i < n; ++i) {
    p[i] = (double)(plan->weights[i] * (float)n) / sum;
    if (p[i] < 1.0) {
      low[lows++] = (int32_t)i;
    } else {
      high[highs++] = (int32_t)i;
    }
  }
  while (highs > 0 && lows > 0) {
    int32_t less = low[--lows], more = high[--highs];
    plan->other[less] = more;
    p[more] -= 1.0 - p[less];
    if (p[more] < 1.0) {
      low[lows++] = more;
    } else {
      high[highs++] = more;
    }
  }
  for (int64_t i = 0; i < n; ++i) plan->keep[i] = (float)p[i];
  keep_whole(plan, high, highs);
  keep_whole(plan, low, lows);
}

static berth_code_t prepare_fixed(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = NULL;
  BERTH_TRY(prepare_sample(prepare, &plan, err));
  const berth_attr_value_t *file =
      berth_node_attr(prepare->op.node, "vocab_file");
  if (file != NULL && file->s.size > 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "FixedUnigramCandidateSampler: Berth does not read "
                           "vocab_file; give the weights as unigrams");
  }
  size_t n = (size_t)plan->sample.range;
  plan->weights = berth_arena_calloc(prepare->op.arena, n, sizeof(float));
  plan->keep = berth_arena_calloc(prepare->op.arena, n, sizeof(float));
  plan->other = berth_arena_calloc(prepare->op.arena, n, sizeof(int32_t));
  double *p = berth_arena_calloc(prepare->op.arena, n, sizeof(double));
  int32_t *lists =
      berth_arena_calloc(prepare->op.arena, 2 * n, sizeof(int32_t));
  if (plan->weights == NULL || plan->keep == NULL || plan->other == NULL ||
      p == NULL || lists == NULL) {
    return berth_error_no_memory(err, "the weights of classes");
  }
  BERTH_TRY(read_weights(prepare->op.node, plan, err));
  pair_up(plan, p, lists, lists + n);
  plan->draw = draw_fixed;
  plan->chance = chance_fixed;
  return BERTH_OK;
}

// ---- AllCandidateSampler ----

static berth_code_t run_all(const void *arg, void *const *args,
                            berth_call_t *call) {
  (void)call;
  const berth_sample_t *sample = arg;
  for (int64_t i = 0; i < sample->count; ++i) {
    ((int64_t *)args[1])[i] = i;
    ((float *)args[3])[i] = 1;
  }
  for (int64_t i = 0; i < sample->trues; ++i) ((float *)args[2])[i] = 1;
  return BERTH_OK;
}

static berth_code_t prepare_all(berth_prepare_t *prepare, berth_error_t *err) {
  int64_t count = berth_node_attr_int(prepare->op.node, "num_sampled", 1);
  berth_sample_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sample(&prepare->op, count, plan, err));
  prepare->run = run_all;
  prepare->work = count;
  return BERTH_OK;
}

// ---- ComputeAccidentalHits ----

typedef struct hits {
  int64_t rows, columns, drawn;
} hits_t;

// Returns the last place of |value| among what was drawn; -1 where it is not.
static int64_t find_drawn(const hits_t *plan, const int64_t *drawn,
                          int64_t value) {
  for (int64_t i = plan->drawn - 1; i >= 0; --i) {
    if (drawn[i] == value) return i;
  }
  return -1;
}

// Counts the hits and, where |out| has tensors, writes them.
static int64_t walk_hits(const hits_t *plan, const berth_call_t *call,
                         berth_tensor_t *const *out) {
  const int64_t *trues = call->inputs[0]->data, *drawn = call->inputs[1]->data;
  int64_t found = 0;
  for (int64_t i = 0; i < plan->rows * plan->columns; ++i) {
    int64_t place = find_drawn(plan, drawn, trues[i]);
    if (place < 0) continue;
    if (out != NULL) {
      ((int32_t *)out[0]->data)[found] = (int32_t)(i / plan->columns);
      ((int64_t *)out[1]->data)[found] = place;
      ((float *)out[2]->data)[found] = -FLT_MAX;
    }
    ++found;
  }
  return found;
}

static berth_code_t run_hits(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)args;
  static const berth_dtype_t types[] = {BERTH_INT32, BERTH_INT64, BERTH_FLOAT};
  berth_tensor_t *out[3] = {NULL};
  int64_t count = walk_hits(arg, call, NULL);
  berth_code_t code = BERTH_OK;
  for (int i = 0; i < 3 && code == BERTH_OK; ++i) {
    code = berth_tensor_make(call->allocator, types[i], 1, &count, count,
                             &out[i], call->err);
  }
  if (code != BERTH_OK) {
    for (int i = 0; i < 3; ++i) berth_tensor_release(out[i]);
    return code;
  }
  walk_hits(arg, call, out);
  for (int i = 0; i < 3; ++i) call->outputs[i] = out[i];
  return BERTH_OK;
}

static berth_code_t prepare_hits(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *trues = &prepare->op.inputs[0];
  BERTH_TRY(berth_op_hits(&prepare->op, err));
  hits_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (hits_t){trues->dims[0], trues->dims[1], prepare->op.inputs[1].count};
  prepare->run = run_hits;
  prepare->work = trues->count * plan->drawn;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_sample_kernels[] = {
    {.op = "UniformCandidateSampler", .prepare = prepare_uniform},
    {.op = "LogUniformCandidateSampler", .prepare = prepare_log_uniform},
    {.op = "FixedUnigramCandidateSampler", .prepare = prepare_fixed},
    {.op = "AllCandidateSampler", .prepare = prepare_all},
    {.op = "ComputeAccidentalHits", .prepare = prepare_hits},
    {.op = NULL},
};
