// half_test.c - Floats of sixteen bits and fewer.
#include "tensor/half.h"

#include "harness.h"
#include "tensor/float8.h"

static float ulp_up(float value) { return nextafterf(value, INFINITY); }

TEST(half, every_number_survives_a_round_trip) {
  for (uint32_t i = 0; i <= 0xffff; ++i) {
    float value = berth_half_to_float((uint16_t)i);
    if (isnan(value)) {
      EXPECT_TRUE(isnan(berth_half_to_float(berth_float_to_half(value))));
    } else {
      EXPECT_EQ(berth_float_to_half(value), i);
    }
  }
}

TEST(half, values) {
  EXPECT_TRUE(berth_half_to_float(0x3c00) == 1.0f);
  EXPECT_TRUE(berth_half_to_float(0xc000) == -2.0f);
  EXPECT_TRUE(berth_half_to_float(0x7bff) == 65504.0f);
  EXPECT_TRUE(berth_half_to_float(0x0001) == 0x1p-24f);
  EXPECT_TRUE(isinf(berth_half_to_float(0xfc00)));
}

TEST(half, rounds_to_nearest_even) {
  EXPECT_EQ(berth_float_to_half(2049.0f), 0x6800);  // 2048, not 2050.
  EXPECT_EQ(berth_float_to_half(2051.0f), 0x6802);  // 2052.
  EXPECT_EQ(berth_float_to_half(ulp_up(2049.0f)), 0x6801);
  EXPECT_EQ(berth_float_to_half(65519.996f), 0x7bff);
  EXPECT_EQ(berth_float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(berth_float_to_half(0x1p-25f), 0);
  EXPECT_EQ(berth_float_to_half(ulp_up(0x1p-25f)), 1);
  EXPECT_EQ(berth_float_to_half(-0.0f), 0x8000);
  EXPECT_TRUE(isnan(berth_half_to_float(berth_float_to_half(NAN))));
}

TEST(bfloat16, rounds_to_nearest_even) {
  EXPECT_EQ(berth_float_to_bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(berth_float_to_bfloat16(1.00390625f), 0x3f80);  // A tie, down.
  EXPECT_EQ(berth_float_to_bfloat16(1.01171875f), 0x3f82);  // A tie, up.
  EXPECT_EQ(berth_float_to_bfloat16(ulp_up(1.00390625f)), 0x3f81);
  EXPECT_EQ(berth_float_to_bfloat16(-INFINITY), 0xff80);
  EXPECT_EQ(berth_float_to_bfloat16(3.4e38f), 0x7f80);
  EXPECT_TRUE(isnan(berth_bfloat16_to_float(berth_float_to_bfloat16(NAN))));
}

static const berth_dtype_t small_types[] = {
    BERTH_FLOAT8_E5M2,        BERTH_FLOAT8_E4M3FN,   BERTH_FLOAT8_E4M3FNUZ,
    BERTH_FLOAT8_E4M3B11FNUZ, BERTH_FLOAT8_E5M2FNUZ, BERTH_FLOAT4_E2M1FN};

TEST(float8, every_number_survives_a_round_trip) {
  for (int t = 0; t < 6; ++t) {
    berth_float8_format_t format = berth_float8_format(small_types[t]);
    for (unsigned i = 0; i < 2u * format.sign_bit; ++i) {
      float value = berth_float8_to_float(format, (uint8_t)i);
      uint8_t back = berth_float8_from_float(format, value);
      if (isnan(value)) {
        EXPECT_TRUE(isnan(berth_float8_to_float(format, back)));
      } else {
        EXPECT_EQ(back, i);
      }
    }
  }
}

TEST(float8, largest_numbers_and_what_is_beyond) {
  static const float largest[] = {57344, 448, 240, 30, 57344, 6};
  static const int beyond[] = {0x7c, 0x7f, 0x80, 0x80, 0x80, 0x07};
  for (int t = 0; t < 6; ++t) {
    berth_float8_format_t format = berth_float8_format(small_types[t]);
    EXPECT_TRUE(berth_float8_to_float(format, format.largest) == largest[t]);
    EXPECT_EQ(berth_float8_from_float(format, 1e30f), beyond[t]);
    EXPECT_EQ(berth_float8_from_float(format, INFINITY), beyond[t]);
  }
}

TEST(float8, rounds_to_nearest_even) {
  berth_float8_format_t e4m3 = berth_float8_format(BERTH_FLOAT8_E4M3FN);
  EXPECT_EQ(berth_float8_from_float(e4m3, 17.0f), 0x58);  // 16, not 18.
  EXPECT_EQ(berth_float8_from_float(e4m3, 19.0f), 0x5a);  // 20.
  EXPECT_EQ(berth_float8_from_float(e4m3, 0x1p-10f), 0x00);
  EXPECT_EQ(berth_float8_from_float(e4m3, 0x1.8p-9f), 0x02);
  EXPECT_EQ(berth_float8_from_float(e4m3, -0.0f), 0x80);
  berth_float8_format_t fnuz = berth_float8_format(BERTH_FLOAT8_E4M3FNUZ);
  EXPECT_EQ(berth_float8_from_float(fnuz, -0.0f), 0x00);
  EXPECT_EQ(berth_float8_from_float(fnuz, -1e-9f), 0x00);
}
