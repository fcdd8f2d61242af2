// sample.h - Ops that draw classes: candidate samplers, and what was hit by
// accident.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_SAMPLE_H_
#define BERTH_OP_SAMPLE_H_

#include "op/case.h"

// What a sampler does: |count| draws out of |range| classes, and how often each
// of them, and of |trues| classes given, is to be expected.
typedef struct berth_sample {
  int64_t count, range, trues;
  bool is_unique;
} berth_sample_t;

// Checks a sampler of |range| classes, sets its outputs and describes the work.
BERTH_NODISCARD berth_code_t berth_op_sample(berth_case_t *op, int64_t range,
                                             berth_sample_t *out_sample,
                                             berth_error_t *err);

// ComputeAccidentalHits: checks its inputs; its outputs are as long as there are
// hits.
BERTH_NODISCARD berth_code_t berth_op_hits(berth_case_t *op,
                                           berth_error_t *err);

#endif  // BERTH_OP_SAMPLE_H_
