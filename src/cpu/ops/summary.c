// summary.c - Kernels that describe values for TensorBoard.
//
// An output is a message Summary: a list of values, each with a tag. Messages
// are written field by field, as berth/wire's summary.proto has them.
#include "op/summary.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "io/image/image.h"
#include "io/varint.h"
#include "tensor/string.h"

// ---- Messages ----

static const char *text_of(const berth_string_t *string) {
  size_t size = 0;
  return berth_string_get(string, &size);
}

static size_t size_of(const berth_string_t *string) {
  size_t size = 0;
  (void)berth_string_get(string, &size);
  return size;
}

// Fields of Summary, its values, and what they hold.
enum {
  VALUE = 1,
  TAG = 1,
  SIMPLE = 2,
  IMAGE = 4,
  HISTO = 5,
  HEIGHT = 1,
  WIDTH = 2,
  COLORSPACE = 3,
  ENCODED = 4,
  LIMITS = 6,
  BUCKETS = 7,
};

enum { NUMBER = 0, DOUBLE = 1, BYTES = 2, FLOAT = 5 };  // Kinds of fields.

static void put_key(berth_str_t *to, int field, int kind) {
  berth_varint_put(to, (uint64_t)(field << 3 | kind));
}

static void put_bytes(berth_str_t *to, int field, const void *bytes,
                      size_t size) {
  put_key(to, field, BYTES);
  berth_varint_put(to, size);
  berth_str_put(to, bytes, size);
}

static void put_number(berth_str_t *to, int field, int64_t value) {
  if (value == 0) return;
  put_key(to, field, NUMBER);
  berth_varint_put(to, (uint64_t)value);
}

static void put_double(berth_str_t *to, int field, double value) {
  if (value == 0) return;
  put_key(to, field, DOUBLE);
  berth_str_put(to, (const char *)&value, sizeof(value));
}

static void put_message(berth_str_t *to, int field, const berth_str_t *inner) {
  put_bytes(to, field, berth_str_get(inner), inner->size);
}

// Stores |message| in |out| and empties it.
static berth_code_t keep(berth_str_t *message, void *out, berth_error_t *err) {
  bool ok = berth_str_ok(message) &&
            berth_string_set(out, berth_str_get(message), message->size);
  berth_str_clear(message);
  return ok ? BERTH_OK : berth_error_no_memory(err, "a summary");
}

typedef struct plan {
  int64_t count;
  berth_dtype_t dtype;
  berth_image_summary_t images;
} plan_t;

// ---- Numbers ----

static berth_code_t run_scalar(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_string_t *tags = args[0];
  berth_str_t summary = {0};
  for (int64_t i = 0; i < plan->count; ++i) {
    berth_str_t value = {0};
    float number = (float)berth_number_at(plan->dtype, args[1], i);
    put_bytes(&value, TAG, text_of(&tags[i]), size_of(&tags[i]));
    put_key(&value, SIMPLE, FLOAT);
    berth_str_put(&value, (const char *)&number, sizeof(number));
    put_message(&summary, VALUE, &value);
    berth_str_clear(&value);
  }
  return keep(&summary, args[2], call->err);
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
  put_message(to, LIMITS, &limits);
  put_message(to, BUCKETS, &counts);
  berth_str_clear(&limits);
  berth_str_clear(&counts);
}

static void histogram_put(const histogram_t *h, berth_str_t *to) {
  put_double(to, 1, h->min);
  put_double(to, 2, h->max);
  put_double(to, 3, h->num);
  put_double(to, 4, h->sum);
  put_double(to, 5, h->squares);
  buckets_put(h, to);
}

static berth_code_t histogram_fill(const plan_t *plan, const void *values,
                                   histogram_t *h, berth_call_t *call) {
  limits_fill(h->limits);
  h->min = DBL_MAX;
  h->max = -DBL_MAX;
  for (int64_t i = 0; i < plan->count; ++i) {
    double x = berth_number_at(plan->dtype, values, i);
    if (isnan(x) || isinf(x)) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT, "%s for: %s",
          isnan(x) ? "Nan in summary histogram" : "Infinity in Histogram",
          call->node->name);
    }
    histogram_add(h, x);
  }
  return BERTH_OK;
}

