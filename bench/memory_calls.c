// memory_calls.c - What allocations cost, with and without a history, and what a
// snapshot takes. Prints lines of a name and a number.
#include <berth/berth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 300, CALLS = 2000, EVENTS = 100000, LIVE = 64 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(berth_code_t code, berth_error_t *err) {
  if (code == BERTH_OK) return;
  fprintf(stderr, "%s\n", berth_error_message(err));
  exit(1);
}

static berth_tensor_t *made(int64_t count, berth_error_t *err) {
  berth_tensor_t *tensor = NULL;
  check(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(count), &tensor, err),
        err);
  return tensor;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// Returns the nanoseconds that making and releasing a tensor of |count| numbers
// takes: of many short rounds one that nothing else disturbed.
static double pair_ns(int64_t count, berth_error_t *err) {
  double rounds[ROUNDS];
  for (int r = 0; r < ROUNDS; ++r) {
    double start = now();
    for (int i = 0; i < CALLS; ++i) berth_tensor_release(made(count, err));
    rounds[r] = (now() - start) / CALLS * 1e9;
  }
  qsort(rounds, ROUNDS, sizeof(rounds[0]), compare);
  return rounds[ROUNDS / 10];
}

// Returns the seconds of a snapshot with a full history, the best of some.
static double snapshot_s(size_t *out_size, berth_error_t *err) {
  double best = 1e9;
  for (int r = 0; r < 5; ++r) {
    char *text = NULL;
    double start = now();
    check(berth_memory_snapshot(&text, err), err);
    double taken = now() - start;
    if (taken < best) best = taken;
    *out_size = strlen(text);
    berth_text_free(text);
  }
  return best;
}

int main(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_stats_t stats;
  size_t size = 0;
  check(berth_device_memory_stats("CPU:0", &stats, &err), &err);
  // Others live between: what is freed does not just come back.
  berth_tensor_t *live[LIVE];
  for (int i = 0; i < LIVE; ++i) live[i] = made(2000 + 100 * i, &err);
  for (int i = 0; i < LIVE; i += 2) berth_tensor_release(live[i]);
  printf("memory_pair_ns %.1f\n", pair_ns(4000, &err));
  check(berth_memory_keep_history(EVENTS, &err), &err);
  printf("memory_pair_history_ns %.1f\n", pair_ns(4000, &err));
  printf("memory_snapshot_ms %.1f\n", 1e3 * snapshot_s(&size, &err));
  printf("memory_snapshot_MB %.1f\n", 1e-6 * (double)size);
  check(berth_memory_keep_history(0, &err), &err);
  for (int i = 1; i < LIVE; i += 2) berth_tensor_release(live[i]);
  return 0;
}
