// ctc.h - Connectionist temporal classification: losses and decoding.
#ifndef BERTH_OP_CTC_H_
#define BERTH_OP_CTC_H_

#include "op/case.h"

// Logits of |time| x |batch| x |classes|, of which |blank| says nothing.
typedef struct berth_ctc {
  berth_dtype_t dtype;
  int64_t time, batch, classes, blank;
  int64_t end;     // What is no label begins here.
  int64_t labels;  // How many, of all rows.
  bool collapses;  // Equal labels side by side are one, before anything else.
  bool merges;     // Equal ones that are seen side by side count once.
  bool ignores;    // Rows with more labels than time are no error.
  int64_t width;   // Paths of a beam,
  int64_t paths;   // and those that are given.
} berth_ctc_t;

// Check |op|, set its outputs and describe the work: CTCLoss, CTCGreedyDecoder.
// Fail with BERTH_INVALID_ARGUMENT or BERTH_FAILED_PRECONDITION in TensorFlow's
// words.
BERTH_NODISCARD berth_code_t berth_op_ctc_loss(berth_case_t *op,
                                               berth_ctc_t *out,
                                               berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_ctc_greedy(berth_case_t *op,
                                                 berth_ctc_t *out,
                                                 berth_error_t *err);

// The same for CTCBeamSearchDecoder.
BERTH_NODISCARD berth_code_t berth_op_ctc_beam(berth_case_t *op,
                                               berth_ctc_t *out,
                                               berth_error_t *err);

#endif  // BERTH_OP_CTC_H_
