// summary_value.c - Values as TensorBoard shows them: numbers, their spread,
// tensors, images, sound.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/loops/number.h"
#include "cpu/ops/summary.h"
#include "io/image/image.h"
#include "io/message.h"
#include "io/wav.h"

// Fields of Summary, its values, and what they hold.
enum {
  VALUE = 1,
  TAG = 1,
  SIMPLE = 2,
  IMAGE = 4,
  HISTO = 5,
  AUDIO = 6,
  TENSOR = 8,
  METADATA = 9,
  HEIGHT = 1,
  WIDTH = 2,
  COLORSPACE = 3,
  ENCODED = 4,
  LIMITS = 6,
  BUCKETS = 7,
  RATE = 1,
  CHANNELS = 2,
  FRAMES = 3,
  CONTENT_TYPE = 5,
  DTYPE = 1,
  SHAPE = 2,
  CONTENT = 4,
  STRINGS = 8,
  DIM = 2,
  SIZE = 1,
};

static void put_string(berth_str_t *to, int field,
                       const berth_string_t *string) {
  size_t size = 0;
  const char *text = berth_string_get(string, &size);
  berth_field_text(to, field, text, size);
}

void berth_summary_put_number(berth_str_t *summary, const berth_string_t *tag,
                              float number) {
  berth_str_t value = {0};
  put_string(&value, TAG, tag);
  berth_field_float(&value, SIMPLE, number);
  berth_field_message(summary, VALUE, &value);
}

// ---- Tensors ----

void berth_summary_put_proto(berth_str_t *to,
                             const berth_summary_data_t *data) {
  berth_str_t shape = {0};
  for (int32_t i = 0; i < data->dims.rank; ++i) {
    berth_str_t dim = {0};
    berth_field_number(&dim, SIZE, data->dims.dims[i]);
    berth_field_message(&shape, DIM, &dim);
  }
  berth_field_number(to, DTYPE, data->dtype);
  berth_field_message(to, SHAPE, &shape);
  if (data->dtype != BERTH_STRING) {
    berth_field_text(to, CONTENT, data->data,
                     berth_dtype_size(data->dtype) * (size_t)data->count);
    return;
  }
  const berth_string_t *strings = data->data;
  for (int64_t i = 0; i < data->count; ++i) {
    size_t size = 0;
    const char *text = berth_string_get(&strings[i], &size);
    berth_field_bytes(to, STRINGS, text, size);
  }
}

void berth_summary_put_tensor(berth_str_t *summary,
                              const berth_summary_data_t *data,
                              const berth_string_t *metadata) {
  berth_str_t value = {0}, tensor = {0};
  put_string(&value, TAG, data->tag);
  berth_summary_put_proto(&tensor, data);
  berth_field_message(&value, TENSOR, &tensor);
  if (metadata != NULL) {
    size_t size = 0;
    const char *text = berth_string_get(metadata, &size);
    berth_field_bytes(&value, METADATA, text, size);
  }
  berth_field_message(summary, VALUE, &value);
}

// ---- Histograms ----

enum { SIDE = 775, LIMIT_COUNT = 2 * SIDE + 1 };

// Fills in where buckets end: a tenth apart, both ways from zero.
static void limits_fill(double limits[LIMIT_COUNT]) {
  double *zero = limits + SIDE, at = 1e-12;
  *zero = 0;
  for (int i = 1; i < SIDE; ++i, at *= 1.1) {
    zero[i] = at;
    zero[-i] = -at;
  }
  zero[SIDE] = DBL_MAX;
  zero[-SIDE] = -DBL_MAX;
}

