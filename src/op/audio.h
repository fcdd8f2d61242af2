// audio.h - Ops on files of sound, and on what is heard in it.
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

// What AudioSpectrogram does: |frames| windows of |size| moments, |stride|
// apart, of each of |channels|, become |bands| numbers each.
typedef struct berth_spectrogram {
  int64_t channels, moments, frames, size, stride, bands;
  bool is_squared;
} berth_spectrogram_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_spectrogram(berth_case_t *op,
                                                  berth_spectrogram_t *out,
                                                  berth_error_t *err);

// What Mfcc does: |rows| of |bands| become |coefficients| numbers each, through
// |filters| between two frequencies.
typedef struct berth_mfcc {
  int64_t rows, bands, filters, coefficients;
  double low, high;
} berth_mfcc_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_mfcc(berth_case_t *op, berth_mfcc_t *out,
                                           berth_error_t *err);

#endif  // BERTH_OP_AUDIO_H_
