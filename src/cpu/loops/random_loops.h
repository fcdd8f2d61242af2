// random_loops.h - Loops of random numbers, for several instruction sets.
#ifndef BERTH_CPU_LOOPS_RANDOM_LOOPS_H_
#define BERTH_CPU_LOOPS_RANDOM_LOOPS_H_

#include <stdint.h>

#include "cpu/isa.h"
#include "state/philox.h"

typedef struct berth_random_loops {
  // Stores the words of |steps| steps from |start| on, four each, in order.
  void (*words)(const berth_philox_t *start, uint32_t *words, int64_t steps);
  // Turn words into uniform numbers in [0, 1): one word each, or two.
  void (*floats)(const uint32_t *words, float *out, int64_t count);
  void (*doubles)(const uint32_t *words, double *out, int64_t count);
} berth_random_loops_t;

BERTH_ISA_TABLE(berth_random_loops_t, berth_cpu_random_loops);

#endif  // BERTH_CPU_LOOPS_RANDOM_LOOPS_H_
