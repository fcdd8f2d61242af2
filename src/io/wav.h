// wav.h - Sound in files of type WAV: 16 bits a sample, not packed.
//
// Samples are floats from -1 to 1, those of one moment side by side. Pure
// functions; thread-safe.
#ifndef BERTH_IO_WAV_H_
#define BERTH_IO_WAV_H_

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

// What a file holds.
typedef struct berth_wav {
  int64_t rate;  // Moments in a second.
  int64_t channels;
  int64_t frames;       // Moments.
  const char *samples;  // Two bytes each; borrowed from the file.
} berth_wav_t;

// Appends the file of |wav|'s |frames| times |channels| samples to |out|; what
// is beyond -1 and 1 becomes that. Fails with BERTH_INVALID_ARGUMENT, in
// TensorFlow's words, for sound without channels or rate, or too long.
BERTH_NODISCARD berth_code_t berth_wav_write(const float *samples,
                                             const berth_wav_t *wav,
                                             berth_str_t *out,
                                             berth_error_t *err);

// Reads the |size| bytes of a file. Fails with BERTH_INVALID_ARGUMENT, in
// TensorFlow's words, for what is none or is packed in another way.
BERTH_NODISCARD berth_code_t berth_wav_read(const char *file, size_t size,
                                            berth_wav_t *out_wav,
                                            berth_error_t *err);

// Returns sample |i|.
float berth_wav_sample(const berth_wav_t *wav, int64_t i);

#endif  // BERTH_IO_WAV_H_
