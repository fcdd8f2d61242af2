// policy_test.c - Policies, figures, reports and the map of addresses.
#include "memory/policy.h"

#include "base/compiler.h"
#include "base/fault.h"
#include "harness.h"
#include "memory/address_map.h"
#include "memory/report.h"
#include "memory/source.h"

#define MIB ((uint64_t)1 << 20)

TEST(policy, growth_doubles) {
  berth_policy_t policy = berth_policy_growth(100 * MIB);
  uint64_t next = policy.first_region_bytes, held = 0;
  static const uint64_t want[] = {2, 4, 8, 16, 32, 38, 0};
  for (int i = 0; i < BERTH_COUNT_OF(want); ++i) {
    uint64_t region = berth_policy_next_region(&policy, 256, held, &next);
    EXPECT_EQ(region, want[i] * MIB);
    held += region;
  }
}

TEST(policy, a_large_request_uses_the_doubling_up) {
  berth_policy_t policy = berth_policy_growth(0);
  uint64_t next = policy.first_region_bytes;
  EXPECT_EQ(berth_policy_next_region(&policy, 5 * MIB, 0, &next), 8 * MIB);
  EXPECT_EQ(berth_policy_next_region(&policy, MIB, 0, &next), 8 * MIB);
  EXPECT_EQ(berth_policy_next_region(&policy, MIB, 0, &next), 16 * MIB);
}

TEST(policy, host_regions_stop_doubling) {
  berth_policy_t policy = berth_policy_host(0);
  uint64_t next = policy.first_region_bytes, region = 0;
  for (int i = 0; i < 20; ++i) {
    region = berth_policy_next_region(&policy, 4096, 0, &next);
  }
  EXPECT_EQ(region, 128 * MIB);
  EXPECT_EQ(berth_policy_next_region(&policy, 200 * MIB, 0, &next), 200 * MIB);
  EXPECT_EQ(berth_policy_next_region(&policy, 4096, 0, &next), 128 * MIB);
}

TEST(policy, the_limit_is_rounded_down) {
  berth_policy_t policy = berth_policy_reserve(1000);
  uint64_t next = policy.first_region_bytes;
  EXPECT_EQ(berth_policy_next_region(&policy, 256, 0, &next), 768);
  EXPECT_EQ(berth_policy_next_region(&policy, 1024, 0, &next), 0);
  EXPECT_EQ(berth_policy_next_region(&policy, 256, 768, &next), 0);
  EXPECT_EQ(berth_policy_next_region(&policy, 256, 2000, &next), 0);
}

TEST(policy, fraction_is_cut_to_whole_bytes) {
  EXPECT_EQ(berth_policy_fraction(1001, 0.5), 500);
  EXPECT_EQ(berth_policy_fraction((uint64_t)8 << 30, 0.4), 3435973836);
  EXPECT_EQ(berth_policy_fraction(1000, 0), 0);
  EXPECT_EQ(berth_policy_fraction(1000, -1), 0);
}

// ---- Figures ----

TEST(stats, sizes_as_tensorflow_prints_them) {
  static const struct {
    uint64_t bytes;
    const char *text;
  } cases[] = {{0, "0B"},
               {1023, "1023B"},
               {1024, "1.0KiB"},
               {1536, "1.5KiB"},
               {1024 * 1024 - 1, "1024.0KiB"},
               {1024 * 1024, "1.00MiB"},
               {10244000, "9.77MiB"},
               {17072495001u, "15.90GiB"},
               {(uint64_t)1 << 40, "1.00TiB"},
               {UINT64_MAX, "16.00EiB"}};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    char text[BERTH_SIZE_TEXT];
    EXPECT_STR(berth_size_text(cases[i].bytes, text), cases[i].text);
  }
}

TEST(stats, fragmentation) {
  berth_memory_stats_t stats = {.pool_bytes = 1000, .bytes_in_use = 600};
  stats.largest_free_block_bytes = 400;
  EXPECT_NEAR(berth_stats_fragmentation(&stats), 0, 1e-9);
  stats.largest_free_block_bytes = 100;
  EXPECT_NEAR(berth_stats_fragmentation(&stats), 0.75, 1e-9);
  stats.bytes_in_use = 1000;
  EXPECT_NEAR(berth_stats_fragmentation(&stats), 0, 1e-9);
}

