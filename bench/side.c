// side.c - Requests on stdin, batches of calls, the median of their times.
#include "side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BENCHES = 64, MAX_BATCHES = 4096 };

// Long enough that reading the clock is lost in it, short enough that being
// put off the core by somebody else spoils few batches.
static const double batch_seconds = 1e-3;

// A bench that has been run. |turn| counts its calls.
typedef struct opened {
  void *state;
  long turn;
} opened_t;

static opened_t opened[MAX_BENCHES];

double side_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void *side_alloc(unsigned long size) {
  void *memory = calloc(1, size);
  if (memory == NULL) fprintf(stderr, "no memory for %lu bytes\n", size);
  return memory;
}

void *side_read(const char *path, unsigned long *out_size) {
  void *bytes = NULL;
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) goto done;
  long size = ftell(file);
  if (size < 0) goto done;
  rewind(file);
  bytes = side_alloc((unsigned long)size + 1);
  if (bytes == NULL) goto done;
  *out_size = fread(bytes, 1, (unsigned long)size, file);
  if (*out_size != (unsigned long)size) {
    free(bytes);
    bytes = NULL;
  }

done:
  if (bytes == NULL) fprintf(stderr, "cannot read %s\n", path);
  if (file != NULL) fclose(file);
  return bytes;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// Makes |count| calls and stores the seconds that one took.
static bool run_batch(const side_bench_t *bench, opened_t *on, long count,
                      double *out_seconds) {
  double start = side_now();
  for (long i = 0; i < count; ++i) {
    if (!bench->call(on->state, on->turn++)) return false;
  }
  *out_seconds = bench->seconds != NULL ? bench->seconds(on->state)
                                        : (side_now() - start) / (double)count;
  return true;
}

// Runs batches for |seconds| and stores the median time of a call.
static bool run_slice(const side_bench_t *bench, opened_t *on, double seconds,
                      double *out_seconds) {
  static double times[MAX_BATCHES];
  double once = 0;
  if (!run_batch(bench, on, 2, &once)) return false;
  long calls = (long)(batch_seconds / (once + 1e-9));
  if (calls < 1 || bench->seconds != NULL) calls = 1;

  int count = 0;
  double end = side_now() + seconds;
  do {
    if (!run_batch(bench, on, calls, &times[count++])) return false;
  } while (count < MAX_BATCHES && side_now() < end);
  qsort(times, (size_t)count, sizeof(times[0]), compare);
  *out_seconds = (times[(count - 1) / 2] + times[count / 2]) / 2;
  return true;
}

// Opens |bench| where that has not been done, and makes two calls: the first
// plans, the second finds everything planned.
static bool open_once(const side_bench_t *bench, opened_t *on) {
  double ignored = 0;
  if (on->state != NULL) return true;
  on->state = bench->open(bench);
  return on->state != NULL && run_batch(bench, on, 2, &ignored);
}

static void drop(const side_bench_t *bench, opened_t *on) {
  if (on->state != NULL) bench->close(on->state);
  on->state = NULL;
}

static void answer_list(const side_bench_t *benches, int count) {
  printf("ok");
  for (int i = 0; i < count; ++i) {
    printf(" %s %s %.17g", benches[i].name, benches[i].unit, benches[i].work);
  }
  printf("\n");
}

static void answer(const side_bench_t *benches, int count, const char *verb,
                   const char *name, double seconds) {
  int i = 0;
  double result = 0;
  while (i < count && strcmp(benches[i].name, name) != 0) ++i;
  if (i == count) {
    printf("error no bench is called %s\n", name);
  } else if (strcmp(verb, "drop") == 0) {
    drop(&benches[i], &opened[i]);
    printf("ok\n");
  } else if (strcmp(verb, "run") != 0) {
    printf("error no request is called %s\n", verb);
  } else if (!open_once(&benches[i], &opened[i])) {
    printf("error %s could not be prepared\n", name);
  } else if (!run_slice(&benches[i], &opened[i], seconds, &result)) {
    printf("error %s gave a wrong result or failed\n", name);
  } else {
    printf("ok %.9g\n", result);
  }
}

int side_serve(const side_bench_t *benches, int count) {
  char line[256], verb[16], name[128];
  if (count > MAX_BENCHES) return EXIT_FAILURE;
  while (fgets(line, sizeof(line), stdin) != NULL) {
    double seconds = 0;
    int words = sscanf(line, "%15s %127s %lf", verb, name, &seconds);
    if (words == 1 && strcmp(verb, "list") == 0) {
      answer_list(benches, count);
    } else if (words >= 2) {
      answer(benches, count, verb, name, seconds);
    } else {
      printf("error what?\n");
    }
    fflush(stdout);
  }
  for (int i = 0; i < count; ++i) drop(&benches[i], &opened[i]);
  return EXIT_SUCCESS;
}
