// stream_isa.c - Writing past the caches, for each instruction set.
#include "cpu/loops/stream.h"

#include <stdint.h>
#include <string.h>

#include "cpu/loops/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>

// Sends a vector to where it is aligned: with the longest of the set a cache
// line is whole at once, or soonest.
static BERTH_INLINE void send(char *to, const char *from) {
#if defined(__AVX512F__)
  _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  _mm256_stream_si256((void *)to, _mm256_loadu_si256((const void *)from));
#else
  _mm_stream_si128((void *)to, _mm_loadu_si128((const void *)from));
#endif
}

static void copy(void *to, const void *from, size_t size) {
  enum { LINE = 64 };
  char *out = to;
  const char *in = from;
  size_t head = (size_t)(-(uintptr_t)out & (LINE - 1));
  if (head > size) head = size;
  memcpy(out, in, head);
  size_t i = head;
  for (; i + LINE <= size; i += LINE) {
    BERTH_UNROLL
    for (int k = 0; k < LINE; k += BERTH_VECTOR_BYTES) {
      send(out + i + k, in + i + k);
    }
  }
  memcpy(out + i, in + i, size - i);
}
#else
static void copy(void *to, const void *from, size_t size) {
  memcpy(to, from, size);
}
#endif

const berth_streams_t BERTH_ISA(berth_cpu_streams) = {.copy = copy};
