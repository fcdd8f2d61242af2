// random.c - Random numbers.
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/distribution.h"
#include "op/source.h"
#include "op/value.h"

// One op of random numbers: what it gives, and where its sequence begins.
typedef struct kind {
  const char *op;
  berth_distribution_t distribution;
  berth_random_start_t start;
} kind_t;

static const kind_t kinds[] = {
    {"RandomUniform", BERTH_RANDOM_UNIFORM, BERTH_RANDOM_OWN},
    {"RandomStandardNormal", BERTH_RANDOM_NORMAL, BERTH_RANDOM_OWN},
    {"TruncatedNormal", BERTH_RANDOM_TRUNCATED, BERTH_RANDOM_OWN},
    {"RandomUniformInt", BERTH_RANDOM_INTEGERS, BERTH_RANDOM_OWN},
    {"StatelessRandomUniform", BERTH_RANDOM_UNIFORM, BERTH_RANDOM_SEED},
    {"StatelessRandomNormal", BERTH_RANDOM_NORMAL, BERTH_RANDOM_SEED},
    {"StatelessTruncatedNormal", BERTH_RANDOM_TRUNCATED, BERTH_RANDOM_SEED},
    {"StatelessRandomUniformInt", BERTH_RANDOM_INTEGERS, BERTH_RANDOM_SEED},
    {"StatelessRandomUniformFullInt", BERTH_RANDOM_BITS, BERTH_RANDOM_SEED},
    {"StatelessRandomUniformV2", BERTH_RANDOM_UNIFORM, BERTH_RANDOM_KEY},
    {"StatelessRandomNormalV2", BERTH_RANDOM_NORMAL, BERTH_RANDOM_KEY},
    {"StatelessTruncatedNormalV2", BERTH_RANDOM_TRUNCATED, BERTH_RANDOM_KEY},
    {"StatelessRandomUniformIntV2", BERTH_RANDOM_INTEGERS, BERTH_RANDOM_KEY},
    {"StatelessRandomUniformFullIntV2", BERTH_RANDOM_BITS, BERTH_RANDOM_KEY},
    {"StatefulUniform", BERTH_RANDOM_UNIFORM, BERTH_RANDOM_STATE},
    {"StatefulStandardNormal", BERTH_RANDOM_NORMAL, BERTH_RANDOM_STATE},
    {"StatefulStandardNormalV2", BERTH_RANDOM_NORMAL, BERTH_RANDOM_STATE},
    {"StatefulTruncatedNormal", BERTH_RANDOM_TRUNCATED, BERTH_RANDOM_STATE},
    {"StatefulUniformInt", BERTH_RANDOM_INTEGERS, BERTH_RANDOM_STATE},
    {"StatefulUniformFullInt", BERTH_RANDOM_BITS, BERTH_RANDOM_STATE},
};

static const kind_t *kind_of(const char *op) {
  const kind_t *kind = kinds;
  while (strcmp(kind->op, op) != 0) ++kind;
  return kind;
}

// Checks that the limits, inputs |first| and the next, are scalars.
static berth_code_t check_limits(const berth_case_t *op, int first,
                                 berth_error_t *err) {
  static const char *const names[] = {"minval", "maxval"};
  for (int i = 0; i < 2; ++i) {
    if (op->inputs[first + i].rank == 0) continue;
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be 0-D, got shape %s", names[i],
                           berth_input_text(&op->inputs[first + i], text));
  }
  return BERTH_OK;
}

berth_code_t berth_check_seed(const berth_case_input_t *seed,
                              berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (seed->dtype != BERTH_INT32 && seed->dtype != BERTH_INT64) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Invalid seed type: %s",
                           berth_dtype_name(seed->dtype));
  }
  if (seed->rank == 1 && seed->count == 2) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "seed must have shape [2], not %s",
                         berth_input_text(seed, text));
}

enum { PHILOX = 1, THREEFRY = 2, AUTO_SELECT = 3 };

