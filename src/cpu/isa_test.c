// isa_test.c - Tests of the choice of an instruction set.
#include "cpu/isa.h"

#include "cpu/loops/stream.h"
#include "harness.h"

TEST(isa, is_limited_by_the_environment) {
  setenv("BERTH_CPU_ISA", "baseline", 1);
  EXPECT_EQ(berth_isa(), BERTH_ISA_BASELINE);
}

TEST(isa, ignores_an_unknown_name) {
  setenv("BERTH_CPU_ISA", "vax", 1);
  berth_isa_t isa = berth_isa();
  setenv("BERTH_CPU_ISA", berth_isa_name(isa), 1);
  EXPECT_EQ(berth_isa(), isa);
}

TEST(isa, has_names) {
  EXPECT_STR(berth_isa_name(BERTH_ISA_BASELINE), "baseline");
  EXPECT_STR(berth_isa_name(BERTH_ISA_AVX2), "avx2");
  EXPECT_STR(berth_isa_name(BERTH_ISA_AVX512), "avx512");
}

TEST(isa, cache_size_is_plausible) {
  EXPECT_TRUE(berth_cpu_cache_size() >= 64 << 10);
}

TEST(stream, copies_any_size_and_alignment) {
  _Alignas(64) char from[400], to[400];
  for (int i = 0; i < 400; ++i) from[i] = (char)i;
  for (size_t offset = 0; offset < 66; ++offset) {
    for (size_t size = 0; size < 260; ++size) {
      memset(to, 77, sizeof(to));
      berth_cpu_stream()(to + offset, from + 3, size);
      berth_cpu_stream_end();
      ASSERT_TRUE(memcmp(to + offset, from + 3, size) == 0);
      ASSERT_TRUE(to[offset + size] == 77);
      ASSERT_TRUE(offset == 0 || to[offset - 1] == 77);
    }
  }
}
