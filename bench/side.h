// side.h - A program that measures on request: the frame of both C sides.
//
// The driver keeps one program per library alive and asks each for a short
// slice in turn, so that both libraries see the same machine. A request is one
// line on stdin, the answer one line on stdout:
//
//   list                 "ok NAME UNIT WORK NAME UNIT WORK ..."
//   run NAME SECONDS     "ok SECONDS_PER_CALL": the median of batches of about
//                        a millisecond, at least one call each
//   drop NAME            "ok": frees what NAME holds
//
// and "error TEXT" when that went wrong; end of input ends the program. The
// first run of a NAME prepares it and makes two calls before it looks at the
// clock.
#ifndef BERTH_BENCH_SIDE_H_
#define BERTH_BENCH_SIDE_H_

#include <stdbool.h>

// One thing to measure.
typedef struct side_bench side_bench_t;
struct side_bench {
  const char *name;
  // "ns" and "us" are time per piece of |work|; "GB/s" and "GFLOP/s" are
  // |work| * 1e9 per time of a call, "images/s" |work| per time of a call.
  const char *unit;
  double work;
  // Prepares; NULL when that fails, with the reason on stderr.
  void *(*open)(const side_bench_t *bench);
  // Makes one call with the inputs of |turn|, which grows by one, reads the
  // result and returns whether it was right.
  bool (*call)(void *state, long turn);
  void (*close)(void *state);
  const void *arg;  // For |open|.
  // Optional. Returns the seconds that count of the last call, instead of those
  // that it took.
  double (*seconds)(void *state);
};

// Answers requests about |count| benches until stdin ends. Returns the
// program's exit status.
int side_serve(const side_bench_t *benches, int count);

// Returns a monotonic time in seconds.
double side_now(void);

// Returns |size| zeroed bytes, or NULL with a word on stderr.
void *side_alloc(unsigned long size);

// Reads the file |path| into memory for free(). NULL with a word on stderr.
void *side_read(const char *path, unsigned long *out_size);

#endif  // BERTH_BENCH_SIDE_H_