static berth_code_t run_histogram(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const berth_string_t *tag = args[0];
  histogram_t *h = berth_calloc(1, sizeof(*h));
  if (h == NULL) return berth_error_no_memory(call->err, "a histogram");
  berth_code_t code = histogram_fill(arg, args[1], h, call);
  if (code == BERTH_OK) {
    berth_str_t histo = {0}, value = {0}, summary = {0};
    histogram_put(h, &histo);
    put_bytes(&value, TAG, text_of(tag), size_of(tag));
    put_message(&value, HISTO, &histo);
    put_message(&summary, VALUE, &value);
    berth_str_clear(&histo);
    berth_str_clear(&value);
    code = keep(&summary, args[2], call->err);
  }
  berth_free(h);
  return code;
}

// ---- Images ----

// Brings floats into bytes: as TensorFlow does, the largest becomes 255, or
// where some are below zero, zero 128 and the farthest from it 255 or 1.
static void image_scale(const plan_t *plan, const void *from, int64_t first,
                        unsigned char *to) {
  const berth_image_summary_t *images = &plan->images;
  int64_t pixels = images->height * images->width, depth = images->channels;
  double min = INFINITY, max = -INFINITY;
  for (int64_t i = 0; i < pixels * depth; ++i) {
    double x = berth_number_at(plan->dtype, from, first + i);
    if (!isfinite(x)) continue;
    if (x < min) min = x;
    if (x > max) max = x;
  }
  double most = min < 0 ? fmax(-min, max) : max, offset = min < 0 ? 128 : 0;
  double scale = most < 1e-6 ? 0 : (min < 0 ? 127 : 255) / most;
  for (int64_t p = 0; p < pixels; ++p, first += depth, to += depth) {
    bool is_finite = true;
    for (int64_t c = 0; c < depth; ++c) {
      double x = berth_number_at(plan->dtype, from, first + c);
      is_finite = is_finite && isfinite(x);
      if (is_finite)
        to[c] = (unsigned char)((float)x * (float)scale + (float)offset);
    }
    if (!is_finite) memcpy(to, images->bad_color, (size_t)depth);
  }
}

static berth_code_t image_put(const plan_t *plan, const berth_string_t *tag,
                              int64_t index, const unsigned char *pixels,
                              berth_str_t *summary, berth_error_t *err) {
  const berth_image_summary_t *images = &plan->images;
  berth_image_size_t size = {1, images->height, images->width,
                             images->channels};
  berth_str_t file = {0}, image = {0}, value = {0}, name = {0};
  berth_code_t code = berth_png_write(pixels, &size, 8, -1, &file, err);
  if (code == BERTH_OK) {
    put_number(&image, HEIGHT, images->height);
    put_number(&image, WIDTH, images->width);
    put_number(&image, COLORSPACE, images->channels);
    put_message(&image, ENCODED, &file);
    berth_str_put(&name, text_of(tag), size_of(tag));
    berth_str_printf(&name, "/image");
    if (!images->is_single) berth_str_printf(&name, "/%lld", (long long)index);
    put_message(&value, TAG, &name);
    put_message(&value, IMAGE, &image);
    put_message(summary, VALUE, &value);
  }
  berth_str_clear(&file);
  berth_str_clear(&image);
  berth_str_clear(&value);
  berth_str_clear(&name);
  return code;
}

static berth_code_t run_image(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_image_summary_t *images = &plan->images;
  int64_t each = images->height * images->width * images->channels;
  unsigned char *scaled = berth_alloc((size_t)each + 1);
  if (scaled == NULL) return berth_error_no_memory(call->err, "an image");
  berth_str_t summary = {0};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < images->count; ++i) {
    const unsigned char *pixels = (const unsigned char *)args[1] + i * each;
    if (plan->dtype != BERTH_UINT8) {
      image_scale(plan, args[1], i * each, scaled);
      pixels = scaled;
    }
    code = image_put(plan, args[0], i, pixels, &summary, call->err);
  }
  berth_free(scaled);
  if (code == BERTH_OK) return keep(&summary, args[2], call->err);
  berth_str_clear(&summary);
  return code;
}

// ---- Several ----

