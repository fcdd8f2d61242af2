// guard_test.c - Exceptions of C++ end in C.
#include "base/guard.h"

#include <string.h>

#include "base/thread.h"
#include "harness.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#else
#define HAS_ASAN 0
#endif

// Functions of the C++ runtime that do nothing but throw.
static void (*throw_bad_alloc)(void);
static void (*throw_length_error)(const char *text);
static int (*uncaught)(void);
static berth_guard_t guard;

static void find(berth_dynlib_t *lib, const char *symbol, void *out) {
  void *address = berth_dynlib_find(lib, symbol);
  memcpy(out, &address, sizeof(address));
}

static void open_runtime(void) {
  static const char *const names[] = {"libstdc++.so.6", NULL};
  if (HAS_ASAN) SKIP("the address sanitizer knows no C++ in a program in C");
  berth_dynlib_t *lib = NULL;
  if (berth_dynlib_open(names, &lib, NULL) != BERTH_OK) {
    SKIP("there is no libstdc++");
  }
  find(lib, "_ZSt17__throw_bad_allocv", &throw_bad_alloc);
  find(lib, "_ZSt20__throw_length_errorPKc", &throw_length_error);
  find(lib, "_ZSt19uncaught_exceptionsv", &uncaught);
  if (!berth_guard_init(&guard, lib)) SKIP("no guard for this processor");
  berth_dynlib_keep(lib);
  ASSERT_TRUE(throw_bad_alloc != NULL && throw_length_error != NULL);
}

static void return_well(void *arg) { ++*(int *)arg; }

static void throw_it(void *arg) {
  ++*(int *)arg;
  throw_bad_alloc();
}

static void throw_text(void *arg) { throw_length_error(arg); }

TEST(guard, catches_what_is_thrown) {
  open_runtime();
  int calls = 0;
  EXPECT_TRUE(berth_guard_call(&guard, return_well, &calls));
  EXPECT_FALSE(berth_guard_call(&guard, throw_it, &calls));
  EXPECT_FALSE(berth_guard_call(&guard, throw_text, "a text"));
  EXPECT_TRUE(berth_guard_call(&guard, return_well, &calls));
  EXPECT_EQ(calls, 3);
  if (uncaught != NULL) EXPECT_EQ(uncaught(), 0);
}

// Catches inside, and throws on its own.
static void nest(void *arg) {
  EXPECT_FALSE(berth_guard_call(&guard, throw_it, arg));
  EXPECT_TRUE(berth_guard_call(&guard, return_well, arg));
  throw_bad_alloc();
}

TEST(guard, catches_inside_a_guard) {
  open_runtime();
  int calls = 0;
  EXPECT_FALSE(berth_guard_call(&guard, nest, &calls));
  EXPECT_EQ(calls, 2);
}

static void throw_often(void *arg) {
  (void)arg;
  int calls = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(berth_guard_call(&guard, throw_it, &calls));
  }
  EXPECT_EQ(calls, 1000);
}

TEST(guard, catches_on_every_thread) {
  open_runtime();
  berth_thread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], throw_often, NULL, NULL), NULL);
  }
  for (int i = 0; i < 4; ++i) berth_thread_join(&threads[i]);
}