// Returns the first bucket whose end is above |x|.
static int bucket_of(const double *limits, double x) {
  int low = 0, high = LIMIT_COUNT;
  while (low < high) {
    int middle = (low + high) / 2;
    if (limits[middle] > x) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low < LIMIT_COUNT ? low : LIMIT_COUNT - 1;
}

typedef struct histogram {
  double limits[LIMIT_COUNT], buckets[LIMIT_COUNT];
  double min, max, num, sum, squares;
} histogram_t;

static void histogram_add(histogram_t *h, double x) {
  ++h->buckets[bucket_of(h->limits, x)];
  if (x < h->min) h->min = x;
  if (x > h->max) h->max = x;
  ++h->num;
  h->sum += x;
  h->squares += x * x;
}

// Writes the buckets; of empty ones in a row the last.
static void buckets_put(const histogram_t *h, berth_str_t *to) {
  berth_str_t limits = {0}, counts = {0};
  for (int i = 0; i < LIMIT_COUNT;) {
    double end = h->limits[i], count = h->buckets[i++];
    while (count <= 0 && i < LIMIT_COUNT && h->buckets[i] <= 0) {
      end = h->limits[i++];
    }
    berth_str_put(&limits, (const char *)&end, sizeof(end));
    berth_str_put(&counts, (const char *)&count, sizeof(count));
  }
  berth_field_message(to, LIMITS, &limits);
  berth_field_message(to, BUCKETS, &counts);
}

static void histogram_put(const histogram_t *h, berth_str_t *to) {
  berth_field_double(to, 1, h->min);
  berth_field_double(to, 2, h->max);
  berth_field_double(to, 3, h->num);
  berth_field_double(to, 4, h->sum);
  berth_field_double(to, 5, h->squares);
  buckets_put(h, to);
}

static berth_code_t histogram_fill(const berth_summary_data_t *data,
                                   const berth_summary_words_t *words,
                                   histogram_t *h, berth_error_t *err) {
  limits_fill(h->limits);
  h->min = DBL_MAX;
  h->max = -DBL_MAX;
  for (int64_t i = 0; i < data->count; ++i) {
    double x = berth_number_at(data->dtype, data->data, i);
    if (isnan(x) || isinf(x)) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT, "%s for: %s",
          isnan(x) ? "Nan in summary histogram" : words->infinity, words->name);
    }
    histogram_add(h, x);
  }
  return BERTH_OK;
}

berth_code_t berth_summary_put_histogram(berth_str_t *summary,
                                         const berth_summary_data_t *data,
                                         const berth_summary_words_t *words,
                                         berth_error_t *err) {
  histogram_t *h = berth_calloc(1, sizeof(*h));
  if (h == NULL) return berth_error_no_memory(err, "a histogram");
  berth_code_t code = histogram_fill(data, words, h, err);
  if (code == BERTH_OK) {
    berth_str_t histo = {0}, value = {0};
    histogram_put(h, &histo);
    put_string(&value, TAG, data->tag);
    berth_field_message(&value, HISTO, &histo);
    berth_field_message(summary, VALUE, &value);
  }
  berth_free(h);
  return code;
}

// ---- Images ----

// Brings floats into bytes: as TensorFlow does, the largest becomes 255, or
// where some are below zero, zero 128 and the farthest from it 255 or 1.
static void image_scale(const berth_summary_data_t *data,
                        const berth_image_summary_t *images, int64_t first,
                        unsigned char *to) {
  int64_t pixels = images->height * images->width, depth = images->channels;
  double min = INFINITY, max = -INFINITY;
  for (int64_t i = 0; i < pixels * depth; ++i) {
    double x = berth_number_at(data->dtype, data->data, first + i);
    if (!isfinite(x)) continue;
    if (x < min) min = x;
    if (x > max) max = x;
  }
  double most = min < 0 ? fmax(-min, max) : max, offset = min < 0 ? 128 : 0;
  double scale = most < 1e-6 ? 0 : (min < 0 ? 127 : 255) / most;
  for (int64_t p = 0; p < pixels; ++p, first += depth, to += depth) {
    bool is_finite = true;
    for (int64_t c = 0; c < depth; ++c) {
      double x = berth_number_at(data->dtype, data->data, first + c);
      is_finite = is_finite && isfinite(x);
      if (is_finite)
        to[c] = (unsigned char)((float)x * (float)scale + (float)offset);
    }
    if (!is_finite) memcpy(to, images->bad_color, (size_t)depth);
  }
}

