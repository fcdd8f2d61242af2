// crc_test.c - The checksum, beside known values and a plain loop.
#include "base/crc.h"

#include "harness.h"

// One bit at a time.
static uint32_t plain(const unsigned char *at, size_t size) {
  uint32_t value = UINT32_MAX;
  for (size_t i = 0; i < size; ++i) {
    value ^= at[i];
    for (int k = 0; k < 8; ++k) {
      value = value >> 1 ^ ((value & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
    }
  }
  return ~value;
}

// The values of RFC 3720, B.4.
TEST(crc, known_values) {
  unsigned char bytes[32] = {0};
  EXPECT_EQ(berth_crc(0, bytes, 32), 0x8a9136aa);
  for (int i = 0; i < 32; ++i) bytes[i] = 0xff;
  EXPECT_EQ(berth_crc(0, bytes, 32), 0x62a8ab43);
  for (int i = 0; i < 32; ++i) bytes[i] = (unsigned char)i;
  EXPECT_EQ(berth_crc(0, bytes, 32), 0x46dd794e);
  EXPECT_EQ(berth_crc(0, "123456789", 9), 0xe3069283);
}

TEST(crc, pieces_make_the_whole) {
  unsigned char bytes[100];
  for (int i = 0; i < 100; ++i) bytes[i] = (unsigned char)(i * 37 + 11);
  for (size_t size = 0; size <= 100; ++size) {
    EXPECT_EQ(berth_crc(0, bytes, size), plain(bytes, size));
    size_t half = size / 3;
    EXPECT_EQ(berth_crc(berth_crc(0, bytes, half), bytes + half, size - half),
              plain(bytes, size));
  }
}

// Long enough for three texts side by side, twice, and a rest.
TEST(crc, long_texts_and_their_joins) {
  static unsigned char bytes[30000];
  for (size_t i = 0; i < sizeof(bytes); ++i) {
    bytes[i] = (unsigned char)(i * 73 + (i >> 7));
  }
  uint32_t whole = plain(bytes, sizeof(bytes));
  EXPECT_EQ(berth_crc(0, bytes, sizeof(bytes)), whole);
  for (size_t cut = 0; cut <= sizeof(bytes); cut += 4999) {
    uint32_t first = berth_crc(0, bytes, cut);
    uint32_t second = berth_crc(0, bytes + cut, sizeof(bytes) - cut);
    EXPECT_EQ(berth_crc_join(first, second, sizeof(bytes) - cut), whole);
  }
  EXPECT_EQ(berth_crc_unmask(berth_crc_mask(whole)), whole);
}
