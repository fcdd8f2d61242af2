// stress_test.c - Tests of BERTH_SOFTGPU_STRESS.
#include "softgpu/stress.h"
#include "softgpu/softgpu_testing.h"

enum { MIB = 1 << 20 };

static CUcontext open_stressed(const char *seed) {
  setenv("BERTH_SOFTGPU_STRESS", seed, 1);
  return testing_open("Small memory=512MiB cc=8.0");
}

static CUcontext open_plain(void) {
  unsetenv("BERTH_SOFTGPU_STRESS");
  return testing_open("Small memory=512MiB cc=8.0");
}

// Says what every byte of |memory| on the card is; -1 when they differ.
static int contents(CUdeviceptr memory, size_t size) {
  unsigned char *bytes = malloc(size);
  memset(bytes, 1, size);
  CU(cuMemcpyDtoH_v2(bytes, memory, size));
  int first = bytes[0];
  for (size_t i = 1; i < size; ++i) {
    if (bytes[i] != first) first = -1;
  }
  free(bytes);
  return first;
}

TEST(stress, is_off_by_default) {
  CUdeviceptr memory = 0;
  ASSERT_TRUE(open_plain() != NULL);
  EXPECT_FALSE(berth_soft_stress_is_on());
  EXPECT_EQ(berth_soft_stress_dice(), 0);
  CU(cuMemAlloc_v2(&memory, 3 * MIB));
  EXPECT_EQ(contents(memory, 3 * MIB), 0);
}

