// distribution.h - Random numbers whose distribution has parameters.
//
// Fails with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_DISTRIBUTION_H_
#define BERTH_OP_DISTRIBUTION_H_

#include "op/broadcast.h"
#include "op/case.h"
#include "op/source.h"

typedef enum berth_law {
  BERTH_LAW_GAMMA,     // alpha
  BERTH_LAW_POISSON,   // rate
  BERTH_LAW_BINOMIAL,  // counts, probs
  BERTH_LAW_BOUNDED,   // Normal: means, deviations, least and largest values
} berth_law_t;

// |sets| sets of parameters, and |samples| numbers for each. Number i of set s
// is at i * |sets| + s, or with |is_by_set| at s * |samples| + i; the last set
// may be short, then.
typedef struct berth_draws {
  berth_law_t law;
  berth_random_start_t start;
  bool has_long_counter;  // Of a key: the counter is two numbers, not one.
  bool is_by_set;
  int first;  // The input that is the first parameter.
  int parameters;
  int64_t count, sets, samples;
  int32_t levels;  // Dimensions of |sets|, outermost first, and for each the
                   // steps of every parameter.
  const int64_t *sizes;
  const int64_t *steps;  // levels * parameters.
} berth_draws_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_draws(berth_case_t *op,
                                            berth_draws_t *out_draws,
                                            berth_error_t *err);

// Stores which element of each parameter belongs to |set|.
static inline void berth_draws_places(const berth_draws_t *draws, int64_t set,
                                      int64_t places[4]) {
  for (int k = 0; k < draws->parameters; ++k) places[k] = 0;
  for (int32_t i = draws->levels; i-- > 0;) {
    int64_t at = set % draws->sizes[i];
    for (int k = 0; k < draws->parameters; ++k) {
      places[k] += at * draws->steps[i * draws->parameters + k];
    }
    set /= draws->sizes[i];
  }
}

// Checks the algorithm, input 1, of an op that draws from a variable's state.
// |knows_others|: it has a text of its own for those of other devices.
BERTH_NODISCARD berth_code_t berth_check_algorithm(const berth_case_t *op,
                                                   bool knows_others,
                                                   berth_error_t *err);

// Checks the two seeds of a stateless op, and key, counter and algorithm, the
// inputs from |first| on.
BERTH_NODISCARD berth_code_t berth_check_seed(const berth_case_input_t *seed,
                                              berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_check_key(const berth_case_t *op, int first,
                                             berth_error_t *err);

#endif  // BERTH_OP_DISTRIBUTION_H_
