// wav.c - Sound in files of type WAV.
#include "io/wav.h"

#include <math.h>
#include <string.h>

#include "io/varint.h"

enum { HEAD_BYTES = 36, SAMPLE_BYTES = 2, SAMPLE_BITS = 16, PIECE = 1024 };
static const float kScale = 32768.0f;

// ---- Writing ----

static void put16(berth_str_t *out, uint32_t value) {
  berth_str_putc(out, (char)(unsigned char)value);
  berth_str_putc(out, (char)(unsigned char)(value >> 8));
}

static berth_code_t check(const berth_wav_t *wav, berth_error_t *err) {
  const char *name = NULL;
  unsigned long long value = 0;
  int bits = 32;
  if (wav->rate <= 0 || wav->rate > UINT32_MAX) {
    name = "sample_rate";
    value = (unsigned long long)wav->rate;
  } else if (wav->channels <= 0 || wav->channels > UINT16_MAX) {
    name = "num_channels";
    value = (unsigned long long)wav->channels;
    bits = 16;
  } else if (wav->frames >
             (UINT32_MAX - HEAD_BYTES) / (SAMPLE_BYTES * wav->channels)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Provided channels and frames cannot be encoded as "
                           "a WAV.");
  }
  if (name == NULL) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be in (0, 2^%d), got: %llu", name, bits,
                         value);
}

static void put_head(const berth_wav_t *wav, uint32_t bytes, berth_str_t *out) {
  uint32_t each = (uint32_t)wav->channels * SAMPLE_BYTES;
  berth_str_puts(out, "RIFF");
  berth_fixed32_put(out, HEAD_BYTES + bytes);
  berth_str_puts(out, "WAVEfmt ");
  berth_fixed32_put(out, 16);
  put16(out, 1);
  put16(out, (uint32_t)wav->channels);
  berth_fixed32_put(out, (uint32_t)wav->rate);
  berth_fixed32_put(out, (uint32_t)wav->rate * each);
  put16(out, each);
  put16(out, SAMPLE_BITS);
  berth_str_puts(out, "data");
  berth_fixed32_put(out, bytes);
}

// Returns the nearest whole number in range, away from 0 where there are two;
// what is just below a half does not reach the next with that half.
static inline int16_t sample_of(float x) {
  x = x == x ? x : 0;
  x = x > -kScale ? x : -kScale;
  x = x < kScale - 1 ? x : kScale - 1;
  return (int16_t)(x + (x < 0 ? -0x1.fffffep-2f : 0x1.fffffep-2f));
}

berth_code_t berth_wav_write(const float *samples, const berth_wav_t *wav,
                             berth_str_t *out, berth_error_t *err) {
  BERTH_TRY(check(wav, err));
  int64_t count = wav->frames * wav->channels;
  put_head(wav, (uint32_t)(count * SAMPLE_BYTES), out);
  int16_t piece[PIECE];
  for (int64_t at = 0, size; at < count; at += size) {
    size = count - at < PIECE ? count - at : PIECE;
    for (int64_t i = 0; i < size; ++i) {
      piece[i] = sample_of(samples[at + i] * kScale);
    }
    berth_str_put(out, (const char *)piece, (size_t)size * SAMPLE_BYTES);
  }
  return BERTH_OK;
}

// ---- Reading ----

static berth_code_t fail(berth_error_t *err, const char *text) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s", text);
}

// Takes |size| bytes from |at|.
static berth_code_t take(berth_varints_t *at, size_t size,
                         const unsigned char **out, berth_error_t *err) {
  if (size > (size_t)(at->end - at->at)) {
    return fail(err, "Data too short when trying to read string");
  }
  *out = at->at;
  at->at += size;
  return BERTH_OK;
}

static berth_code_t expect(berth_varints_t *at, const char *word,
                           berth_error_t *err) {
  const unsigned char *found = NULL;
  BERTH_TRY(take(at, 4, &found, err));
  if (memcmp(found, word, 4) == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Header mismatch: Expected %s but found %.4s", word,
                         (const char *)found);
}

