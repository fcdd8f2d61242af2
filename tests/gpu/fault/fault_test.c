// fault_test.c - Every call of the vendor's libraries fails once, under
// sessions.
//
// The lists of symbols are walked. A first trial counts how often the scenario
// calls a symbol, then one trial after the other fails its first, second …
// call. Nothing may crash, hang or leak; a failure has a text; afterwards the
// same process gets right results from the GPUs, or from a reset on, and from
// the CPU in any case.
#include "fault_testing.h"

#include "cuda/api/cublaslt.h"
#include "cuda/api/cudnn.h"
#include "cuda/api/driver.h"
#include "cuda/api/nvml.h"

static const char *const driver_symbols[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/driver_symbols.inc"
};

static const char *const nvml_symbols[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/nvml_symbols.inc"
};

static const char *const cublaslt_symbols[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/cublaslt_symbols.inc"
};

static const char *const cudnn_symbols[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/cudnn_symbols.inc"
};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Sanitizers are slow; and what is called often is called alike.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { MOST_CALLS = 3 };
#else
enum { MOST_CALLS = 12 };
#endif

// ---- Trials in processes of their own ----

static struct {
  const char *symbol;
  int64_t nth;
  int pipe[2];
} current;

static void run_current(void) {
  harness_failures = 0;
  verdict_t verdict = trial(current.symbol, current.nth);
  ssize_t size = write(current.pipe[1], &verdict, sizeof(verdict));
  EXPECT_EQ(size, sizeof(verdict));
  if (strstr(current.symbol, "Destroy") == NULL) return;
  // What the driver did not destroy is still there: leaks are not looked for.
  simulate_forget();
  _Exit(harness_failures > 0 ? 1 : 0);
}

// Fails call |nth| of |symbol|; 0 only counts the calls. False when the trial
// has failed.
static bool run_trial(const char *symbol, int64_t nth, verdict_t *out) {
  const harness_test_t test = {symbol, run_current, NULL};
  current.symbol = symbol;
  current.nth = nth;
  if (harness_run(&test) != 0) {
    HARNESS_FAIL("BERTH_FAULT=%s:%d", symbol, (int)nth);
    return false;
  }
  ssize_t size = read(current.pipe[0], out, sizeof(*out));
  EXPECT_EQ(size, sizeof(*out));
  return size == (ssize_t)sizeof(*out);
}

// A driver that could not be started stays away, and a card that did not answer
// is left out: GPUs keep the numbers that the first session gave them.
static bool may_lose(const char *symbol) {
  return strcmp(symbol, "cuInit") == 0 || strncmp(symbol, "nvml", 4) == 0;
}

typedef struct tally {
  int called;  // Symbols.
  int faults;
  int fates[FATES];
} tally_t;

// Tries the faults of |symbol|.
static void try_symbol(const char *symbol, tally_t *tally) {
  verdict_t verdict;
  if (!run_trial(symbol, 0, &verdict) || verdict.calls == 0) return;
  ++tally->called;
  int64_t calls = verdict.calls < MOST_CALLS ? verdict.calls : MOST_CALLS;
  for (int64_t nth = 1; nth <= calls; ++nth) {
    // The first calls, and the last.
    int64_t call = nth <= calls / 2 ? nth : verdict.calls - (calls - nth);
    verdict_t fault;
    if (!run_trial(symbol, call, &fault)) continue;
    ++tally->faults;
    ++tally->fates[fault.fate];
    if (fault.fate == LOST && !may_lose(symbol)) {
      HARNESS_FAIL("no GPU after BERTH_FAULT=%s:%d", symbol, (int)call);
    }
  }
}

static tally_t try_all(const char *const *symbols, int count) {
  tally_t tally = {0};
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("faults are for simulated cards");
  if (pipe(current.pipe) != 0) {
    HARNESS_FAIL("no pipe");
    return tally;
  }
  for (int i = 0; i < count; ++i) try_symbol(symbols[i], &tally);
  printf(
      "%d faults at %d of %d symbols: %d unnoticed, %d recovered, %d after a "
      "reset, %d lost the GPUs\n",
      tally.faults, tally.called, count, tally.fates[SURVIVED],
      tally.fates[RECOVERED], tally.fates[RESET], tally.fates[LOST]);
  return tally;
}

TEST(gpu_fault, driver) {
  tally_t tally = try_all(driver_symbols, COUNT_OF(driver_symbols));
  EXPECT_TRUE(tally.called > 30);
}

TEST(gpu_fault, nvml) {
  tally_t tally = try_all(nvml_symbols, COUNT_OF(nvml_symbols));
  EXPECT_TRUE(tally.called > 5);
}

TEST(gpu_fault, cublaslt) {
  tally_t tally = try_all(cublaslt_symbols, COUNT_OF(cublaslt_symbols));
  EXPECT_TRUE(tally.called > 5);
}

TEST(gpu_fault, cudnn) {
  tally_t tally = try_all(cudnn_symbols, COUNT_OF(cudnn_symbols));
  EXPECT_TRUE(tally.called > 10);
}
