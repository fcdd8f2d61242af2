// stream.h - Writing past the caches.
//
// A result larger than the caches costs less when its lines are not read first:
// loops make a piece of it in a small buffer that stays in the first-level
// cache, and what berth_cpu_stream() returns sends the piece to memory. The
// loops themselves stay as compilers make them.
//
// Pure functions.
#ifndef BERTH_CPU_LOOPS_STREAM_H_
#define BERTH_CPU_LOOPS_STREAM_H_

#include <stddef.h>

#include "cpu/isa.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
  // Bytes of a piece. Small, so that reading goes on while the piece is sent:
  // with four kilobytes an addition has half the bandwidth.
  BERTH_STREAM_PIECE = 512,
  // So far ahead of a piece memory is asked for: further than CPUs look by
  // themselves, which stop where a page ends.
  BERTH_STREAM_AHEAD = 4096,
  BERTH_STREAM_LINE = 64,
};

// Copies |size| bytes to |to| without reading or keeping its cache lines. Ends
// with no fence: call berth_cpu_stream_end() after the last piece.
typedef void (*berth_stream_fn)(void *to, const void *from, size_t size);

typedef struct berth_streams {
  berth_stream_fn copy;
} berth_streams_t;

BERTH_ISA_TABLE(berth_streams_t, berth_cpu_streams);

// Returns the function of this CPU.
static inline berth_stream_fn berth_cpu_stream(void) {
  return BERTH_ISA_PICK(berth_cpu_streams)->copy;
}

// Has memory come that is read some pieces after the |size| bytes at |from|.
static inline void berth_cpu_stream_ask(const void *from, size_t size) {
  const char *ahead = (const char *)from + BERTH_STREAM_AHEAD;
  for (size_t i = 0; i < size; i += BERTH_STREAM_LINE) {
    __builtin_prefetch(ahead + i);
  }
}

// Makes everything streamed by this thread visible to others.
static inline void berth_cpu_stream_end(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

#endif  // BERTH_CPU_LOOPS_STREAM_H_
