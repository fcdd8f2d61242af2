// eager_pin_test.c - What eager calls are using is not freed meanwhile.
#include "runtime/eager_pin.h"

#include "harness.h"

// Who may find an entry, having begun before it was unlinked, holds it back.
TEST(eager_pin, a_lookup_holds_back_what_it_may_find) {
  berth_eager_pin_t *pin = berth_eager_pin_get();
  ASSERT_TRUE(pin != NULL);
  berth_eager_use_t early = {0}, late = {0};
  berth_eager_pin_look(pin);
  berth_eager_use_retire(&early);
  EXPECT_FALSE(berth_eager_use_is_over(&early));
  berth_eager_pin_found(pin, NULL);
  EXPECT_TRUE(berth_eager_use_is_over(&early));
  // One that begins afterwards cannot find it any more.
  berth_eager_use_retire(&late);
  berth_eager_pin_look(pin);
  EXPECT_TRUE(berth_eager_use_is_over(&late));
  berth_eager_pin_found(pin, NULL);
}

// What a call has found stays until the call ends.
TEST(eager_pin, a_call_holds_back_what_it_has_found) {
  berth_eager_pin_t *pin = berth_eager_pin_get();
  ASSERT_TRUE(pin != NULL);
  berth_eager_use_t found = {0}, other = {0};
  berth_eager_pin_look(pin);
  berth_eager_pin_found(pin, &found);
  berth_eager_use_retire(&found);
  berth_eager_use_retire(&other);
  EXPECT_FALSE(berth_eager_use_is_over(&found));
  EXPECT_TRUE(berth_eager_use_is_over(&other));
  berth_eager_pin_end(pin, &found);
  EXPECT_TRUE(berth_eager_use_is_over(&found));
}

// So does what a call has found that another call is made in.
TEST(eager_pin, a_call_in_a_call_leaves_the_outer_one_its_own) {
  berth_eager_pin_t *pin = berth_eager_pin_get();
  ASSERT_TRUE(pin != NULL);
  berth_eager_use_t outer = {0}, inner = {0};
  berth_eager_pin_look(pin);
  berth_eager_pin_found(pin, &outer);
  berth_eager_pin_look(pin);
  berth_eager_pin_found(pin, &inner);
  berth_eager_use_retire(&outer);
  EXPECT_FALSE(berth_eager_use_is_over(&outer));
  berth_eager_pin_end(pin, &inner);
  EXPECT_FALSE(berth_eager_use_is_over(&outer));
  berth_eager_pin_end(pin, &outer);
  EXPECT_TRUE(berth_eager_use_is_over(&outer));
}