// ---- Reports ----

static berth_memory_report_t sample(void) {
  return (berth_memory_report_t){
      .where = "GPU:0",
      .op = "MatMul_3",
      .asked_bytes = 512 * MIB,
      .stats = {.live_allocs = 12,
                .bytes_in_use = (int64_t)(7372 * MIB),
                .peak_bytes_in_use = 7730102272,
                .bytes_limit = (int64_t)(7680 * MIB),
                .pool_bytes = (int64_t)(7680 * MIB),
                .largest_free_block_bytes = (int64_t)(96 * MIB),
                .region_count = 1},
      .holders = {{6144 * MIB, 3, "", ""}, {576 * MIB, 9, "", ""}},
      .holder_count = 2};
}

static void expect_report(const berth_memory_report_t *report,
                          const char *want) {
  berth_str_t str = {0};
  berth_report_print(report, &str);
  EXPECT_STR(berth_str_get(&str), want);
  berth_str_clear(&str);
}

TEST(report, one_screen) {
  berth_memory_report_t report = sample();
  expect_report(
      &report,
      "GPU:0 is out of memory: asked 512.00MiB for MatMul_3; limit 7.50GiB, in "
      "use 7.20GiB, largest free span 96.00MiB\n"
      "  in use                  7.20GiB  in 12 allocations; peak 7730102272 "
      "bytes\n"
      "  free                  308.00MiB  69% out of one request's reach\n"
      "  largest free span      96.00MiB\n"
      "  held in all             7.50GiB  in 1 regions\n"
      "Most of it is held by:\n"
      "       6.00GiB  3 x unknown\n"
      "     576.00MiB  9 x unknown\n"
      "Raise the limit, use a smaller batch, or release results that are no "
      "longer needed.\n");
}

// The last line of |report|.
static void expect_advice(const berth_memory_report_t *report,
                          const char *want) {
  berth_str_t str = {0};
  berth_report_print(report, &str);
  EXPECT_TRUE(strstr(berth_str_get(&str), want) != NULL);
  berth_str_clear(&str);
}

TEST(report, the_advice_fits_the_figures) {
  berth_memory_report_t report = sample();
  report.asked_bytes = 200 * MIB;
  EXPECT_TRUE(berth_report_is_fragmented(&report));
  expect_advice(&report, "(fragmented)\n");
  expect_advice(&report, "\nEnough is free, but in pieces.");
  report.asked_bytes = 9000 * MIB;
  expect_advice(&report, "\nThis one request is larger than the limit:");
  report.stats.bytes_limit = 0;
  expect_advice(&report, "limit none,");
  expect_advice(&report, "\nThe system has no more to give:");
}

TEST(report, who_holds_it_and_who_else_is_there) {
  berth_memory_report_t report = sample();
  const berth_neighbour_t others[] = {{4242, "python3", 1024 * MIB},
                                      {77, NULL, 512 * MIB}};
  report.holders[0].label = "conv1/weights";
  report.figures =
      (berth_pool_figures_t){.bytes_reserved = (int64_t)(600 * MIB),
                             .move_count = 12,
                             .moved_bytes = (int64_t)(96 * MIB),
                             .source_ns = 3999999};
  report.neighbours = others;
  report.neighbour_count = 2;
  expect_report(
      &report,
      "GPU:0 is out of memory: asked 512.00MiB for MatMul_3; limit 7.50GiB, in "
      "use 7.20GiB, largest free span 96.00MiB\n"
      "  in use                  7.20GiB  in 12 allocations; peak 7730102272 "
      "bytes\n"
      "  free                  308.00MiB  69% out of one request's reach\n"
      "  largest free span      96.00MiB\n"
      "  held in all             7.50GiB  in 1 regions\n"
      "  outside the pool      600.00MiB  code, libraries and their "
      "workspaces\n"
      "  moved so far           96.00MiB  in 12 moves; 3 ms in the driver\n"
      "Most of it is held by:\n"
      "       6.00GiB  3 x conv1/weights\n"
      "     576.00MiB  9 x unknown\n"
      "Others on this card:\n"
      "       1.00GiB  process 4242 python3\n"
      "     512.00MiB  process 77\n"
      "Raise the limit, use a smaller batch, or release results that are no "
      "longer needed.\n");
  // The limit would do, so the card is short.
  report.stats.bytes_limit = (int64_t)(16384 * MIB);
  expect_advice(&report,
                "\nThe limit allows it, but others hold the card's "
                "memory:");
}

