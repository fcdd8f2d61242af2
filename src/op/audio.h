// audio.h - Ops on files of sound.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_AUDIO_H_
#define BERTH_OP_AUDIO_H_

#include "op/case.h"

// Check an op and set its outputs; those of DecodeWav are open.
BERTH_NODISCARD berth_code_t berth_op_encode_wav(berth_case_t *op,
                                                 berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_decode_wav(berth_case_t *op,
                                                 berth_error_t *err);

#endif  // BERTH_OP_AUDIO_H_
