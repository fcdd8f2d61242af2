// gpu_churn.c - Random requests to a card's pool under a budget, timed one by
// one.
//
//   gpu_churn BUDGET_MIB STEPS LARGEST_MIB      prints one line of JSON
//
// Live bytes stay under 90 % of what the budget leaves beside the context. A
// request is timed alone, and with the releases that make room for it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "berth/share.h"
#include "device/device.h"
#include "device/registry.h"
#include "runtime/process.h"

#define MIB ((uint64_t)1 << 20)

typedef struct churn {
  berth_device_t *device;
  berth_buffer_t **held;
  size_t count;
  uint64_t live, room, largest, seed;
  long refused;
} churn_t;

static double next_random(churn_t *churn) {
  churn->seed = churn->seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(churn->seed >> 11) * 0x1p-53;
}

// Between 1 KiB and the largest, by logarithm: most are small.
static uint64_t next_size(churn_t *churn) {
  double low = log2(1024), high = log2((double)churn->largest);
  return (uint64_t)exp2(low + next_random(churn) * (high - low));
}

static void drop_one(churn_t *churn) {
  size_t at = (size_t)(next_random(churn) * (double)churn->count);
  berth_buffer_t *buffer = churn->held[at];
  churn->held[at] = churn->held[--churn->count];
  churn->live -= buffer->size;
  berth_buffer_release(buffer);
}

static void step(churn_t *churn, double *out_alone, double *out_whole) {
  berth_error_t err = BERTH_ERROR_INIT;
  uint64_t size = next_size(churn);
  int64_t begun = berth_now_ns();
  while (churn->count > 0 && churn->live + size > churn->room) drop_one(churn);
  int64_t middle = berth_now_ns();
  berth_buffer_t *buffer = NULL;
  berth_allocator_t *from = churn->device->allocator;
  if (from->alloc(from, size, &buffer, &err) == BERTH_OK) {
    churn->held[churn->count++] = buffer;
    churn->live += size;
  } else {
    ++churn->refused;
    berth_error_clear(&err);
  }
  int64_t end = berth_now_ns();
  *out_alone = (double)(end - middle) / 1e3;
  *out_whole = (double)(end - begun) / 1e3;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double mean(const double *values, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum += values[i];
  return sum / (double)count;
}

static int fail(const berth_error_t *err) {
  fprintf(stderr, "%s\n", berth_error_message(err));
  return 1;
}

int main(int count, char **words) {
  if (count < 4) return 2;
  uint64_t budget = strtoull(words[1], NULL, 10) * MIB;
  long steps = strtol(words[2], NULL, 10);
  churn_t churn = {.largest = strtoull(words[3], NULL, 10) * MIB, .seed = 1};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_budget_t wish = {.budget_bytes = budget};
  if (berth_device_set_memory_budget("GPU:0", &wish, &err) != BERTH_OK) {
    return fail(&err);
  }
  berth_registry_t all = {0};
  berth_hold_t hold = {.what = "churn"};
  if (berth_process_list(&all, &err) != BERTH_OK ||
      berth_registry_get(&all, "GPU:0", &churn.device, &err) != BERTH_OK ||
      berth_device_hold(churn.device, &hold, NULL, NULL, &err) != BERTH_OK) {
    return fail(&err);
  }
  if (berth_device_query_memory_budget("GPU:0", &wish, &err) != BERTH_OK) {
    return fail(&err);
  }
  churn.room = (uint64_t)((double)(budget - wish.outside_bytes) * 0.9);
  churn.held = calloc((size_t)steps + 1, sizeof(churn.held[0]));
  double *alone = calloc((size_t)steps, sizeof(double));
  double *whole = calloc((size_t)steps, sizeof(double));
  for (long i = 0; i < steps; ++i) step(&churn, &alone[i], &whole[i]);
  if (berth_device_query_memory_budget("GPU:0", &wish, &err) != BERTH_OK) {
    return fail(&err);
  }
  double alone_mean = mean(alone, steps), whole_mean = mean(whole, steps);
  qsort(alone, (size_t)steps, sizeof(double), by_value);
  qsort(whole, (size_t)steps, sizeof(double), by_value);
  printf(
      "{\"steps\": %ld, \"refused\": %ld, \"median_us\": %.2f, "
      "\"mean_us\": %.2f, \"with_release_median_us\": %.2f, "
      "\"with_release_mean_us\": %.2f, \"peak_mib\": %.1f, "
      "\"outside_mib\": %.1f, \"estimate\": %s}\n",
      steps, churn.refused, alone[steps / 2], alone_mean, whole[steps / 2],
      whole_mean, (double)wish.peak_bytes / MIB,
      (double)wish.outside_bytes / MIB, wish.is_estimate ? "true" : "false");
  while (churn.count > 0) drop_one(&churn);
  berth_gate_leave(&hold);
  return 0;
}
