// ctc.h - What kernels of connectionist temporal classification share.
#ifndef BERTH_CPU_OPS_CTC_H_
#define BERTH_CPU_OPS_CTC_H_

#include <math.h>

#include "op/ctc.h"

// Rounds |x| to the type of the elements: all steps are, as TensorFlow takes
// them, since gradients are small differences.
static inline double berth_ctc_round(const berth_ctc_t *ctc, double x) {
  return ctc->dtype == BERTH_FLOAT ? (double)(float)x : x;
}

// Returns log(exp(a) + exp(b)); what is added to the larger is a float.
static inline double berth_ctc_log_add(const berth_ctc_t *ctc, double a,
                                       double b) {
  double most = a > b ? a : b, least = a > b ? b : a;
  if (least == -INFINITY) return most;
  double more = (double)log1pf(expf((float)(least - most)));
  return berth_ctc_round(ctc, most + more);
}

// Checks that no row of |lengths| is longer than there is time; |code| is for
// one that is.
BERTH_NODISCARD berth_code_t berth_ctc_check_lengths(const berth_ctc_t *ctc,
                                                     const int32_t *lengths,
                                                     berth_code_t code,
                                                     berth_error_t *err);

#endif  // BERTH_CPU_OPS_CTC_H_
