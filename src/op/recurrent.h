// recurrent.h - Cells of recurrent networks: LSTM and GRU, as one op each.
#ifndef BERTH_OP_RECURRENT_H_
#define BERTH_OP_RECURRENT_H_

#include "op/case.h"

// A cell, or |steps| of them one after the other.
typedef struct berth_recurrent {
  berth_dtype_t dtype;
  int64_t steps, batch, input, cell;
  bool has_peephole;
  bool is_second;  // Gates are input, forget, cell, output; else cell, forget.
  float forget_bias;
  float clip;  // Of what a cell holds; 0 or less: none.
} berth_recurrent_t;

// Check |op|, set its outputs and describe the work: LSTMBlockCell and its
// gradient; BlockLSTM, BlockLSTMV2 and theirs; GRUBlockCell and its gradient.
// Fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_lstm_cell(berth_case_t *op,
                                                berth_recurrent_t *out,
                                                berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_lstm_cell_grad(berth_case_t *op,
                                                     berth_recurrent_t *out,
                                                     berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_lstm(berth_case_t *op,
                                           berth_recurrent_t *out,
                                           berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_lstm_grad(berth_case_t *op,
                                                berth_recurrent_t *out,
                                                berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_gru_cell(berth_case_t *op,
                                               berth_recurrent_t *out,
                                               berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_gru_cell_grad(berth_case_t *op,
                                                    berth_recurrent_t *out,
                                                    berth_error_t *err);

#endif  // BERTH_OP_RECURRENT_H_
