// fingerprint_test.c - Hashes have the numbers that others compute.
#include "base/fingerprint.h"

#include "harness.h"

// The example of the paper that describes SipHash.
TEST(fingerprint, sip_is_that_of_the_paper) {
  const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  char text[15];
  for (int i = 0; i < 15; ++i) text[i] = (char)i;
  EXPECT_TRUE(berth_fingerprint_sip(text, 15, key) == 0xa129ca6149be45e5);
}

TEST(fingerprint, farm_of_nothing_is_its_constant) {
  EXPECT_TRUE(berth_fingerprint_farm("", 0) == 0x9ae16a3b2f90404f);
}

TEST(fingerprint, every_length_has_its_own) {
  char text[200];
  memset(text, 'a', sizeof(text));
  for (size_t n = 1; n < sizeof(text); ++n) {
    EXPECT_TRUE(berth_fingerprint_farm(text, n) !=
                berth_fingerprint_farm(text, n - 1));
    EXPECT_TRUE(berth_fingerprint_murmur(text, n) !=
                berth_fingerprint_murmur(text, n - 1));
  }
}
