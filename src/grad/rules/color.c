// color.c - Hue, saturation and value.
//
// Which of red, green and blue is the greatest and which the least decides the
// formula; a mask of ones and zeros stands for each case, and what it does not
// choose is multiplied by zero. Where two are the same, red goes before green
// and green before blue.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

typedef struct colors {
  berth_dtype_t type;
  value_t rgb[3];
  value_t saturation, value;
  value_t is_most[3], is_least[3];  // As numbers.
} colors_t;

// ---- Words of this formula ----

// Returns a[..., channel].
static value_t channel(berth_grad_t *g, value_t a, int64_t at) {
  berth_grad_push(g, "strided_slice");
  value_t begin =
      berth_grad_ints(g, "stack", BERTH_INT32, (int64_t[]){0, at}, 2);
  value_t end =
      berth_grad_ints(g, "stack_1", BERTH_INT32, (int64_t[]){0, at + 1}, 2);
  value_t step =
      berth_grad_ints(g, "stack_2", BERTH_INT32, (int64_t[]){1, 1}, 2);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "ellipsis_mask", 1);
  berth_op_attr_int(g->op, "shrink_axis_mask", 2);
  value_t made = MAKE(g, a, begin, end, step);
  berth_grad_pop(g);
  return made;
}

// Returns a number next to |a| by |op|, on its left or right.
static value_t with(berth_grad_t *g, const char *op, const char *name,
                    value_t a, double number, bool is_left) {
  berth_grad_push(g, name);
  value_t n = number_like(g, is_left ? "x" : "y", a, number);
  value_t made = is_left ? OP(g, op, BERTH_SCOPE_NAME, n, a)
                         : OP(g, op, BERTH_SCOPE_NAME, a, n);
  berth_grad_pop(g);
  return made;
}

static value_t negated(berth_grad_t *g, value_t a) {
  return with(g, "Mul", "mul", a, -1, false);
}

// Returns 1 / a, and 0 where a is.
static value_t inverse(berth_grad_t *g, const colors_t *c, value_t a) {
  berth_grad_push(g, "Cast");
  value_t one = berth_grad_number(g, "x", BERTH_FLOAT, 1);
  if (c->type != BERTH_FLOAT) {
    berth_grad_begin(g, "Cast", BERTH_SCOPE_NAME);
    berth_op_attr_type(g->op, "DstT", c->type);
    one = MAKE(g, one);
  }
  berth_grad_pop(g);
  return OP(g, "DivNoNan", "div_no_nan", one, a);
}

static value_t inverse_square(berth_grad_t *g, const colors_t *c, value_t a) {
  return inverse(g, c, OP(g, "Square", NULL, a));
}

// Returns 1 where both comparisons hold.
static value_t both(berth_grad_t *g, const colors_t *c, const char *first,
                    value_t a, value_t b, const char *second, value_t p,
                    value_t q) {
  value_t left = OP(g, first, NULL, a, b);
  value_t right = OP(g, second, NULL, p, q);
  value_t mask = OP(g, "LogicalAnd", "and", left, right);
  return berth_emit_cast(g, mask, c->type);
}

static void look(berth_grad_t *g, colors_t *c) {
  value_t hsv = out(g, 0);
  c->type = berth_grad_dtype(g, in(g, 0));
  for (int i = 0; i < 3; ++i) c->rgb[i] = channel(g, in(g, 0), i);
  c->saturation = channel(g, hsv, 1);
  c->value = channel(g, hsv, 2);
  value_t r = c->rgb[0], gr = c->rgb[1], b = c->rgb[2];
  static const char ge[] = "GreaterEqual", gt[] = "Greater", le[] = "LessEqual",
                    lt[] = "Less";
  c->is_most[0] = both(g, c, ge, r, b, ge, r, gr);
  c->is_most[1] = both(g, c, gt, gr, r, ge, gr, b);
  c->is_most[2] = both(g, c, gt, b, r, gt, b, gr);
  c->is_least[0] = both(g, c, lt, r, b, lt, r, gr);
  c->is_least[1] = both(g, c, le, gr, r, lt, gr, b);
  c->is_least[2] = both(g, c, le, b, r, le, b, gr);
}

// Returns 1 where channel |i| is not zero.
static value_t is_lit(berth_grad_t *g, const colors_t *c, int i) {
  berth_grad_push(g, "Greater");
  value_t zero = number_like(g, "y", c->rgb[i], 0);
  value_t lit = OP(g, "Greater", BERTH_SCOPE_NAME, c->rgb[i], zero);
  berth_grad_pop(g);
  return berth_emit_cast(g, lit, c->type);
}

// ---- Saturation ----

// Returns its slope by channel |i|; |a| and |b| are the others, in the order in
// which they are summed: MIN / MAX² where it is the greatest, -1 / MAX where it
// is the least.
static value_t saturation_by(berth_grad_t *g, const colors_t *c, int i,
                             const int *low, const int *high) {
  value_t lit = is_lit(g, c, i);
  value_t least = mul(g, c->is_least[low[0]], c->rgb[low[0]]);
  least =
      OP(g, "AddV2", "Add", least, mul(g, c->is_least[low[1]], c->rgb[low[1]]));
  value_t most_part = mul(g, c->is_most[i], least);
  most_part = mul(g, most_part, inverse_square(g, c, c->rgb[i]));
  value_t least_part = negated(g, c->is_least[i]);
  value_t most = mul(g, c->is_most[high[0]], c->rgb[high[0]]);
  most = add(g, most, mul(g, c->is_most[high[1]], c->rgb[high[1]]));
  least_part = mul(g, least_part, inverse(g, c, most));
  return mul(g, lit, OP(g, "AddV2", "Add", most_part, least_part));
}

