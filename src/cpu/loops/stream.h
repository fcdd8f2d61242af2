// stream.h - Writing past the caches.
//
// A result larger than the caches costs less when its lines are not read first:
// loops make a piece of it in a small buffer that stays in the first-level
// cache, and berth_cpu_stream() sends the piece to memory. The loops themselves
// stay as compilers make them.
//
// Pure functions.
#ifndef BERTH_CPU_LOOPS_STREAM_H_
#define BERTH_CPU_LOOPS_STREAM_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Bytes of a piece. Small, so that reading goes on while the piece is sent:
// with four kilobytes an addition has half the bandwidth.
enum { BERTH_STREAM_PIECE = 512 };

// Copies |size| bytes to |to| without reading or keeping its cache lines. Ends
// with no fence: call berth_cpu_stream_end() after the last piece.
static inline void berth_cpu_stream(void *to, const void *from, size_t size) {
#if defined(__SSE2__)
  char *out = to;
  const char *in = from;
  size_t head = (size_t)(-(uintptr_t)out & 15);
  if (head > size) head = size;
  memcpy(out, in, head);
  size_t i = head;
  for (; i + 64 <= size; i += 64) {
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(in + i));
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(in + i + 16));
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(in + i + 32));
    __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(in + i + 48));
    _mm_stream_si128((__m128i *)(void *)(out + i), a);
    _mm_stream_si128((__m128i *)(void *)(out + i + 16), b);
    _mm_stream_si128((__m128i *)(void *)(out + i + 32), c);
    _mm_stream_si128((__m128i *)(void *)(out + i + 48), d);
  }
  memcpy(out + i, in + i, size - i);
#else
  memcpy(to, from, size);
#endif
}

// Makes everything streamed by this thread visible to others.
static inline void berth_cpu_stream_end(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

#endif  // BERTH_CPU_LOOPS_STREAM_H_
