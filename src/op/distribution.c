// distribution.c - Random numbers whose distribution has parameters.
#include "op/distribution.h"

#include <string.h>

#include "graph/attr_print.h"
#include "graph/shape_fn.h"
#include "op/value.h"
#include "tensor/tensor.h"

typedef struct kind {
  const char *op;
  berth_law_t law;
  berth_random_start_t start;
} kind_t;

static const kind_t kinds[] = {
    {"RandomGamma", BERTH_LAW_GAMMA, BERTH_RANDOM_OWN},
    {"RandomPoisson", BERTH_LAW_POISSON, BERTH_RANDOM_OWN},
    {"RandomPoissonV2", BERTH_LAW_POISSON, BERTH_RANDOM_OWN},
    {"ParameterizedTruncatedNormal", BERTH_LAW_BOUNDED, BERTH_RANDOM_OWN},
    {"StatelessRandomGammaV2", BERTH_LAW_GAMMA, BERTH_RANDOM_SEED},
    {"StatelessRandomGammaV3", BERTH_LAW_GAMMA, BERTH_RANDOM_KEY},
    {"StatelessRandomPoisson", BERTH_LAW_POISSON, BERTH_RANDOM_SEED},
    {"StatelessRandomBinomial", BERTH_LAW_BINOMIAL, BERTH_RANDOM_SEED},
    {"StatefulRandomBinomial", BERTH_LAW_BINOMIAL, BERTH_RANDOM_STATE},
    {"StatelessParameterizedTruncatedNormal", BERTH_LAW_BOUNDED,
     BERTH_RANDOM_SEED},
};

static const kind_t *kind_of(const char *op) {
  const kind_t *kind = kinds;
  while (strcmp(kind->op, op) != 0) ++kind;
  return kind;
}

// Fails with |text| and all of |input|, as TensorFlow shows a tensor.
static berth_code_t fail_with(const char *text, const berth_case_input_t *input,
                              berth_error_t *err) {
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(berth_tensor_make(NULL, input->dtype, input->rank, input->dims,
                              input->count, &tensor, err));
  if (input->count > 0) memcpy(tensor->data, input->value, tensor->size);
  berth_str_t values = {0};
  char shape[BERTH_DIMS_TEXT];
  berth_tensor_summarize(tensor, 3, &values);
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "%sTensor<type: %s shape: %s values: %s>",
      text, berth_dtype_name(input->dtype), berth_input_text(input, shape),
      berth_str_get(&values));
  berth_str_clear(&values);
  berth_tensor_release(tensor);
  return code;
}

// ---- Checks ----

static int shape_index(berth_random_start_t start) {
  return start == BERTH_RANDOM_STATE ? 2 : 0;
}

static berth_code_t check_shape(const berth_case_t *op, const kind_t *kind,
                                berth_error_t *err) {
  const berth_case_input_t *shape = &op->inputs[shape_index(kind->start)];
  char text[BERTH_DIMS_TEXT];
  bool is_broad =
      kind->law == BERTH_LAW_BOUNDED || kind->law == BERTH_LAW_BINOMIAL;
  bool is_own = kind->start == BERTH_RANDOM_OWN;
  if (shape->rank == 1 && is_own && kind->law == BERTH_LAW_BOUNDED &&
      shape->count == 0) {
    return fail_with("Shape tensor must not be empty, got ", shape, err);
  }
  if (shape->rank == 1) return BERTH_OK;
  if (is_own && kind->law == BERTH_LAW_GAMMA) {
    return fail_with(
        "shape must be a vector of {int32,int64}, got shape: ", shape, err);
  }
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      is_broad ? "Input shape should be a vector, got shape: %s"
               : "shape must be a vector of {int32,int64}, got shape %s",
      berth_input_text(shape, text));
}

static berth_code_t check_start(const berth_case_t *op, berth_draws_t *draws,
                                berth_error_t *err) {
  draws->first = 1;
  if (draws->start == BERTH_RANDOM_SEED) {
    draws->first = 2;
    return berth_check_seed(&op->inputs[1], err);
  }
  if (draws->start == BERTH_RANDOM_OWN) return BERTH_OK;
  if (draws->start == BERTH_RANDOM_STATE) {
    draws->first = 3;
    return berth_check_algorithm(op, false, err);
  }
  draws->first = 4;
  draws->has_long_counter = op->inputs[2].count > 1;
  return berth_check_key(op, 1, err);
}

// ---- Sets of parameters ----

// Describes how parameters broadcast to the dimensions |sets|.
static berth_code_t set_levels(const berth_case_t *op, berth_dims_t sets,
                               berth_draws_t *draws, berth_error_t *err) {
  size_t levels = (size_t)sets.rank, count = (size_t)draws->parameters;
  int64_t *room =
      berth_arena_calloc(op->arena, levels * (count + 1) + 1, sizeof(*room));
  if (room == NULL) return berth_error_no_memory(err, "a plan");
  int64_t *steps = room + levels;
  draws->levels = sets.rank;
  draws->sets = 1;
  for (int32_t i = 0; i < sets.rank; ++i) {
    room[i] = sets.dims[i];
    draws->sets *= sets.dims[i];
  }
  for (int k = 0; k < draws->parameters; ++k) {
    const berth_case_input_t *input = &op->inputs[draws->first + k];
    int64_t step = 1;
    for (int32_t i = input->rank; i-- > 0;) {
      int32_t level = sets.rank - input->rank + i;
      if (input->dims[i] > 1) {
        steps[level * draws->parameters + k] = step;
      }
      step *= input->dims[i];
    }
  }
  draws->sizes = room;
  draws->steps = steps;
  return BERTH_OK;
}