TEST(stress, takes_whole_numbers_only) {
  static const char *const wrong[] = {"yes", "1.5", " ", "0x", "12 "};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    setenv("BERTH_SOFTGPU_STRESS", wrong[i], 1);
    simulate_cards("T4");
    EXPECT_CU(cuInit(0), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_TRUE(open_stressed("-9") != NULL);
  EXPECT_TRUE(berth_soft_stress_is_on());
}

TEST(stress, counts_an_empty_seed_as_none) {
  EXPECT_TRUE(open_stressed("") != NULL);
  EXPECT_FALSE(berth_soft_stress_is_on());
}

TEST(stress, throws_the_same_dice_for_the_same_seed) {
  ASSERT_TRUE(open_stressed("7") != NULL);
  uint64_t one = berth_soft_stress_dice(), other = berth_soft_stress_dice();
  uint64_t again = one;
  int pauses = 0, rests = 0, equal = 0;
  EXPECT_TRUE(one != 0 && one != other);
  for (int i = 0; i < 1000; ++i) {
    int64_t ns = berth_soft_stress_throw(&one);
    EXPECT_EQ(berth_soft_stress_throw(&again), ns);
    EXPECT_TRUE(ns >= 0 && ns <= 2000000);
    pauses += ns > 0;
    rests += ns == 0;
    equal += ns > 0 && berth_soft_stress_throw(&other) == ns;
  }
  EXPECT_TRUE(pauses > 100 && rests > 100 && equal < 100);
}

TEST(stress, spoils_new_memory) {
  CUdeviceptr memory = 0;
  void *pinned = NULL;
  ASSERT_TRUE(open_stressed("1") != NULL);
  CU(cuMemAlloc_v2(&memory, 40 * MIB + 12));
  EXPECT_EQ(contents(memory, 40 * MIB + 12), BERTH_SOFT_SPOILT);
  CU(cuMemsetD8_v2(memory, 3, 20 * MIB));
  EXPECT_EQ(contents(memory, 20 * MIB), 3);
  EXPECT_EQ(contents(memory + 20 * MIB, MIB), BERTH_SOFT_SPOILT);
  CU(cuMemHostAlloc(&pinned, 64, 0));
  EXPECT_EQ(*(unsigned char *)pinned, BERTH_SOFT_SPOILT);
}

TEST(stress, spoils_new_pages) {
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr memory = 0;
  ASSERT_TRUE(open_stressed("1") != NULL);
  CU(cuMemCreate(&handle, 4 * MIB, &prop, 0));
  CU(cuMemAddressReserve(&memory, 4 * MIB, 0, 0, 0));
  CU(cuMemMap(memory, 4 * MIB, 0, handle, 0));
  CU(cuMemSetAccess(memory, 4 * MIB, &access, 1));
  EXPECT_EQ(contents(memory, 4 * MIB), BERTH_SOFT_SPOILT);
  // What was written stays with the handle.
  CU(cuMemsetD8_v2(memory, 3, 4 * MIB));
  CU(cuCtxSynchronize());
  CU(cuMemUnmap(memory, 4 * MIB));
  CU(cuMemMap(memory, 4 * MIB, 0, handle, 0));
  CU(cuMemSetAccess(memory, 4 * MIB, &access, 1));
  EXPECT_EQ(contents(memory, 4 * MIB), 3);
}

TEST(stress, keeps_freed_addresses_from_use) {
  CUdeviceptr memory = 0, other = 0;
  ASSERT_TRUE(open_stressed("1") != NULL);
  CU(cuMemAlloc_v2(&memory, 4 * MIB));
  CU(cuMemFree_v2(memory));
  for (int i = 0; i < 50; ++i) {
    CU(cuMemAlloc_v2(&other, 4 * MIB));
    EXPECT_TRUE(other != memory);
    CU(cuMemFree_v2(other));
  }
  // More than are kept: the oldest go back to the system.
  for (int i = 0; i < 200; ++i) {
    CU(cuMemAlloc_v2(&other, 4 * MIB));
    CU(cuMemFree_v2(other));
  }
  // The page is nobody's.
  int ends[2] = {-1, -1};
  ASSERT_TRUE(pipe(ends) == 0);
  EXPECT_EQ(write(ends[1], (const void *)(uintptr_t)other, 1), -1);
}

// ---- Copies of pageable memory behind a gate ----

static testing_gate_t gate;
static CUstream stream;

static void close_gate(void) {
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
}

static void open_gate(void) {
  testing_unlock(&gate);
  CU(cuStreamSynchronize(stream));
  EXPECT_EQ(atomic_load(&gate.passed), 1);
}

// Copies |size| bytes of 1 to the card, makes them 2 meanwhile, and says which
// have arrived.
static int copy_and_change(size_t size) {
  CUdeviceptr memory = 0;
  unsigned char *bytes = malloc(size);
  memset(bytes, 1, size);
  CU(cuMemAlloc_v2(&memory, size));
  close_gate();
  CU(cuMemcpyHtoDAsync_v2(memory, bytes, size, stream));
  memset(bytes, 2, size);
  open_gate();
  int found = contents(memory, size);
  free(bytes);
  return found;
}

TEST(stress, reads_pageable_memory_when_the_copy_runs) {
  ASSERT_TRUE(open_stressed("1") != NULL);
  EXPECT_EQ(copy_and_change(16), 2);
}

TEST(stress, reads_much_pageable_memory_when_the_copy_runs) {
  ASSERT_TRUE(open_stressed("1") != NULL);
  EXPECT_EQ(copy_and_change(MIB), 2);
}

TEST(stress, reads_pageable_memory_at_once_without_a_seed) {
  ASSERT_TRUE(open_plain() != NULL);
  EXPECT_EQ(copy_and_change(16), 1);
}

TEST(stress, writes_pageable_memory_when_the_copy_runs) {
  CUdeviceptr memory = 0;
  atomic_int word = 3;
  ASSERT_TRUE(open_stressed("1") != NULL);
  CU(cuMemAlloc_v2(&memory, sizeof(word)));
  CU(cuMemsetD8_v2(memory, 0, sizeof(word)));
  CU(cuCtxSynchronize());
  close_gate();
  CU(cuMemcpyDtoHAsync_v2(&word, memory, sizeof(word), stream));
  EXPECT_EQ(word, 3);
  open_gate();
  EXPECT_EQ(word, 0);
}

TEST(stress, takes_the_bytes_of_a_synchronous_copy) {
  CUdeviceptr memory = 0;
  CUstream blocking = NULL;
  int word = 1;
  ASSERT_TRUE(open_stressed("1") != NULL);
  CU(cuMemAlloc_v2(&memory, sizeof(word)));
  CU(cuMemsetD8_v2(memory, 9, sizeof(word)));
  CU(cuCtxSynchronize());
  CU(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  CU(cuLaunchHostFunc(blocking, testing_wait, &gate));
  // Returns before it has arrived: what it waits for is behind the gate.
  CU(cuMemcpyHtoD_v2(memory, &word, sizeof(word)));
  word = 2;
  testing_unlock(&gate);
  CU(cuCtxSynchronize());
  EXPECT_EQ(atomic_load(&gate.passed), 1);
  CU(cuMemcpyDtoH_v2(&word, memory, sizeof(word)));
  EXPECT_EQ(word, 1);
}

TEST(stress, keeps_results) {
  enum { COUNT = 64, ROUNDS = 50 };
  CUdeviceptr memory = 0;
  uint32_t words[COUNT];
  CUstream streams[2];
  CUevent events[2];
  ASSERT_TRUE(open_stressed("5") != NULL);
  CU(cuMemAlloc_v2(&memory, sizeof(words)));
  for (int i = 0; i < 2; ++i) {
    CU(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING));
  }
  for (unsigned round = 0; round < ROUNDS; ++round) {
    int one = (int)round % 2;
    CU(cuMemsetD32Async(memory, round, COUNT, streams[one]));
    CU(cuEventRecord(events[one], streams[one]));
    CU(cuStreamWaitEvent(streams[1 - one], events[one], 0));
  }
  CU(cuCtxSynchronize());
  CU(cuMemcpyDtoH_v2(words, memory, sizeof(words)));
  for (int i = 0; i < COUNT; ++i) EXPECT_EQ(words[i], ROUNDS - 1);
}
