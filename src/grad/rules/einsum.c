// einsum.c - Sums of products, by an equation.
#include <stdio.h>
#include <string.h>

#include "grad/rules/operators.inc"
#include "grad/sizes.h"

enum { MOST_LABELS = 256 };
typedef char labels_t[MOST_LABELS];

static const char *const dots = "...";

static bool has(const char *labels, char label) {
  return strchr(labels, label) != NULL;
}

static void append(char *labels, char label) {
  size_t size = strlen(labels);
  if (size + 1 >= MOST_LABELS) return;
  labels[size] = label;
  labels[size + 1] = '\0';
}

static int distinct(const char *labels) {
  labels_t seen = "";
  for (; *labels != '\0'; ++labels) {
    if (!has(seen, *labels)) append(seen, *labels);
  }
  return (int)strlen(seen);
}

// Stores the labels of |from| that are in |other| or are not.
static void pick(const char *from, const char *other, bool is_in, char *out) {
  out[0] = '\0';
  for (; *from != '\0'; ++from) {
    if (has(other, *from) == is_in) append(out, *from);
  }
}

// Stores each label of |input| once that is in none of the others.
static void reduced_labels(const char *input, const char *output,
                           const char *other, char *out) {
  out[0] = '\0';
  for (; *input != '\0'; ++input) {
    bool is_kept = has(output, *input) || has(other, *input) || *input == '.';
    if (!is_kept && !has(out, *input)) append(out, *input);
  }
}

// Returns the axis of a label, counted from the end behind an ellipsis.
static int64_t axis_of(const char *labels, char label) {
  const char *gap = strstr(labels, dots);
  const char *at = strchr(labels, label);
  if (gap == NULL || at < gap) return at - labels;
  return at - (labels + strlen(labels));
}

static value_t einsum(berth_grad_t *g, const char *equation, value_t a,
                      value_t b) {
  value_t both[] = {a, b};
  int count = berth_out_is(b) ? 2 : 1;
  berth_grad_begin(g, "Einsum", NULL);
  berth_op_attr_string(g->op, "equation", equation, strlen(equation));
  return berth_grad_make_lists(g, both, &count, 1);
}

// ---- Labels that are summed over ----

// Returns the sizes at |axes|, one after the other.
static value_t sizes_at(berth_grad_t *g, value_t sizes, const int64_t *axes,
                        int count) {
  value_t items[MOST_LABELS];
  for (int i = 0; i < count; ++i) items[i] = berth_emit_item(g, sizes, axes[i]);
  berth_grad_begin(g, "Pack", "stack");
  return berth_grad_make_lists(g, items, &count, 1);
}

static value_t ones(berth_grad_t *g, int count) {
  int64_t size = count;
  berth_grad_push(g, "ones");
  value_t sizes = berth_grad_ints(g, "shape_as_tensor", BERTH_INT32, &size, 1);
  value_t one = berth_grad_int(g, "Const", BERTH_INT32, 1);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, one);
  berth_grad_pop(g);
  return made;
}

// Returns the slope by an input of which labels are summed over.
static value_t spread(berth_grad_t *g, value_t d, const char *output,
                      const char *input, value_t sizes, const char *reduced) {
  int64_t axes[MOST_LABELS];
  int count = (int)strlen(reduced);
  for (int i = 0; i < count; ++i) axes[i] = axis_of(input, reduced[i]);
  value_t reduced_sizes = sizes_at(g, sizes, axes, count);
  labels_t left;
  pick(input, reduced, false, left);
  bool is_plain = distinct(input) + distinct(output) ==
                  (int)(strlen(input) + strlen(output));
  if (is_plain && strcmp(left, output) == 0) {
    berth_sizes_t kept;
    value_t along = berth_grad_ints(g, "Const", BERTH_INT32, axes, count);
    berth_emit_reduced(g, sizes, along, &kept);
    d = berth_emit_reshaped(g, d, &kept);
    return fn2(g, "BroadcastTo", d, sizes);
  }
  value_t whole = berth_emit_shape(g, d);
  whole = berth_emit_concat(g, reduced_sizes, whole);
  value_t one = ones(g, count);
  value_t kept = berth_emit_concat(g, one, berth_emit_shape(g, d));
  d = fn2(g, "BroadcastTo", reshape(g, d, kept), whole);
  char equation[3 * MOST_LABELS];
  snprintf(equation, sizeof(equation), "%s%s->%s", reduced, output, input);
  return einsum(g, equation, d, NONE);
}

// ---- One input, and two ----

