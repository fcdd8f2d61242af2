// arena_test.c - Tests of arenas.
#include "base/arena.h"

#include "base/fault.h"
#include "harness.h"

TEST(arena, keeps_what_was_allocated) {
  berth_arena_t arena = {0};
  char *texts[1000];
  for (int i = 0; i < 1000; ++i) {
    char text[32];
    int size = snprintf(text, sizeof(text), "text %d", i);
    texts[i] = berth_arena_strndup(&arena, text, (size_t)size);
    ASSERT_TRUE(texts[i] != NULL);
  }
  for (int i = 0; i < 1000; ++i) {
    char text[32];
    snprintf(text, sizeof(text), "text %d", i);
    EXPECT_STR(texts[i], text);
  }
  berth_arena_clear(&arena);
  EXPECT_EQ(arena.total_bytes, 0);
}

TEST(arena, aligns_to_eight_and_cache_lines) {
  berth_arena_t arena = {0};
  (void)berth_arena_alloc(&arena, 3);
  EXPECT_EQ((uintptr_t)berth_arena_alloc(&arena, 10) % 8, 0);
  (void)berth_arena_alloc(&arena, 1);
  EXPECT_EQ((uintptr_t)berth_arena_alloc(&arena, 128) % 64, 0);
  berth_arena_clear(&arena);
}

TEST(arena, serves_requests_larger_than_a_chunk) {
  berth_arena_t arena = {0};
  char *big = berth_arena_alloc(&arena, 5 << 20);
  ASSERT_TRUE(big != NULL);
  memset(big, 1, 5 << 20);
  EXPECT_TRUE(berth_arena_alloc(&arena, 16) != NULL);
  berth_arena_clear(&arena);
}

TEST(arena, rewinds_to_a_mark) {
  berth_arena_t arena = {0};
  char *first = berth_arena_strndup(&arena, "first", 5);
  berth_arena_mark_t mark = berth_arena_mark(&arena);
  void *second = berth_arena_alloc(&arena, 100);
  (void)berth_arena_alloc(&arena, 1 << 20);
  berth_arena_rewind(&arena, mark);
  EXPECT_STR(first, "first");
  EXPECT_TRUE(berth_arena_alloc(&arena, 100) == second);
  berth_arena_clear(&arena);
}

TEST(arena, refuses_overflow_and_lack_of_memory) {
  berth_arena_t arena = {0};
  EXPECT_TRUE(berth_arena_calloc(&arena, SIZE_MAX / 2, 4) == NULL);
  EXPECT_TRUE(berth_arena_alloc(&arena, SIZE_MAX - 8) == NULL);
  berth_fault_arm("alloc", 1);
  EXPECT_TRUE(berth_arena_alloc(&arena, 8) == NULL);
  EXPECT_EQ(berth_fault_disarm(), 1);
  EXPECT_TRUE(berth_arena_alloc(&arena, 8) != NULL);
  berth_arena_clear(&arena);
}

// ---- What an arena owns ----

// Notes who was dropped, in order.
typedef struct note {
  char name;
} note_t;

static char dropped[16];

static void note_drop(void *thing) {
  const note_t *note = thing;
  size_t used = strlen(dropped);
  dropped[used] = note->name;
  dropped[used + 1] = '\0';
}

TEST(arena, drops_what_it_owns_the_newest_first) {
  berth_arena_t arena = {0};
  note_t notes[] = {{'a'}, {'b'}, {'c'}};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(berth_arena_own(&arena, &notes[i], note_drop));
  }
  EXPECT_STR(dropped, "");
  berth_arena_clear(&arena);
  EXPECT_STR(dropped, "cba");
  // Once, and the arena can be used again.
  berth_arena_clear(&arena);
  EXPECT_STR(dropped, "cba");
  ASSERT_TRUE(berth_arena_own(&arena, &notes[0], note_drop));
  berth_arena_clear(&arena);
  EXPECT_STR(dropped, "cbaa");
}

TEST(arena, drops_things_before_the_memory_they_are_in) {
  berth_arena_t arena = {0};
  // Each in a chunk of its own.
  for (int i = 0; i < 3; ++i) {
    note_t *note = berth_arena_alloc(&arena, (size_t)2 << 20);
    ASSERT_TRUE(note != NULL);
    note->name = (char)('a' + i);
    ASSERT_TRUE(berth_arena_own(&arena, note, note_drop));
  }
  berth_arena_clear(&arena);
  EXPECT_STR(dropped, "cba");
}

TEST(arena, drops_what_came_behind_a_mark) {
  berth_arena_t arena = {0};
  note_t notes[] = {{'a'}, {'b'}, {'c'}, {'d'}};
  ASSERT_TRUE(berth_arena_own(&arena, &notes[0], note_drop));
  berth_arena_mark_t first = berth_arena_mark(&arena);
  ASSERT_TRUE(berth_arena_own(&arena, &notes[1], note_drop));
  (void)berth_arena_alloc(&arena, 5000);  // In another chunk.
  berth_arena_mark_t second = berth_arena_mark(&arena);
  ASSERT_TRUE(berth_arena_own(&arena, &notes[2], note_drop));
  berth_arena_rewind(&arena, second);
  EXPECT_STR(dropped, "c");
  berth_arena_rewind(&arena, second);  // Nothing came since.
  EXPECT_STR(dropped, "c");
  berth_arena_rewind(&arena, first);
  EXPECT_STR(dropped, "cb");
  ASSERT_TRUE(berth_arena_own(&arena, &notes[3], note_drop));
  berth_arena_clear(&arena);
  EXPECT_STR(dropped, "cbda");
}

TEST(arena, owns_nothing_when_memory_is_short) {
  berth_arena_t arena = {0};
  note_t note = {'a'};
  berth_fault_arm("alloc", 1);
  EXPECT_FALSE(berth_arena_own(&arena, &note, note_drop));
  EXPECT_EQ(berth_fault_disarm(), 1);
  berth_arena_clear(&arena);
  EXPECT_STR(dropped, "");
}
