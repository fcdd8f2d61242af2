// shape_rule.c - Shapes by a rule: the ops of shapes.def.
//
// A rule is a text, "[a,?] * -> [a,3]", which the top of src/op/shapes.def
// explains. opgen has checked it: it names as many inputs and outputs as the op
// has arguments, and only attributes of the op.
//
// A list of inputs stands for one shape where its members agree, and for an
// unknown one where they do not; only their ranks are checked.
#include "graph/shape_rule.h"
#include "graph/shape_fn.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 26, MAX_ARGS = 32 };

// What is known so far: the shape of each input argument, and of each name.
typedef struct match {
  berth_shape_context_t *c;
  berth_dims_t shapes[MAX_ARGS];
  int64_t sizes[NAMES];
} match_t;

static const berth_dims_t unknown = {-1, NULL};

// Moves |*at| past the word it points to and the space behind.
static void next_word(const char **at) {
  *at += strcspn(*at, " ");
  *at += strspn(*at, " ");
}

// Moves |*at| past a size and the comma behind it.
static void next_size(const char **at) {
  *at += strcspn(*at, ",]");
  if (**at == ',') ++*at;
}

// Returns how many sizes are between the brackets at |word|.
static int32_t rank_of(const char *word) {
  if (word[1] == ']') return 0;
  int32_t rank = 1;
  for (; *word != ']'; ++word) rank += *word == ',';
  return rank;
}

static bool is_name(const char *at) { return *at >= 'a' && *at <= 'z'; }

static bool is_digit(const char *at) { return *at >= '0' && *at <= '9'; }

// ---- Inputs ----

// Returns what is known of the |count| inputs from |first| on.
static berth_dims_t shape_of_list(const berth_shape_context_t *c, int first,
                                  int count) {
  if (count == 0) return unknown;
  berth_dims_t shape = berth_shape_in(c, first);
  for (int i = 1; i < count; ++i) {
    berth_dims_t other = berth_shape_in(c, first + i);
    bool is_same =
        other.rank == shape.rank &&
        (shape.rank <= 0 || memcmp(other.dims, shape.dims,
                                   (size_t)shape.rank * sizeof(int64_t)) == 0);
    if (!is_same) return unknown;
  }
  return shape;
}

// Holds the sizes of |shape|, which has the rank of |word|, against its names
// and numbers.
static berth_code_t check_sizes(match_t *match, const char *word,
                                berth_dims_t shape, berth_error_t *err) {
  const char *at = word + 1;
  for (int32_t i = 0; i < shape.rank; ++i, next_size(&at)) {
    if (is_digit(at)) {
      BERTH_TRY(
          berth_shape_check_dim(shape.dims[i], strtoll(at, NULL, 10), err));
    } else if (is_name(at)) {
      int64_t *size = &match->sizes[*at - 'a'];
      BERTH_TRY(berth_shape_merge_dims(*size, shape.dims[i], size, err));
    }
  }
  return BERTH_OK;
}

static berth_code_t check_rank(match_t *match, const char *word, int input,
                               berth_dims_t *out_shape, berth_error_t *err) {
  berth_dims_t shape = berth_shape_in(match->c, input);
  if (word[0] == '[') {
    return berth_shape_with_rank(match->c, shape, rank_of(word), out_shape,
                                 err);
  }
  int32_t rank = (int32_t)strtol(word + 1, NULL, 10);
  if (word[0] == '>') return berth_shape_rank_at_least(shape, rank, err);
  if (word[0] == '<') return berth_shape_rank_at_most(shape, rank, err);
  return BERTH_OK;
}

// Looks at argument |arg|, about which the rule says |word|.
static berth_code_t check_arg(match_t *match, const char *word, int arg,
                              berth_error_t *err) {
  int first = 0, count = 0;
  const berth_arg_schema_t *schema = &match->c->node->op->inputs[arg];
  bool is_list = schema->number_attr >= 0 || schema->list_attr >= 0;
  berth_node_input_range(match->c->node, arg, &first, &count);
  berth_dims_t shape = shape_of_list(match->c, first, count);
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(check_rank(match, word, first + i, is_list ? NULL : &shape, err));
  }
  match->shapes[arg] = shape;
  if (is_list) return BERTH_OK;
  if (word[0] == '[') return check_sizes(match, word, shape, err);
  if (word[0] != '=') return BERTH_OK;
  berth_dims_t *other = &match->shapes[strtol(word + 1, NULL, 10)];
  BERTH_TRY(berth_shape_merge(match->c, *other, shape, other, err));
  match->shapes[arg] = *other;
  return BERTH_OK;
}

// ---- Outputs ----

// Copies the name at |at|, up to what ends it.
static void copy_name(const char *at, char name[64]) {
  size_t size = strcspn(at, ",] ");
  if (size > 63) size = 63;
  memcpy(name, at, size);
  name[size] = '\0';
}

static int64_t size_at(const match_t *match, const char *at) {
  if (is_digit(at)) return strtoll(at, NULL, 10);
  if (is_name(at)) return match->sizes[*at - 'a'];
  if (*at != '$') return -1;
  char name[64];
  copy_name(at + 1, name);
  return berth_node_attr_int(match->c->node, name, -1);
}

// Makes the shape in brackets at |word|.
static berth_code_t make_shape(match_t *match, const char *word,
                               berth_dims_t *out_shape, berth_error_t *err) {
  int32_t rank = rank_of(word);
  BERTH_TRY(berth_shape_unknown(match->c, rank, out_shape, err));
  int64_t *dims = (int64_t *)(uintptr_t)out_shape->dims;
  const char *at = word + 1;
  for (int32_t i = 0; i < rank; ++i, next_size(&at)) {
    dims[i] = size_at(match, at);
  }
  return BERTH_OK;
}

// Returns shape |index| of the attribute at |word|.
static berth_dims_t declared(const match_t *match, const char *word,
                             int index) {
  char name[64];
  copy_name(word + 1, name);
  const berth_attr_value_t *value = berth_node_attr(match->c->node, name);
  if (value == NULL) return unknown;
  if (value->kind == BERTH_ATTR_SHAPE) return value->shape;
  bool is_list =
      value->kind == (berth_attr_kind_t)(BERTH_ATTR_SHAPE + BERTH_ATTR_LIST);
  return is_list && index < value->count ? value->shape_list[index] : unknown;
}

static berth_code_t set_arg(match_t *match, const char *word, int arg,
                            berth_error_t *err) {
  int first = 0, count = 0;
  berth_node_output_range(match->c->node, arg, &first, &count);
  berth_dims_t shape = unknown;
  if (word[0] == '[') BERTH_TRY(make_shape(match, word, &shape, err));
  if (word[0] == '=') shape = match->shapes[strtol(word + 1, NULL, 10)];
  for (int i = 0; i < count; ++i) {
    if (word[0] == '@') shape = declared(match, word, i);
    berth_shape_set_out(match->c, first + i, shape);
  }
  return BERTH_OK;
}

berth_code_t berth_infer_by_rule(berth_shape_context_t *c, berth_error_t *err) {
  const berth_op_schema_t *op = c->node->op;
  const char *at = op->shape_rule;
  match_t match = {.c = c};
  for (int i = 0; i < NAMES; ++i) match.sizes[i] = -1;
  for (int i = 0; i < op->input_count; ++i, next_word(&at)) {
    BERTH_TRY(check_arg(&match, at, i, err));
  }
  next_word(&at);  // The arrow.
  for (int i = 0; i < op->output_count; ++i, next_word(&at)) {
    BERTH_TRY(set_arg(&match, at, i, err));
  }
  return BERTH_OK;
}
