// accumulator_test.c - Accumulators: takes that wait, and are given up.
#include "state/accumulator.h"

#include "harness.h"

static berth_tensor_t *number(float value) {
  berth_tensor_t *tensor = NULL;
  (void)berth_tensor_make(NULL, BERTH_FLOAT, 0, NULL, 1, &tensor, NULL);
  *(float *)tensor->data = value;
  return tensor;
}

static void apply(berth_accumulator_t *accumulator, int64_t step, float value) {
  berth_tensor_t *gradient = number(value);
  EXPECT_EQ(berth_accumulator_apply(accumulator, step, gradient, NULL),
            BERTH_OK);
  berth_tensor_release(gradient);
}

static berth_accumulator_t *make(berth_container_t **out_container) {
  berth_accumulator_options_t options = {.dtype = BERTH_FLOAT, .is_mean = true};
  berth_accumulator_t *made = NULL;
  (void)berth_container_create(out_container, NULL);
  (void)berth_accumulator_get(*out_container, "", "a", &options, &made, NULL);
  return made;
}

// What a waiter was told.
typedef struct told {
  int times;
  berth_code_t code;
  float value;
} told_t;

static void tell(berth_accumulator_waiter_t *waiter, berth_code_t code,
                 const char *text, berth_tensor_t **outputs) {
  told_t *told = waiter->arg;
  (void)text;
  ++told->times;
  told->code = code;
  if (outputs == NULL) return;
  told->value = *(float *)outputs[0]->data;
  berth_tensor_release(outputs[0]);
}

TEST(accumulator, serves_takes_in_order) {
  berth_container_t *container = NULL;
  berth_accumulator_t *accumulator = make(&container);
  told_t told[2] = {{0}};
  berth_accumulator_waiter_t waiters[2];
  bool parked = false;
  for (int i = 0; i < 2; ++i) {
    waiters[i] = (berth_accumulator_waiter_t){.done = tell, .arg = &told[i]};
    EXPECT_EQ(berth_accumulator_take(accumulator, 2 - i, &waiters[i], NULL,
                                     &parked, NULL),
              BERTH_OK);
    EXPECT_TRUE(parked);
  }
  // One would be enough for the second, which waits for the first.
  apply(accumulator, 0, 1);
  EXPECT_EQ(told[0].times + told[1].times, 0);
  apply(accumulator, 0, 3);
  EXPECT_EQ(told[0].times, 1);
  EXPECT_NEAR(told[0].value, 2, 0);
  apply(accumulator, 0, 9);  // Of the step that is over.
  EXPECT_EQ(told[1].times, 0);
  apply(accumulator, 1, 5);
  EXPECT_NEAR(told[1].value, 5, 0);
  EXPECT_EQ(berth_accumulator_count(accumulator), 0);
  berth_resource_release((berth_resource_t *)accumulator);
  berth_container_destroy(container);
}

TEST(accumulator, gives_a_take_up) {
  berth_container_t *container = NULL;
  berth_accumulator_t *accumulator = make(&container);
  told_t told[2] = {{0}};
  berth_accumulator_waiter_t first = {.done = tell, .arg = &told[0]};
  berth_accumulator_waiter_t second = {.done = tell, .arg = &told[1]};
  bool parked = false;
  apply(accumulator, 0, 7);
  (void)berth_accumulator_take(accumulator, 5, &first, NULL, &parked, NULL);
  (void)berth_accumulator_take(accumulator, 1, &second, NULL, &parked, NULL);
  EXPECT_EQ(told[1].times, 0);
  berth_accumulator_cancel(&first);
  EXPECT_EQ(told[0].code, BERTH_CANCELLED);
  EXPECT_EQ(told[1].code, BERTH_OK);
  EXPECT_NEAR(told[1].value, 7, 0);
  berth_accumulator_cancel(&first);
  EXPECT_EQ(told[0].times, 1);
  berth_resource_release((berth_resource_t *)accumulator);
  berth_container_destroy(container);
}
