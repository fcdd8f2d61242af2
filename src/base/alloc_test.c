// alloc_test.c - Tests of base/alloc.h.
#include "base/alloc.h"

#include "base/fault.h"
#include "harness.h"

TEST(alloc, large_begins_at_a_huge_page) {
  size_t size = ((size_t)5 << 20) + 3;
  char *memory = berth_alloc_large(size);
  ASSERT_TRUE(memory != NULL);
  EXPECT_EQ((uintptr_t)memory % ((uintptr_t)2 << 20), (uintptr_t)0);
  memset(memory, 7, size);
  EXPECT_EQ(memory[size - 1], 7);
  berth_free(memory);
}

TEST(alloc, large_refuses_what_cannot_be_rounded_up) {
  EXPECT_TRUE(berth_alloc_large(SIZE_MAX) == NULL);
}

TEST(alloc, large_is_a_fault_point) {
  berth_fault_arm("alloc", 1);
  EXPECT_TRUE(berth_alloc_large(16) == NULL);
  EXPECT_EQ(berth_fault_disarm(), 1);
}

TEST(alloc, large_of_nothing_is_something) {
  void *memory = berth_alloc_large(0);
  EXPECT_TRUE(memory != NULL);
  berth_free(memory);
}

TEST(alloc, forgets_no_more_than_it_is_told) {
  enum { SIZE = 1 << 20, BEGIN = 5000, END = SIZE - 5000 };
  char *memory = berth_alloc(SIZE);
  ASSERT_TRUE(memory != NULL);
  memset(memory, 7, SIZE);
  berth_alloc_forget(memory + BEGIN, END - BEGIN);
  int64_t kept = 0;
  for (int i = 0; i < SIZE; ++i) {
    if (i < BEGIN || i >= END) kept += memory[i] == 7;
  }
  EXPECT_EQ(kept, BEGIN + SIZE - END);
  memset(memory, 8, SIZE);  // It can still be used.
  EXPECT_EQ(memory[SIZE / 2], 8);
  berth_free(memory);
}