// ---- Hue ----

typedef enum how { SQUARE, PLAIN, MINUS } how_t;

static value_t sixty(berth_grad_t *g, value_t a) {
  return with(g, "Mul", "mul", a, 60, true);
}

// The part where channel |i| itself is the greatest: -(a - b) / (s² v²).
static value_t hue_most(berth_grad_t *g, const colors_t *c, int i, int a,
                        int b) {
  value_t t = mul(g, is_lit(g, c, i), c->is_most[i]);
  t = negated(g, t);
  t = mul(g, t, sub(g, c->rgb[a], c->rgb[b]));
  t = mul(g, t, inverse_square(g, c, c->saturation));
  t = mul(g, t, inverse_square(g, c, c->value));
  return sixty(g, t);
}

// The part where |most| is the greatest and |least| the least: by the square of
// their difference p - q, times a - b; or by the difference itself.
static value_t hue_other(berth_grad_t *g, const colors_t *c, int most,
                         int least, how_t how, int a, int b, int p, int q) {
  value_t t = mul(g, is_lit(g, c, most), c->is_most[most]);
  t = mul(g, t, c->is_least[least]);
  if (how == MINUS) t = negated(g, t);
  if (how == SQUARE) t = mul(g, t, sub(g, c->rgb[a], c->rgb[b]));
  value_t by = sub(g, c->rgb[p], c->rgb[q]);
  by = how == SQUARE ? inverse_square(g, c, by) : inverse(g, c, by);
  return sixty(g, mul(g, t, by));
}

static value_t hue_sum(berth_grad_t *g, const value_t *parts) {
  value_t sum = add(g, parts[0], parts[1]);
  for (int i = 2; i < 5; ++i) sum = add(g, sum, parts[i]);
  return with(g, "RealDiv", "truediv", sum, 360, false);
}

enum { R, G, B };

static value_t hue_by_red(berth_grad_t *g, const colors_t *c) {
  value_t parts[5];
  parts[0] = hue_most(g, c, R, G, B);
  parts[1] = hue_other(g, c, G, R, SQUARE, B, G, R, G);
  parts[2] = hue_other(g, c, G, B, MINUS, 0, 0, G, B);
  parts[3] = hue_other(g, c, B, R, SQUARE, B, G, B, R);
  parts[4] = hue_other(g, c, B, G, PLAIN, 0, 0, B, G);
  return hue_sum(g, parts);
}

static value_t hue_by_green(berth_grad_t *g, const colors_t *c) {
  value_t parts[5];
  parts[0] = hue_most(g, c, G, B, R);
  parts[1] = hue_other(g, c, R, G, SQUARE, R, B, R, G);
  parts[2] = hue_other(g, c, R, B, PLAIN, 0, 0, R, B);
  parts[3] = hue_other(g, c, B, G, SQUARE, R, B, B, G);
  parts[4] = hue_other(g, c, B, R, MINUS, 0, 0, B, R);
  return hue_sum(g, parts);
}

static value_t hue_by_blue(berth_grad_t *g, const colors_t *c) {
  value_t parts[5];
  parts[0] = hue_most(g, c, B, R, G);
  parts[1] = hue_other(g, c, R, B, SQUARE, G, R, R, B);
  parts[2] = hue_other(g, c, R, G, MINUS, 0, 0, R, G);
  parts[3] = hue_other(g, c, G, B, SQUARE, G, R, G, B);
  parts[4] = hue_other(g, c, G, R, PLAIN, 0, 0, G, R);
  return hue_sum(g, parts);
}

// Returns the slope by all three of channel |at| of the result.
static value_t by_channel(berth_grad_t *g, value_t d, int at,
                          const value_t *slopes) {
  value_t parts[3];
  int count = 3;
  for (int i = 0; i < 3; ++i) {
    value_t own = channel(g, d, at);
    parts[i] = mul(g, own, slopes[i]);
  }
  berth_grad_begin(g, "Pack", "stack");
  berth_op_attr_int(g->op, "axis", -1);
  return berth_grad_make_lists(g, parts, &count, 1);
}

BERTH_GRAD(rgb_to_hsv) {
  value_t d = dy(g, 0);
  colors_t c;
  look(g, &c);
  value_t by_s[3], by_h[3];
  by_s[0] = saturation_by(g, &c, R, (int[]){G, B}, (int[]){G, B});
  by_s[1] = saturation_by(g, &c, G, (int[]){R, B}, (int[]){R, B});
  by_s[2] = saturation_by(g, &c, B, (int[]){G, R}, (int[]){G, R});
  by_h[0] = hue_by_red(g, &c);
  by_h[1] = hue_by_green(g, &c);
  by_h[2] = hue_by_blue(g, &c);
  value_t of_value = by_channel(g, d, 2, c.is_most);
  value_t of_saturation = by_channel(g, d, 1, by_s);
  value_t of_hue = by_channel(g, d, 0, by_h);
  value_t sum = OP(g, "AddV2", "Add", of_value, of_saturation);
  give(g, 0, OP(g, "AddV2", "Add", sum, of_hue));
}