TEST(report, fits_one_screen) {
  berth_memory_report_t report = sample();
  berth_neighbour_t others[100];
  for (int i = 0; i < 100; ++i) {
    others[i] = (berth_neighbour_t){i, "x", MIB};
  }
  report.holder_count = BERTH_REPORT_HOLDERS;
  report.figures.bytes_reserved = report.figures.move_count = 1;
  report.neighbours = others;
  report.neighbour_count = 100;
  berth_str_t str = {0};
  berth_report_print(&report, &str);
  int lines = 0;
  for (const char *at = berth_str_get(&str); *at != '\0'; ++at) {
    lines += *at == '\n';
  }
  EXPECT_EQ(lines, 21);
  EXPECT_TRUE(strstr(berth_str_get(&str), "  and 95 more\n") != NULL);
  berth_str_clear(&str);
}

// ---- Addresses ----

TEST(address_map, adds_and_takes) {
  enum { COUNT = 5000 };
  static char memory[COUNT];
  berth_address_map_t map = {0};
  EXPECT_TRUE(berth_address_map_take(&map, memory) == NULL);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < COUNT; ++i) {
      ASSERT_TRUE(
          berth_address_map_add(&map, &memory[i], &memory[COUNT - 1 - i]));
    }
    // Every third, then the rest backwards: holes of all kinds are closed.
    for (int i = 0; i < COUNT; i += 3) {
      EXPECT_TRUE(berth_address_map_take(&map, &memory[i]) ==
                  &memory[COUNT - 1 - i]);
    }
    for (int i = COUNT; i-- > 0;) {
      void *want = i % 3 == 0 ? NULL : &memory[COUNT - 1 - i];
      EXPECT_TRUE(berth_address_map_take(&map, &memory[i]) == want);
    }
    EXPECT_EQ(map.count, 0);
  }
  berth_address_map_clear(&map);
  berth_fault_arm("alloc", 1);
  EXPECT_FALSE(berth_address_map_add(&map, memory, memory));
  berth_fault_disarm();
  EXPECT_EQ(map.count, 0);
}

// ---- The host's source ----

TEST(source, large_regions_begin_at_huge_pages) {
  berth_source_t *host = berth_source_host();
  berth_error_t err = BERTH_ERROR_INIT;
  static const uint64_t sizes[] = {4096, 2 * MIB, 2 * MIB + 4096, 64 * MIB};
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    void *base = NULL;
    ASSERT_OK(host->get_region(host, sizes[i], &base, &err), &err);
    uint64_t aligned = sizes[i] >= 2 * MIB ? 2 * MIB : 4096;
    EXPECT_EQ((uintptr_t)base % aligned, 0);
    ((char *)base)[0] = 1;
    ((char *)base)[sizes[i] - 1] = 1;
    host->return_region(host, base, sizes[i]);
  }
}

TEST(source, refuses_what_the_machine_does_not_have) {
  berth_source_t *host = berth_source_host();
  berth_error_t err = BERTH_ERROR_INIT;
  void *base = NULL;
  EXPECT_FAILS(
      host->get_region(host, (uint64_t)1 << 46, &base, &err),
      BERTH_RESOURCE_EXHAUSTED, &err,
      "cannot map 70368744177664 bytes of host memory: Cannot allocate "
      "memory");
  EXPECT_TRUE(base == NULL);
}
