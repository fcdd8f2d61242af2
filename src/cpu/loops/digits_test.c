// digits_test.c - Numbers as digits and back: what the C library does, to the last
// bit.
#include "cpu/loops/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static uint64_t random_bits(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
  uint64_t x = *state;
  return (x >> 29 ^ x) * UINT64_C(0xbf58476d1ce4e5b9);
}

// Numbers of all kinds: few digits, halves, floats, any exponent.
static double some_number(uint64_t *state) {
  uint64_t bits = random_bits(state);
  double small = (double)(int64_t)(bits >> 40) - 8e6;
  switch (bits % 6) {
    case 0:
      return small / 1000;
    case 1:
      return small / 64;
    case 2:
      return (double)(float)(small / 1.7e7);
    case 3:
      return ldexp(small, (int)(random_bits(state) % 160) - 90);
    case 4:
      return round(small / 1e4) *
             pow(10, (double)(random_bits(state) % 30) - 15);
    default: {
      double any = 0;
      bits = random_bits(state);
      memcpy(&any, &bits, sizeof(any));
      return any;
    }
  }
}

static void expect_written(double value, char notation, int precision) {
  char wanted[512], found[BERTH_DIGITS_ROOM + 1], directive[] = "%.*f";
  size_t size = berth_digits_write(value, notation, precision, found);
  if (size == 0) return;
  found[size] = '\0';
  directive[3] = notation;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(wanted, sizeof(wanted), directive, precision, value);
#pragma GCC diagnostic pop
  EXPECT_STR(wanted, found);
}

TEST(digits, writes_what_printf_writes) {
  uint64_t state = 1;
  for (int i = 0; i < 400000; ++i) {
    double value = some_number(&state);
    int precision = (int)(random_bits(&state) % 17);
    expect_written(value, "feg"[i % 3], i % 2 == 0 ? 6 : precision);
  }
}

TEST(digits, common_numbers_go_the_quick_way) {
  char out[BERTH_DIGITS_ROOM];
  static const double numbers[] = {0,    -0.0,  0.5,     1.0 / 3, 123456.789,
                                   1e-5, 9.995, 1234567, 1e15,    -2.5e-9};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(berth_digits_write(numbers[i], "feg"[k], 6, out) > 0);
      expect_written(numbers[i], "feg"[k], 6);
    }
  }
  EXPECT_EQ(0, (int)berth_digits_write((double)INFINITY, 'f', 6, out));
  EXPECT_EQ(0, (int)berth_digits_write((double)NAN, 'g', 6, out));
}

TEST(digits, writes_whole_numbers) {
  static const int64_t numbers[] = {0, 7, -7, 10, 999, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
    char wanted[32], found[BERTH_DIGITS_ROOM];
    found[berth_digits_write_int(numbers[i], found)] = '\0';
    snprintf(wanted, sizeof(wanted), "%lld", (long long)numbers[i]);
    EXPECT_STR(wanted, found);
  }
}

static void expect_read(const char *text) {
  double wide = 0;
  float narrow = 0;
  if (berth_digits_read(text, strlen(text), &wide)) {
    double wanted = strtod(text, NULL);
    EXPECT_EQ(0, memcmp(&wide, &wanted, sizeof(wanted)));
  }
  if (berth_digits_read_float(text, strlen(text), &narrow)) {
    float wanted = strtof(text, NULL);
    EXPECT_EQ(0, memcmp(&narrow, &wanted, sizeof(wanted)));
  }
}

TEST(digits, reads_what_the_library_reads) {
  uint64_t state = 2;
  for (int i = 0; i < 400000; ++i) {
    char text[512];
    double value = some_number(&state);
    int precision = (int)(random_bits(&state) % 12);
    if (i % 3 == 0) snprintf(text, sizeof(text), "%.*f", precision, value);
    if (i % 3 == 1) snprintf(text, sizeof(text), "%.*e", precision, value);
    // Half way between two floats, and a little beside that.
    double half = (double)(float)value * (1 + ldexp(1, -24));
    if (i % 3 == 2) snprintf(text, sizeof(text), "%.*g", 8 + precision, half);
    expect_read(text);
  }
  expect_read("16777217");
  expect_read("16777219.000000001");
  expect_read("-0");
}

TEST(digits, leaves_what_is_no_plain_number) {
  static const char *const texts[] = {"",    "-",     ".",      "e5",  "1e",
                                      "1e+", "0x10",  "1 ",     "+1",  "inf",
                                      "nan", "1.2.3", "1e1000", "--1", "1e5x"};
  double wide = 0;
  int64_t whole = 0;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
    EXPECT_FALSE(berth_digits_read(texts[i], strlen(texts[i]), &wide));
    EXPECT_FALSE(berth_digits_read_int(texts[i], strlen(texts[i]), &whole));
  }
  EXPECT_FALSE(berth_digits_read_int("1234567890123456789", 19, &whole));
  EXPECT_TRUE(berth_digits_read_int("-123456789012345678", 19, &whole));
  EXPECT_TRUE(whole == INT64_C(-123456789012345678));
}
