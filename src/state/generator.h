// generator.h - The random sequence of one node.
//
// Every random op has a sequence of its own, given by its two seeds, that goes
// on from run to run. A run reserves as much of it as it may need and then
// draws from its part alone, on as many threads as it likes.
//
// Thread-safe.
#ifndef BERTH_STATE_GENERATOR_H_
#define BERTH_STATE_GENERATOR_H_

#include "base/error.h"
#include "state/container.h"
#include "state/philox.h"

typedef struct berth_generator berth_generator_t;

// Steps of the counter that TensorFlow sets aside for each output, whatever an
// op really uses.
#define BERTH_GENERATOR_STEPS 256

// Returns the beginning of the sequence of two seeds; 0 and 0 ask for one that
// nobody can foresee.
berth_philox_t berth_generator_begin(int64_t seed, int64_t seed2);

// Finds or makes the generator called |key| in |container_name|. Seeds 0 and 0
// ask for a sequence that nobody can foresee; seeds of one that exists already
// count for nothing. The caller owns one reference.
BERTH_NODISCARD berth_code_t
berth_generator_get(berth_container_t *container, const char *container_name,
                    const char *key, int64_t seed, int64_t seed2,
                    berth_generator_t **out_generator, berth_error_t *err);

// Takes |steps| steps out of the sequence and returns where they begin.
berth_philox_t berth_generator_reserve(berth_generator_t *generator,
                                       uint64_t steps);

#endif  // BERTH_STATE_GENERATOR_H_