// Writes the tag of part |index| of |count|: "tag/kind/index", without a number
// where one is all that is wanted.
static void put_tag(berth_str_t *value, const berth_string_t *tag,
                    const char *kind, int64_t index, bool is_single) {
  berth_str_t name = {0};
  size_t size = 0;
  const char *text = berth_string_get(tag, &size);
  berth_str_put(&name, text, size);
  berth_str_printf(&name, "/%s", kind);
  if (!is_single) berth_str_printf(&name, "/%lld", (long long)index);
  berth_field_message(value, TAG, &name);
}

static berth_code_t image_put(const berth_image_summary_t *images,
                              const berth_string_t *tag, int64_t index,
                              const unsigned char *pixels, berth_str_t *summary,
                              berth_error_t *err) {
  berth_image_size_t size = {1, images->height, images->width,
                             images->channels};
  berth_str_t file = {0}, image = {0}, value = {0};
  berth_code_t code = berth_png_write(pixels, &size, 8, -1, &file, err);
  if (code == BERTH_OK) {
    berth_field_number(&image, HEIGHT, images->height);
    berth_field_number(&image, WIDTH, images->width);
    berth_field_number(&image, COLORSPACE, images->channels);
    berth_field_message(&image, ENCODED, &file);
    put_tag(&value, tag, "image", index, images->is_single);
    berth_field_message(&value, IMAGE, &image);
    berth_field_message(summary, VALUE, &value);
  }
  berth_str_clear(&file);
  return code;
}

berth_code_t berth_summary_put_images(berth_str_t *summary,
                                      const berth_summary_data_t *data,
                                      const berth_image_summary_t *images,
                                      berth_error_t *err) {
  int64_t each = images->height * images->width * images->channels;
  unsigned char *scaled = berth_alloc((size_t)each + 1);
  if (scaled == NULL) return berth_error_no_memory(err, "an image");
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < images->count; ++i) {
    const unsigned char *pixels = (const unsigned char *)data->data + i * each;
    if (data->dtype != BERTH_UINT8) {
      image_scale(data, images, i * each, scaled);
      pixels = scaled;
    }
    code = image_put(images, data->tag, i, pixels, summary, err);
  }
  berth_free(scaled);
  return code;
}

// ---- Sound ----

static berth_code_t sound_put(const berth_audio_summary_t *audio,
                              const berth_string_t *tag, int64_t index,
                              const float *samples, float rate,
                              berth_str_t *summary, berth_error_t *err) {
  static const char type[] = "audio/wav";
  berth_wav_t wav = {.rate = (int64_t)lroundf(rate),
                     .channels = audio->channels,
                     .frames = audio->frames};
  berth_str_t file = {0}, sound = {0}, value = {0};
  BERTH_TRY(berth_wav_write(samples, &wav, &file, err));
  berth_field_float(&sound, RATE, rate);
  berth_field_number(&sound, CHANNELS, audio->channels);
  berth_field_number(&sound, FRAMES, audio->frames);
  berth_field_message(&sound, ENCODED, &file);
  berth_field_text(&sound, CONTENT_TYPE, type, sizeof(type) - 1);
  put_tag(&value, tag, "audio", index, audio->is_single);
  berth_field_message(&value, AUDIO, &sound);
  berth_field_message(summary, VALUE, &value);
  return BERTH_OK;
}

berth_code_t berth_summary_put_audio(berth_str_t *summary,
                                     const berth_summary_data_t *data,
                                     const berth_audio_summary_t *audio,
                                     float rate, berth_error_t *err) {
  if (!(rate > 0)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "sample_rate must be > 0");
  }
  int64_t each = audio->frames * audio->channels;
  const float *samples = data->data;
  for (int64_t i = 0; i < audio->count; ++i) {
    const float *from = each > 0 ? samples + i * each : NULL;
    BERTH_TRY(sound_put(audio, data->tag, i, from, rate, summary, err));
  }
  return BERTH_OK;
}
