// suppress.h - NonMaxSuppression: the best of boxes that overlap.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_SUPPRESS_H_
#define BERTH_OP_SUPPRESS_H_

#include "op/case.h"

// What NonMaxSuppression, its versions and the one with overlaps do: |boxes| of
// four numbers, or their overlaps, and a score for each; the best first. Those
// that overlap one that was taken too much are not taken. The thresholds are in
// inputs, or said here.
typedef struct berth_suppress {
  berth_dtype_t dtype;  // Of boxes and scores.
  int64_t boxes, most;  // The most that are taken.
  float overlap;        // Beyond which a box is not taken,
  float score;          // up to which,
  float sigma;          // and how scores of others sink. 0: not at all.
  bool has_overlaps;    // Input 0 is these.
  bool is_padded;       // There are |most| outputs, zeros behind.
} berth_suppress_t;

// Checks |op| and describes the work in |*out_suppress|. The shapes of outputs
// are known only when it has run.
BERTH_NODISCARD berth_code_t berth_op_suppress(berth_case_t *op,
                                               berth_suppress_t *out_suppress,
                                               berth_error_t *err);

// What CombinedNonMaxSuppression does: the same for each of |classes| of each
// of |batch| images; the best |total| of all classes are given.
typedef struct berth_suppress_all {
  int64_t batch, boxes, classes;
  bool has_shared;  // Boxes are the same for all classes.
  int64_t most, total;
  int64_t outputs;  // For each image; zeros behind.
  float overlap, score;
  bool clips;  // What is given lies in [0, 1].
} berth_suppress_all_t;

// Checks |op|, sets its outputs and describes the work in |*out_all|.
BERTH_NODISCARD berth_code_t berth_op_suppress_all(
    berth_case_t *op, berth_suppress_all_t *out_all, berth_error_t *err);

#endif  // BERTH_OP_SUPPRESS_H_