static berth_code_t check_scalar(const berth_case_t *op, int index,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[index].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "input %d (0-based) must have shape [], not %s", index,
                         berth_input_text(&op->inputs[index], text));
}

berth_code_t berth_check_algorithm(const berth_case_t *op, bool knows_others,
                                   berth_error_t *err) {
  BERTH_TRY(check_scalar(op, 1, err));
  int64_t alg = berth_value_int(&op->inputs[1], 0);
  if (alg == PHILOX || alg == AUTO_SELECT) return BERTH_OK;
  if (alg == THREEFRY && knows_others) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "Non-XLA devices don't support the ThreeFry algorithm.");
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Unsupported algorithm id: %lld", (long long)alg);
}

static berth_code_t check_counter(int32_t alg,
                                  const berth_case_input_t *counter,
                                  berth_error_t *err) {
  int32_t chosen = alg == AUTO_SELECT ? PHILOX : alg;
  // As in TensorFlow, the number of the algorithm stands for the length.
  if (counter->rank != 1 || counter->count < chosen) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "counter must be a vector with length at least %d; "
                           "got shape: %s. (Note that batched counters are not "
                           "supported yet.)",
                           (int)chosen, berth_input_text(counter, text));
  }
  if (chosen == PHILOX) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Unsupported algorithm id: %d", (int)alg);
}

berth_code_t berth_check_key(const berth_case_t *op, int first,
                             berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  const berth_case_input_t *key = &op->inputs[first];
  const berth_case_input_t *alg = &op->inputs[first + 2];
  BERTH_TRY(check_scalar(op, first + 2, err));
  if (key->rank == 1 && key->count == 1) {
    return check_counter(*(const int32_t *)alg->value, &op->inputs[first + 1],
                         err);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "key must have shape [1], not %s. (Note that batched "
                         "keys are not supported yet.)",
                         berth_input_text(key, text));
}

// Sets output 0 to the shape that input |index| spells.
static berth_code_t set_shape(berth_case_t *op, int index, int64_t *out_count,
                              berth_error_t *err) {
  const berth_case_input_t *shape = &op->inputs[index];
  if (shape->rank != 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "shape must be a vector of {int32,int64}, got "
                           "shape %s",
                           berth_input_text(shape, text));
  }
  BERTH_TRY(berth_value_shape(shape, &op->outputs[0], out_count, err));
  return berth_value_check_size(berth_shape_dims(&op->outputs[0]), *out_count,
                                op->node->output_types[0], err);
}

berth_code_t berth_op_ints(berth_case_t *op, int64_t *out_count,
                           berth_error_t *err) {
  return set_shape(op, 0, out_count, err);
}

berth_code_t berth_op_skip(berth_case_t *op, berth_error_t *err) {
  static const int64_t dims[] = {3};
  BERTH_TRY(berth_check_algorithm(op, true, err));
  BERTH_TRY(check_scalar(op, 2, err));
  if (op->output_count > 0) berth_case_output(op, 0, (berth_dims_t){1, dims});
  return BERTH_OK;
}

berth_code_t berth_op_random(berth_case_t *op, berth_random_t *out_random,
                             berth_error_t *err) {
  const kind_t *kind = kind_of(op->node->op->name);
  berth_random_t made = {.distribution = kind->distribution,
                         .start = kind->start,
                         .dtype = op->node->output_types[0]};
  bool is_state = made.start == BERTH_RANDOM_STATE;
  // The first version has the algorithm in its state.
  bool is_first = is_state && op->input_count == 2;
  BERTH_TRY(set_shape(op, !is_state ? 0 : is_first ? 1 : 2, &made.count, err));
  if (is_state && !is_first) BERTH_TRY(berth_check_algorithm(op, true, err));
  if (made.start == BERTH_RANDOM_SEED) {
    BERTH_TRY(berth_check_seed(&op->inputs[1], err));
  } else if (made.start == BERTH_RANDOM_KEY) {
    BERTH_TRY(berth_check_key(op, 1, err));
    made.has_long_counter = op->inputs[2].count > 1;
  }
  made.limits = op->input_count - 2;
  if (made.distribution == BERTH_RANDOM_INTEGERS) {
    BERTH_TRY(check_limits(op, made.limits, err));
  }
  made.group = berth_dtype_size(made.dtype) == 8 ? 2 : 4;
  *out_random = made;
  return BERTH_OK;
}

