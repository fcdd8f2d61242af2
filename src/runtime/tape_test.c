// tape_test.c - Tapes: what they note, slopes of slopes, a lack of memory.
#include "berth/tape.h"

#include "base/fault.h"
#include "berth/berth.h"
#include "harness.h"

static berth_tensor_t *scalar(float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &tensor,
                             NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
  }
  return tensor;
}

static float value_of(const berth_tensor_t *tensor) {
  return tensor == NULL ? NAN : *(const float *)berth_tensor_data(tensor);
}

static berth_code_t mul(berth_context_t *context, berth_tape_t *const *tapes,
                        int count, berth_tensor_t *a, berth_tensor_t *b,
                        berth_tensor_t **out, berth_error_t *err) {
  int outputs = 1;
  return berth_tape_call(context, tapes, count, "Mul", NULL, NULL,
                         (berth_tensor_t *[]){a, b}, 2, out, &outputs, err);
}

// Stores the slope of |y| by |x|; calls are noted by |tapes|.
static berth_code_t slope(const berth_tape_t *tape, berth_tensor_t *y,
                          berth_tensor_t *x, berth_tape_t *const *tapes,
                          int count, berth_tensor_t **out, berth_error_t *err) {
  berth_tape_slope_t found = {0};
  berth_tape_wish_t wish = {.ys = &y,
                            .y_count = 1,
                            .xs = &x,
                            .x_count = 1,
                            .slopes = &found,
                            .tapes = tapes,
                            .tape_count = count};
  berth_code_t code = berth_tape_gradient(tape, &wish, err);
  if (code == BERTH_OK) *out = found.values;
  return code;
}

// The first and second slope of x * x * x.
typedef struct cube {
  berth_tensor_t *x, *square, *y, *first, *second;
} cube_t;

static berth_code_t cube_run(berth_context_t *context, cube_t *c,
                             berth_error_t *err) {
  berth_tape_t *tapes[2] = {NULL, NULL};
  berth_code_t code = berth_tape_create(context, &tapes[0], err);
  if (code == BERTH_OK) code = berth_tape_create(context, &tapes[1], err);
  for (int i = 0; code == BERTH_OK && i < 2; ++i) {
    code = berth_tape_watch(tapes[i], c->x, err);
  }
  if (code == BERTH_OK) {
    code = mul(context, tapes, 2, c->x, c->x, &c->square, err);
  }
  if (code == BERTH_OK) {
    code = mul(context, tapes, 2, c->square, c->x, &c->y, err);
  }
  if (code == BERTH_OK) {
    code = slope(tapes[1], c->y, c->x, tapes, 1, &c->first, err);
  }
  if (code == BERTH_OK) {
    code = slope(tapes[0], c->first, c->x, NULL, 0, &c->second, err);
  }
  for (int i = 0; i < 2; ++i) berth_tape_destroy(tapes[i]);
  return code;
}

static void cube_clear(cube_t *c) {
  berth_tensor_release(c->x);
  berth_tensor_release(c->square);
  berth_tensor_release(c->y);
  berth_tensor_release(c->first);
  berth_tensor_release(c->second);
}

TEST(tape, gives_slopes_of_slopes) {
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  cube_t c = {.x = scalar(2)};
  ASSERT_OK(cube_run(context, &c, &err), &err);
  EXPECT_EQ(value_of(c.y), 8);
  EXPECT_EQ(value_of(c.first), 12);
  EXPECT_EQ(value_of(c.second), 12);
  cube_clear(&c);
  berth_context_destroy(context);
}

TEST(tape, forgets_what_nobody_watches) {
  berth_context_t *context = NULL;
  berth_tape_t *tape = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  ASSERT_OK(berth_tape_create(context, &tape, &err), &err);
  berth_tensor_t *x = scalar(3), *y = NULL, *dx = NULL;
  ASSERT_OK(mul(context, &tape, 1, x, x, &y, &err), &err);
  ASSERT_OK(slope(tape, y, x, NULL, 0, &dx, &err), &err);
  EXPECT_TRUE(dx == NULL);
  berth_tensor_release(x);
  berth_tensor_release(y);
  berth_tape_destroy(tape);
  berth_context_destroy(context);
}

TEST(tape, survives_a_lack_of_memory_at_every_point) {
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  int64_t nth = 1;
  for (; code == BERTH_RESOURCE_EXHAUSTED && nth < 100000; ++nth) {
    cube_t c = {.x = scalar(2)};
    berth_fault_arm("alloc", nth);
    code = cube_run(context, &c, &err);
    berth_fault_disarm();
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    if (code == BERTH_OK) EXPECT_EQ(value_of(c.second), 12);
    berth_error_clear(&err);
    cube_clear(&c);
  }
  EXPECT_EQ(code, BERTH_OK);
  EXPECT_TRUE(nth > 10);
  berth_context_destroy(context);
}
