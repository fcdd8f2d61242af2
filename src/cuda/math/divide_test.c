// divide_test.c - Division by prepared divisors, against the machine's own.
#include "cuda/math/divide.h"

#include "harness.h"

// Divides numbers around the multiples of |divisor|, where rounding would show.
static void expect_like_machine(uint32_t divisor) {
  berth_divider_t by = berth_divider(divisor);
  const uint64_t limit = BERTH_DIVIDE_LIMIT;
  EXPECT_EQ(by.divisor, divisor);
  uint64_t stride = (limit / divisor / 1000 + 1) * divisor;
  for (uint64_t near = 0; near < limit; near += stride) {
    for (uint64_t n = near > 0 ? near - 1 : 0; n <= near + 1 && n < limit;
         ++n) {
      EXPECT_EQ(BERTH_DIVIDE((uint32_t)n, by), (uint32_t)n / divisor);
    }
  }
  EXPECT_EQ(BERTH_DIVIDE((uint32_t)(limit - 1), by),
            (uint32_t)(limit - 1) / divisor);
}

TEST(divide, small_divisors) {
  for (uint32_t divisor = 1; divisor <= 300; ++divisor) {
    expect_like_machine(divisor);
  }
}

TEST(divide, powers_of_two_and_their_neighbours) {
  for (int bit = 9; bit < 31; ++bit) {
    uint32_t power = UINT32_C(1) << bit;
    expect_like_machine(power - 1);
    expect_like_machine(power);
    expect_like_machine(power + 1);
  }
  expect_like_machine(UINT32_C(0x7fffffff));
}

TEST(divide, everything_by_seven) {
  // The classic case whose multiplier needs 33 bits.
  berth_divider_t by = berth_divider(7);
  for (uint32_t n = 0; n < 3000000; ++n) {
    EXPECT_EQ(BERTH_DIVIDE(n, by), n / 7);
  }
}