static int64_t limit_of(berth_dtype_t dtype, const void *value) {
  return dtype == BERTH_INT64 ? *(const int64_t *)value
                              : *(const int32_t *)value;
}

berth_code_t berth_random_limits(berth_dtype_t dtype, const void *minval,
                                 const void *maxval, uint64_t *out_low,
                                 uint64_t *out_range, berth_error_t *err) {
  int64_t low = limit_of(dtype, minval), high = limit_of(dtype, maxval);
  if (low >= high) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Need minval < maxval, got %lld >= %lld",
                           (long long)low, (long long)high);
  }
  *out_low = (uint64_t)low;
  *out_range = (uint64_t)high - (uint64_t)low;
  return BERTH_OK;
}

// ---- SobolSample ----

berth_code_t berth_op_sobol(berth_case_t *op, int64_t out_sizes[3],
                            berth_error_t *err) {
  static const char *const names[] = {"dim", "num_results", "skip"};
  static const char *const least[] = {"at least one", "at least one",
                                      "non-negative"};
  for (int i = 0; i < 3; ++i) {
    if (op->inputs[i].rank == 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s must be a scalar",
                           names[i]);
  }
  for (int i = 0; i < 3; ++i) {
    out_sizes[i] = berth_value_int(&op->inputs[i], 0);
    if (out_sizes[i] >= (i < 2)) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s must be %s",
                           names[i], least[i]);
  }
  if (out_sizes[0] > 21200) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "dim must be at most 21200");
  }
  if (out_sizes[1] + out_sizes[2] >= INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_results+skip must be less than %d", INT32_MAX);
  }
  int64_t dims[] = {out_sizes[1], out_sizes[0]};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}

// ---- Multinomial ----

berth_code_t berth_op_multinomial(berth_case_t *op, int64_t *out_count,
                                  berth_error_t *err) {
  const berth_case_input_t *logits = &op->inputs[0], *count = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (logits->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "logits should be a matrix, got shape %s",
                           berth_input_text(logits, text));
  }
  if (count->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_samples should be a scalar, got shape %s",
                           berth_input_text(count, text));
  }
  *out_count = berth_value_int(count, 0);
  if (*out_count < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_samples should be non-negative, got %lld",
                           (long long)*out_count);
  }
  if (logits->dims[0] > 0 && logits->dims[1] == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_classes should be positive, got 0");
  }
  if (op->input_count > 2) BERTH_TRY(berth_check_seed(&op->inputs[2], err));
  int64_t dims[2] = {logits->dims[0], *out_count};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}

berth_code_t berth_op_key_counter(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *seed = &op->inputs[0];
  static const int64_t dims[] = {1, 2};
  BERTH_TRY(berth_check_seed(seed, err));
  for (int i = 0; i < 2; ++i) {
    berth_case_output(op, i, (berth_dims_t){.rank = 1, .dims = &dims[i]});
  }
  if (op->output_count > 2) berth_case_output(op, 2, BERTH_SCALAR);
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(random) {
  return berth_shape_from_value(c, 0, &c->outputs[0], err);
}

// Checks that input |index|, called |name|, is a scalar.
static berth_code_t check_bound(berth_shape_context_t *c, int index,
                                const char *name, berth_error_t *err) {
  berth_dims_t shape = berth_shape_in(c, index);
  if (shape.rank <= 0) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be a scalar; got a tensor of shape %s", name,
                         berth_dims_text(shape, text));
}