// Stores the shape that all parameters broadcast to.
static berth_code_t broadcast_all(const berth_case_t *op,
                                  const berth_draws_t *draws,
                                  berth_shape_t *out, berth_error_t *err) {
  berth_shape_t both;
  const berth_case_input_t *in = &op->inputs[draws->first];
  berth_shape_set(out, (berth_dims_t){in[0].rank, in[0].dims});
  bool fits = true;
  for (int k = 1; fits && k < draws->parameters; ++k) {
    fits = berth_dims_broadcast(berth_shape_dims(out),
                                (berth_dims_t){in[k].rank, in[k].dims}, &both);
    if (fits) berth_shape_set(out, berth_shape_dims(&both));
  }
  if (fits) return BERTH_OK;
  char text[4][BERTH_DIMS_TEXT];
  for (int k = 0; k < draws->parameters; ++k) berth_input_text(&in[k], text[k]);
  if (draws->law == BERTH_LAW_BINOMIAL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "counts and probs must have compatible batch "
                           "dimensions: %s vs. %s",
                           text[0], text[1]);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "means, stddevs, minvals, maxvals must have "
                         "compatible batch dimensions: %s vs. %s vs. %s vs. %s",
                         text[0], text[1], text[2], text[3]);
}

// The output's last dimensions are those of the parameters.
static berth_code_t set_whole(berth_case_t *op, berth_draws_t *draws,
                              berth_error_t *err) {
  berth_shape_t sets;
  BERTH_TRY(broadcast_all(op, draws, &sets, err));
  berth_dims_t inner = berth_shape_dims(&sets);
  berth_dims_t outer = berth_shape_dims(&op->outputs[0]);
  bool ends = outer.rank >= inner.rank;
  for (int32_t i = 0; ends && i < inner.rank; ++i) {
    ends = outer.dims[outer.rank - inner.rank + i] == inner.dims[i];
  }
  if (!ends) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape passed in must end with broadcasted shape.");
  }
  return set_levels(op, inner, draws, err);
}

// The output's dimensions are |shape| and then those of the parameter.
static berth_code_t set_joined(berth_case_t *op, berth_draws_t *draws,
                               berth_error_t *err) {
  berth_dims_t inner = berth_case_input_dims(op, draws->first);
  for (int32_t i = 0; i < inner.rank; ++i) {
    BERTH_TRY(
        berth_shape_push(&op->outputs[0], &draws->count, inner.dims[i], err));
  }
  return set_levels(op, inner, draws, err);
}

// The output's first dimension is a number of sets, each with one element of
// every parameter, or the only one.
static berth_code_t set_rows(berth_case_t *op, berth_draws_t *draws,
                             berth_error_t *err) {
  enum { TOGETHER = 100 };  // Numbers that share parameters, as sets.
  static const char *const names[] = {"means", "stddevs", "minvals", "maxvals"};
  const berth_case_input_t *in = &op->inputs[draws->first];
  char text[BERTH_DIMS_TEXT];
  int64_t rows = berth_shape_dims(&op->outputs[0]).dims[0];
  bool is_one = true;
  draws->is_by_set = true;
  if (draws->count == 0) return BERTH_OK;
  for (int k = 0; k < 4; ++k) {
    is_one = is_one && in[k].count == 1;
    if (in[k].rank <= 1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %s should be a scalar or vector, got shape: "
                           "%s",
                           names[k], berth_input_text(&in[k], text));
  }
  if (is_one) rows = (draws->count + TOGETHER - 1) / TOGETHER;
  for (int k = 0; k < 4; ++k) {
    if (in[k].count == 1 || in[k].count == rows) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %s should have length 1 or shape[0], got "
                           "shape: %s",
                           names[k], berth_input_text(&in[k], text));
  }
  BERTH_TRY(set_levels(op, (berth_dims_t){1, &rows}, draws, err));
  draws->samples = is_one ? TOGETHER : draws->count / rows;
  return BERTH_OK;
}

berth_code_t berth_op_draws(berth_case_t *op, berth_draws_t *out_draws,
                            berth_error_t *err) {
  const kind_t *kind = kind_of(op->node->op->name);
  berth_draws_t made = {.law = kind->law, .start = kind->start};
  bool is_own = kind->start == BERTH_RANDOM_OWN;
  made.parameters = kind->law == BERTH_LAW_BOUNDED    ? 4
                    : kind->law == BERTH_LAW_BINOMIAL ? 2
                                                      : 1;
  BERTH_TRY(check_shape(op, kind, err));
  BERTH_TRY(berth_value_shape(&op->inputs[shape_index(kind->start)],
                              &op->outputs[0], &made.count, err));
  BERTH_TRY(check_start(op, &made, err));
  BERTH_TRY(!is_own                          ? set_whole(op, &made, err)
            : kind->law == BERTH_LAW_BOUNDED ? set_rows(op, &made, err)
                                             : set_joined(op, &made, err));
  BERTH_TRY(berth_value_check_size(berth_shape_dims(&op->outputs[0]),
                                   made.count, op->node->output_types[0], err));
  if (!made.is_by_set) {
    made.samples = made.sets > 0 ? made.count / made.sets : 0;
  }
  *out_draws = made;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// |shape|, and behind it the dimensions of the parameter.
BERTH_INFER(random_joined) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_from_value(c, 0, &shape, err));
  return berth_shape_join(c, shape, berth_shape_in(c, 1), &c->outputs[0], err);
}

BERTH_INFER(random_bounded) {
  for (int i = 1; i < 5; ++i) {
    BERTH_TRY(berth_shape_rank_at_most(berth_shape_in(c, i), 1, err));
  }
  return berth_shape_from_value(c, 0, &c->outputs[0], err);
}
