// harness.h - A small test harness in plain C.
//
//   #include "harness.h"
//   TEST(bestfit, merges_both_neighbours) {
//     EXPECT_EQ(berth_bestfit_free_bytes(&fit), 1024);
//     ASSERT_OK(berth_pool_alloc(pool, 64, &ptr, &err), &err);
//   }
//
// Each test runs in a process of its own, so that a crash or a leak fails that
// test alone; `program NAME` runs those whose "suite.name" contains NAME, and
// `program --here NAME` runs them in this process, for a debugger. A test that
// calls SKIP(reason) counts as skipped. main() is here: include it once.
#ifndef BERTH_TESTS_HARNESS_H_
#define BERTH_TESTS_HARNESS_H_

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "berth/error.h"

// What a test asks of the address sanitizer; defined before this is included.
#ifndef HARNESS_ASAN_OPTIONS
#define HARNESS_ASAN_OPTIONS ""
#endif

#if defined(__SANITIZE_ADDRESS__)
// The leak sanitizer of gcc 12 takes thread-local storage of a library that was
// opened at run time for something else, and falls over it.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "intercept_tls_get_addr=0:" HARNESS_ASAN_OPTIONS;
}

// Nor does it see what the library keeps there: OpenMP, which oneDNN brings
// along, has a record for each thread that is still alive.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(
    void);
const char *__lsan_default_suppressions(void) { return "leak:libgomp\n"; }
#endif

typedef struct harness_test {
  const char *name;
  void (*fn)(void);
  struct harness_test *next;
} harness_test_t;

static harness_test_t *harness_first = NULL;
static harness_test_t **harness_last = &harness_first;
static int harness_failures = 0;

enum { HARNESS_SKIP = 77 };

#define TEST(suite, test)                                                    \
  static void suite##_##test(void);                                          \
  __attribute__((constructor)) static void register_##suite##_##test(void) { \
    static harness_test_t entry = {#suite "." #test, suite##_##test, NULL};  \
    *harness_last = &entry;                                                  \
    harness_last = &entry.next;                                              \
  }                                                                          \
  static void suite##_##test(void)

#define HARNESS_FAIL(...)                           \
  do {                                              \
    fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
    fprintf(stderr, __VA_ARGS__);                   \
    fputc('\n', stderr);                            \
    ++harness_failures;                             \
  } while (0)

#define EXPECT_TRUE(cond)                             \
  do {                                                \
    if (!(cond)) HARNESS_FAIL("expected: %s", #cond); \
  } while (0)
#define EXPECT_FALSE(cond) EXPECT_TRUE(!(cond))

#define EXPECT_EQ(a, b)                                                 \
  do {                                                                  \
    long long harness_a = (long long)(a), harness_b = (long long)(b);   \
    if (harness_a != harness_b) {                                       \
      HARNESS_FAIL("%s is %lld, expected %s = %lld", #a, harness_a, #b, \
                   harness_b);                                          \
    }                                                                   \
  } while (0)

#define EXPECT_NEAR(a, b, tolerance)                                       \
  do {                                                                     \
    double harness_a = (double)(a), harness_b = (double)(b);               \
    if (!(fabs(harness_a - harness_b) <= (double)(tolerance))) {           \
      HARNESS_FAIL("%s is %.9g, expected %.9g", #a, harness_a, harness_b); \
    }                                                                      \
  } while (0)

#define EXPECT_STR(a, b)                                                 \
  do {                                                                   \
    const char *harness_a = (a), *harness_b = (b);                       \
    if (harness_a == NULL || strcmp(harness_a, harness_b) != 0) {        \
      HARNESS_FAIL("%s is\n  %s\nexpected\n  %s", #a,                    \
                   harness_a != NULL ? harness_a : "(null)", harness_b); \
    }                                                                    \
  } while (0)

// The rest of the test makes no sense when these fail: they leave it.
#define ASSERT_TRUE(cond)                \
  do {                                   \
    if (!(cond)) {                       \
      HARNESS_FAIL("needed: %s", #cond); \
      return;                            \
    }                                    \
  } while (0)

#define ASSERT_OK(expr, err)                                                  \
  do {                                                                        \
    berth_code_t harness_code = (expr);                                       \
    if (harness_code != BERTH_OK) {                                           \
      HARNESS_FAIL("%s failed: %s: %s", #expr, berth_code_name(harness_code), \
                   berth_error_message(err));                                 \
      return;                                                                 \
    }                                                                         \
  } while (0)

// |expr| must fail with |code| and exactly |message|; clears |err|.
#define EXPECT_FAILS(expr, code, err, message)       \
  do {                                               \
    EXPECT_EQ((expr), (code));                       \
    EXPECT_STR(berth_error_message(err), (message)); \
    berth_error_clear(err);                          \
  } while (0)

#define SKIP(reason)                            \
  do {                                          \
    fprintf(stderr, "skipped: %s\n", (reason)); \
    _Exit(HARNESS_SKIP);                        \
  } while (0)

// Runs one test in a child and returns its exit status.
static inline int harness_run(const harness_test_t *test) {
  fflush(stdout);
  fflush(stderr);
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    test->fn();
    // A normal exit, so that the leak checker runs.
    exit(harness_failures > 0 ? 1 : 0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 1;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fprintf(stderr, "%s: signal %d\n", test->name, WTERMSIG(status));
  return 1;
}

int main(int argc, char **argv) {
  bool here = argc > 1 && strcmp(argv[1], "--here") == 0;
  const char *filter = argc > 1 + here ? argv[1 + here] : "";
  int passed = 0, failed = 0, skipped = 0;
  for (const harness_test_t *test = harness_first; test; test = test->next) {
    if (strstr(test->name, filter) == NULL) continue;
    int status = 0;
    if (here) {
      int before = harness_failures;
      test->fn();
      status = harness_failures > before ? 1 : 0;
    } else {
      status = harness_run(test);
    }
    if (status == 0) {
      ++passed;
    } else if (status == HARNESS_SKIP) {
      ++skipped;
    } else {
      ++failed;
    }
    if (status != 0 && status != HARNESS_SKIP) {
      fprintf(stderr, "FAILED %s\n", test->name);
    }
  }
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  if (failed > 0) return 1;
  return passed == 0 && skipped > 0 ? HARNESS_SKIP : 0;
}

#endif  // BERTH_TESTS_HARNESS_H_