// Reads the next value of a summary, and its tag; false at the end or where it
// is none.
static bool value_next(berth_varints_t *at, berth_varints_t *out_tag,
                       bool *out_is_bad) {
  uint64_t key = 0, size = 0;
  *out_is_bad = at->at < at->end;
  if (at->at == at->end || !berth_varint_read(at, &key) ||
      key != (VALUE << 3 | BYTES) || !berth_varint_read(at, &size) ||
      size > (uint64_t)(at->end - at->at)) {
    return false;
  }
  berth_varints_t inner = {at->at, at->at + size};
  at->at = inner.end;
  *out_tag = (berth_varints_t){inner.at, inner.at};
  if (berth_varint_read(&inner, &key) && key == (TAG << 3 | BYTES) &&
      berth_varint_read(&inner, &size) &&
      size <= (uint64_t)(inner.end - inner.at)) {
    *out_tag = (berth_varints_t){inner.at, inner.at + size};
  }
  return true;
}

static bool is_tag(const berth_varints_t *a, const berth_varints_t *b) {
  size_t size = (size_t)(a->end - a->at);
  return size == (size_t)(b->end - b->at) && memcmp(a->at, b->at, size) == 0;
}

// Fails where |tag| is among the tags of |summary|.
static berth_code_t check_tag(const berth_str_t *summary,
                              const berth_varints_t *tag, berth_error_t *err) {
  const unsigned char *bytes = (const void *)berth_str_get(summary);
  berth_varints_t at = {bytes, bytes + summary->size}, other;
  bool is_bad = false;
  while (value_next(&at, &other, &is_bad)) {
    if (tag->at == tag->end || !is_tag(&other, tag)) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Duplicate tag %.*s found in summary inputs ",
                           (int)(tag->end - tag->at), (const char *)tag->at);
  }
  return BERTH_OK;
}

static berth_code_t summary_add(berth_str_t *summary,
                                const berth_string_t *more,
                                berth_error_t *err) {
  const unsigned char *bytes = (const void *)text_of(more);
  berth_varints_t at = {bytes, bytes + size_of(more)}, tag;
  bool is_bad = false;
  const unsigned char *begin = at.at;
  while (value_next(&at, &tag, &is_bad)) {
    BERTH_TRY(check_tag(summary, &tag, err));
    berth_str_put(summary, (const char *)begin, (size_t)(at.at - begin));
    begin = at.at;
  }
  if (!is_bad) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Could not parse one of the summary inputs");
}

static berth_code_t run_merge(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_str_t summary = {0};
  int inputs = call->node->input_count;
  for (int i = 0; i < inputs; ++i) {
    const berth_string_t *strings = args[i];
    int64_t count = inputs == 1 ? plan->count : 1;
    for (int64_t j = 0; j < count; ++j) {
      berth_code_t code = summary_add(&summary, &strings[j], call->err);
      if (code == BERTH_OK) continue;
      berth_str_clear(&summary);
      return code;
    }
  }
  return keep(&summary, args[inputs], call->err);
}

// ---- Preparing ----

static plan_t *plan_new(berth_prepare_t *prepare, int values) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return NULL;
  plan->count = prepare->op.inputs[values].count;
  plan->dtype = prepare->op.inputs[values].dtype;
  prepare->work = plan->count * 30;
  return plan;
}

static berth_code_t prepare_scalar(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(berth_op_scalar_summary(&prepare->op, err));
  prepare->run = run_scalar;
  return plan_new(prepare, 1) != NULL ? BERTH_OK
                                      : berth_error_no_memory(err, "a plan");
}

static berth_code_t prepare_histogram(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  BERTH_TRY(berth_op_histogram_summary(&prepare->op, err));
  prepare->run = run_histogram;
  return plan_new(prepare, 1) != NULL ? BERTH_OK
                                      : berth_error_no_memory(err, "a plan");
}

static berth_code_t prepare_image(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = plan_new(prepare, 1);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_image;
  return berth_op_image_summary(&prepare->op, &plan->images, err);
}

static berth_code_t prepare_merge(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_op_merge_summary(&prepare->op, err));
  prepare->run = run_merge;
  return plan_new(prepare, 0) != NULL ? BERTH_OK
                                      : berth_error_no_memory(err, "a plan");
}

const berth_kernel_t berth_cpu_summary_kernels[] = {
    {.op = "HistogramSummary", .prepare = prepare_histogram},
    {.op = "ImageSummary", .prepare = prepare_image},
    {.op = "MergeSummary", .prepare = prepare_merge},
    {.op = "ScalarSummary", .prepare = prepare_scalar},
    {.op = NULL},
};
