// words.h - Words of a random sequence, one at a time, as TensorFlow takes them.
//
// Caller serialises.
#ifndef BERTH_CPU_OPS_WORDS_H_
#define BERTH_CPU_OPS_WORDS_H_

#include "kernel/kernel.h"
#include "state/generator.h"

typedef struct berth_words {
  berth_philox_t philox;
  uint32_t group[4];  // The words of a step,
  int used;           // and how many of them are gone.
} berth_words_t;

// Begins at |philox|.
static inline berth_words_t berth_words_at(berth_philox_t philox) {
  return (berth_words_t){.philox = philox, .used = 4};
}

// Takes |steps| steps out of the sequence of the node.
static inline berth_words_t berth_words_reserve(const berth_call_t *call,
                                                uint64_t steps) {
  return berth_words_at(
      berth_generator_reserve((berth_generator_t *)call->resource, steps));
}

static inline uint32_t berth_words_next(berth_words_t *words) {
  if (words->used == 4) {
    berth_philox_next(&words->philox, words->group);
    words->used = 0;
  }
  return words->group[words->used++];
}

static inline uint64_t berth_words_next_long(berth_words_t *words) {
  uint64_t low = berth_words_next(words);
  return low | (uint64_t)berth_words_next(words) << 32;
}

// Returns a number in [0, 1).
static inline double berth_words_double(berth_words_t *words) {
  uint32_t first = berth_words_next(words), second = berth_words_next(words);
  return berth_philox_double(first, second);
}

// Return a number below |n|, each as likely as any other: words that would
// favour the first ones are thrown away.
static inline uint32_t berth_words_below(berth_words_t *words, uint32_t n) {
  if ((n & (n - 1)) == 0) return berth_words_next(words) & (n - 1);
  uint32_t least = UINT32_MAX % n + 1, word;
  do {
    word = berth_words_next(words);
  } while (word < least);
  return word % n;
}
static inline uint64_t berth_words_below_long(berth_words_t *words,
                                              uint64_t n) {
  if ((n & (n - 1)) == 0) return berth_words_next_long(words) & (n - 1);
  uint64_t least = UINT64_MAX % n + 1, word;
  do {
    word = berth_words_next_long(words);
  } while (word < least);
  return word % n;
}

#endif  // BERTH_CPU_OPS_WORDS_H_