static uint32_t get16(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

// Reads the part that says how samples lie.
static berth_code_t read_format(berth_varints_t *at, berth_wav_t *wav,
                                berth_error_t *err) {
  const unsigned char *in = NULL;
  BERTH_TRY(take(at, 20, &in, err));
  uint32_t size = berth_fixed32_get(in), format = get16(in + 4);
  uint32_t channels = get16(in + 6), rate = berth_fixed32_get(in + 8);
  uint32_t second = berth_fixed32_get(in + 12), each = get16(in + 16);
  uint32_t bits = get16(in + 18), wanted = channels * SAMPLE_BYTES;
  const char *text = NULL;
  uint32_t value = 0;
  if (size != 16 && size != 18) {
    text = "Bad format chunk size for WAV: Expected 16 or 18, but got%u";
    value = size;
  } else if (format != 1) {
    text = "Bad audio format for WAV: Expected 1 (PCM), but got%u";
    value = format;
  } else if (channels == 0) {
    text = "Bad number of channels for WAV: Expected at least 1, but got %u";
  } else if (bits != SAMPLE_BITS) {
    text = "Can only read 16-bit WAV files, but received %u";
    value = bits;
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (text != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, text, value);
  }
#pragma GCC diagnostic pop
  if (each != wanted) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Bad bytes per sample in WAV header: Expected %u but got %u", wanted,
        each);
  }
  if (second != rate * each) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Bad bytes per second in WAV header: Expected %u but got %u "
        "(sample_rate=%u, bytes_per_sample=%u)",
        rate * each, second, rate, each);
  }
  wav->channels = channels;
  wav->rate = rate;
  return size == 18 ? take(at, 2, &in, err) : BERTH_OK;
}

static berth_code_t size_of_part(const unsigned char *part, size_t *out_size,
                                 berth_error_t *err) {
  *out_size = berth_fixed32_get(part + 4);
  if (*out_size <= INT32_MAX) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "WAV data chunk '%.4s' is too large: %zu bytes, but "
                         "the limit is 2147483647",
                         (const char *)part, *out_size);
}

static void pass(berth_varints_t *at, size_t size) {
  size_t left = (size_t)(at->end - at->at);
  at->at += size < left ? size : left;
}

// Passes what may stand in front of the format.
static berth_code_t find_format(berth_varints_t *at, berth_error_t *err) {
  const unsigned char *in = NULL;
  for (;;) {
    BERTH_TRY(take(at, 4, &in, err));
    if (memcmp(in, "fmt ", 4) == 0) return BERTH_OK;
    if (memcmp(in, "JUNK", 4) != 0 && memcmp(in, "bext", 4) != 0) break;
    const unsigned char *size = NULL;
    BERTH_TRY(take(at, 4, &size, err));
    pass(at, berth_fixed32_get(size));
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Unexpected field %.4s",
                         (const char *)in);
}

// Reads the parts behind the format; that of samples must be there once.
static berth_code_t read_parts(berth_varints_t *at, berth_wav_t *wav,
                               berth_error_t *err) {
  while (at->at < at->end) {
    const unsigned char *part = NULL, *in = NULL;
    BERTH_TRY(take(at, 8, &part, err));
    size_t size = 0;
    BERTH_TRY(size_of_part(part, &size, err));
    if (memcmp(part, "data", 4) != 0) {
      pass(at, size);
      continue;
    }
    if (wav->samples != NULL) {
      return fail(err, "More than one data chunk found in WAV");
    }
    wav->frames = (int64_t)size / (wav->channels * SAMPLE_BYTES);
    size = (size_t)(wav->frames * wav->channels * SAMPLE_BYTES);
    BERTH_TRY(take(at, size, &in, err));
    wav->samples = (const char *)in;
  }
  if (wav->samples != NULL) return BERTH_OK;
  return fail(err, "No data chunk found in WAV");
}

berth_code_t berth_wav_read(const char *file, size_t size, berth_wav_t *out_wav,
                            berth_error_t *err) {
  const unsigned char *bytes = (const void *)file, *in = NULL;
  berth_varints_t at = {bytes, bytes + size};
  berth_wav_t wav = {0};
  BERTH_TRY(expect(&at, "RIFF", err));
  BERTH_TRY(take(&at, 4, &in, err));
  BERTH_TRY(expect(&at, "WAVE", err));
  BERTH_TRY(find_format(&at, err));
  BERTH_TRY(read_format(&at, &wav, err));
  BERTH_TRY(read_parts(&at, &wav, err));
  *out_wav = wav;
  return BERTH_OK;
}

float berth_wav_sample(const berth_wav_t *wav, int64_t i) {
  const unsigned char *at = (const void *)(wav->samples + i * SAMPLE_BYTES);
  return (float)(int16_t)get16(at) / kScale;
}