// A generator's state, an algorithm, and then a shape.
BERTH_INFER(stateful) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  return berth_shape_from_value(c, 2, &c->outputs[0], err);
}

BERTH_INFER(stateful_first) {
  return berth_shape_from_value(c, 1, &c->outputs[0], err);
}

BERTH_INFER(sobol) {
  int64_t *dims = berth_shape_room(c, 2);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int i = 0; i < 3; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, NULL, err));
  }
  for (int i = 0; i < 2; ++i) {  // What is below zero fails when it runs.
    const berth_tensor_t *size = berth_shape_value(c, 1 - i);
    dims[i] = size != NULL ? berth_value_int_at(size, 0) : -1;
    if (dims[i] < 0) dims[i] = -1;
  }
  c->outputs[0] = (berth_dims_t){2, dims};
  return BERTH_OK;
}

BERTH_INFER(random_int) {
  BERTH_TRY(check_bound(c, 1, "minval", err));
  BERTH_TRY(check_bound(c, 2, "maxval", err));
  return berth_infer_random(c, err);
}

BERTH_INFER(multinomial) {
  berth_dims_t logits;
  int64_t count = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &logits, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  BERTH_TRY(berth_shape_size(c, 1, &count, err));
  return berth_shape_replace(c, logits, 1, count, &c->outputs[0], err);
}

// Checks that input |index| has |rank|.
static berth_code_t check_rank(berth_shape_context_t *c, int index,
                               int32_t rank, berth_error_t *err) {
  return berth_shape_with_rank(c, berth_shape_in(c, index), rank, NULL, err);
}

// Checks that input |index| is a vector of two.
static berth_code_t check_pair(berth_shape_context_t *c, int index,
                               berth_error_t *err) {
  BERTH_TRY(check_rank(c, index, 1, err));
  return berth_shape_check_dim(berth_shape_dim(berth_shape_in(c, index), 0), 2,
                               err);
}

BERTH_INFER(stateless_multinomial) {
  BERTH_TRY(check_pair(c, 2, err));
  return berth_infer_multinomial(c, err);
}

BERTH_INFER(stateless) {
  BERTH_TRY(check_pair(c, 1, err));
  return berth_infer_random(c, err);
}

BERTH_INFER(stateless_bounded) {
  berth_dims_t all = berth_shape_in(c, 2);
  BERTH_TRY(check_pair(c, 1, err));
  for (int i = 3; i < 6; ++i) {
    BERTH_TRY(berth_shape_broadcast(c, berth_shape_in(c, i), all, &all, err));
  }
  return berth_infer_random(c, err);
}

BERTH_INFER(stateless_int) {
  BERTH_TRY(check_bound(c, 2, "minval", err));
  BERTH_TRY(check_bound(c, 3, "maxval", err));
  return berth_infer_stateless(c, err);
}

BERTH_INFER(stateless_keyed) {
  BERTH_TRY(check_rank(c, 1, 1, err));
  BERTH_TRY(check_rank(c, 2, 1, err));
  BERTH_TRY(check_rank(c, 3, 0, err));
  return berth_infer_random(c, err);
}

BERTH_INFER(stateless_keyed_int) {
  BERTH_TRY(check_bound(c, 4, "minval", err));
  BERTH_TRY(check_bound(c, 5, "maxval", err));
  return berth_infer_stateless_keyed(c, err);
}

BERTH_INFER(key_counter) {
  static const int64_t dims[] = {1, 2};
  BERTH_TRY(check_pair(c, 0, err));
  c->outputs[0] = (berth_dims_t){.rank = 1, .dims = &dims[0]};
  c->outputs[1] = (berth_dims_t){.rank = 1, .dims = &dims[1]};
  if (c->node->output_count > 2) c->outputs[2] = BERTH_SCALAR;
  return BERTH_OK;
}