static void give_one(berth_grad_t *g, const char *input, const char *output) {
  value_t d = dy(g, 0), sizes = berth_emit_shape(g, in(g, 0));
  labels_t reduced;
  reduced_labels(input, output, "", reduced);
  if (reduced[0] != '\0') {
    give(g, 0, spread(g, d, output, input, sizes, reduced));
    return;
  }
  char equation[3 * MOST_LABELS];
  snprintf(equation, sizeof(equation), "%s->%s", output, input);
  give(g, 0, einsum(g, equation, d, NONE));
}

// Returns the slope by an input called |own|, the other one being |other|.
static value_t by_one(berth_grad_t *g, value_t d, value_t other, value_t sizes,
                      const char *own, const char *other_labels,
                      const char *output) {
  labels_t reduced, left;
  reduced_labels(own, output, other_labels, reduced);
  pick(own, reduced, false, left);
  char equation[3 * MOST_LABELS];
  snprintf(equation, sizeof(equation), "%s,%s->%s", output, other_labels, left);
  d = einsum(g, equation, d, other);
  if (reduced[0] == '\0') return d;
  return spread(g, d, left, own, sizes, reduced);
}

// Which axes an ellipsis stands for.
typedef struct gap {
  int64_t from, to;
} gap_t;

static gap_t gap_of(const char *labels) {
  const char *at = strstr(labels, dots);
  if (at == NULL) return (gap_t){0, 0};
  int64_t rest = (int64_t)strlen(at) - 3;
  return (gap_t){at - labels, rest > 0 ? -rest : BERTH_TO_END};
}

// True when both are known to have one shape where an ellipsis stands.
static bool same_gap(const berth_grad_t *g, value_t x, value_t y, gap_t p,
                     gap_t q) {
  berth_dims_t a = berth_grad_shape(g, x), b = berth_grad_shape(g, y);
  if (a.rank < 0 || b.rank < 0) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.dims[i] < 0) return false;
  }
  for (int i = 0; i < b.rank; ++i) {
    if (b.dims[i] < 0) return false;
  }
  int64_t a_end = p.to == BERTH_TO_END ? a.rank : a.rank + p.to;
  int64_t b_end = q.to == BERTH_TO_END ? b.rank : b.rank + q.to;
  if (a_end - p.from != b_end - q.from) return false;
  for (int64_t i = 0; i < a_end - p.from; ++i) {
    if (a.dims[p.from + i] != b.dims[q.from + i]) return false;
  }
  return true;
}

static value_t gathered(berth_grad_t *g, value_t d, value_t axes, int64_t from,
                        value_t sizes) {
  axes = with_number(g, "AddV2", "add", "x", axes, (double)from);
  return reshape(g, berth_emit_sum(g, d, axes, false), sizes);
}

// Adds an ellipsis where there is none.
static void add_dots(char *labels) {
  if (strstr(labels, dots) != NULL) return;
  for (int i = 0; i < 3; ++i) append(labels, '.');
}

static void give_two(berth_grad_t *g, char *x_labels, char *y_labels,
                     const char *output) {
  bool has_gap = strstr(output, dots) != NULL;
  if (has_gap) add_dots(x_labels);
  if (has_gap) add_dots(y_labels);
  value_t d = dy(g, 0);
  value_t x = conjugate(g, in(g, 0)), y = conjugate(g, in(g, 1));
  value_t sx = berth_emit_shape(g, x), sy = berth_emit_shape(g, y);
  value_t dx = by_one(g, d, y, sx, x_labels, y_labels, output);
  value_t by_y = by_one(g, d, x, sy, y_labels, x_labels, output);
  gap_t p = gap_of(x_labels), q = gap_of(y_labels);
  if (has_gap && !same_gap(g, x, y, p, q)) {
    value_t a = berth_emit_part(g, sx, p.from, p.to);
    value_t b = berth_emit_part(g, sy, q.from, q.to);
    value_t axes = fn2(g, "BroadcastGradientArgs", a, b);
    dx = gathered(g, dx, axes, p.from, sx);
    by_y = gathered(g, by_y, berth_out_at(axes, 1), q.from, sy);
  }
  give(g, 0, dx);
  give(g, 1, by_y);
}

BERTH_GRAD(einsum) {
  const char *equation = berth_node_attr_string(g->node, "equation", "");
  const char *arrow = strstr(equation, "->");
  const char *comma = strchr(equation, ',');
  if (arrow == NULL || strlen(equation) + 8 > MOST_LABELS) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "Einsum: no slope by the equation '%s'", equation);
    return;
  }
  labels_t first, second;
  const char *end = comma != NULL ? comma : arrow;
  snprintf(first, sizeof(first), "%.*s", (int)(end - equation), equation);
  if (comma == NULL) {
    give_one(g, first, arrow + 2);
    return;
  }
  snprintf(second, sizeof(second), "%.*s", (int)(arrow - comma - 1), comma + 1);
  give_two(g, first, second, arrow + 2);
}
