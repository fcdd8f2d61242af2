// float_env_test.c - Tests of the setting that makes denormal numbers zero.
#include "base/float_env.h"

#include <float.h>

#include "harness.h"

#if !defined(__SSE2__) && !defined(__aarch64__)
#define HAS_SWITCH false
#else
#define HAS_SWITCH true
#endif

static volatile float smallest = FLT_MIN;

static bool flushes(void) { return smallest * 0.5F == 0; }

TEST(float_env, flushes_until_it_is_left) {
  EXPECT_FALSE(flushes());
  berth_float_env_t before = berth_float_env_enter();
  EXPECT_EQ(flushes(), HAS_SWITCH);
  berth_float_env_leave(before);
  EXPECT_FALSE(flushes());
}

// An inner one changes nothing, and leaves the outer one alone; neither do the
// notes that arithmetic leaves in the same register.
TEST(float_env, may_be_entered_again) {
  berth_float_env_t outer = berth_float_env_enter();
  volatile float third = 1.0F / (smallest + 2.0F);
  berth_float_env_t inner = berth_float_env_enter();
  third = third / 3.0F;
  EXPECT_EQ(flushes(), HAS_SWITCH);
  berth_float_env_leave(inner);
  EXPECT_EQ(flushes(), HAS_SWITCH);
  berth_float_env_leave(outer);
  EXPECT_FALSE(flushes());
}

#if defined(__SSE2__)
// What else the caller has set is as it was: how to round, what traps.
TEST(float_env, gives_back_the_callers_setting) {
  unsigned own = _mm_getcsr();
  unsigned settings[] = {own, own | 0x2000, own | 0x8000, own | 0x0040,
                         own | BERTH_FLOAT_ENV_FLUSHES};
  for (int i = 0; i < 5; ++i) {
    _mm_setcsr(settings[i]);
    berth_float_env_t before = berth_float_env_enter();
    unsigned inside = _mm_getcsr();
    berth_float_env_leave(before);
    unsigned after = _mm_getcsr();
    _mm_setcsr(own);
    EXPECT_EQ(inside & BERTH_FLOAT_ENV_FLUSHES, BERTH_FLOAT_ENV_FLUSHES);
    EXPECT_EQ(after & ~0x3fU, settings[i] & ~0x3fU);  // But notes.
  }
}
#endif
