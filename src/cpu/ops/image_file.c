// image_file.c - Kernels that read and write images as the bytes of files.
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "io/image/image.h"
#include "op/image_file.h"
#include "tensor/string.h"

// ---- Where pixels go ----

// The output, or room for bytes that become wider numbers afterwards.
typedef struct sink {
  berth_image_sink_t base;
  const berth_image_decode_t *decode;
  berth_call_t *call;
  int64_t size;  // Of the file.
  bool is_png, is_animation;
  bool is_refused;  // The size was, in words.
  int bits;         // Of a channel, as they are read.
  void *pixels;     // What is not the output's own; to be freed.
  berth_tensor_t *out;
  int64_t count;  // Of numbers.
} sink_t;

static bool is_direct(const sink_t *s) {
  return s->decode->dtype == (s->bits == 8 ? BERTH_UINT8 : BERTH_UINT16);
}

static berth_code_t check_size(const sink_t *s,
                               const berth_image_size_t *size) {
  bool is_large = size->width >= 1 << 27 || size->height >= 1 << 27 ||
                  size->width * size->height >= 1 << 29;
  if (!s->is_png || !is_large) return BERTH_OK;
  return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                         "PNG size too large for int: %lld by %lld",
                         (long long)size->width, (long long)size->height);
}

// Stores the shape of the output; returns its rank.
static int shape_of(const sink_t *s, const berth_image_size_t *size,
                    int64_t dims[4]) {
  bool has_frames =
      s->decode->is_gif || (s->is_animation && !s->decode->is_flat &&
                            !s->decode->is_png && !s->decode->is_jpeg);
  int rank = 0;
  if (has_frames) dims[rank++] = size->frames;
  dims[rank++] = size->height;
  dims[rank++] = size->width;
  dims[rank++] = size->channels;
  return rank;
}

static berth_code_t make_room(berth_image_sink_t *base,
                              const berth_image_size_t *size, void **out_room,
                              berth_error_t *err) {
  sink_t *s = (sink_t *)base;
  int64_t dims[4];
  int rank = shape_of(s, size, dims);
  s->is_refused = true;
  BERTH_TRY(check_size(s, size));
  if ((s->decode->is_png || s->decode->is_jpeg) && size->frames > 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Got %lld frames, but animated gifs can only be "
                           "decoded by tf.io.decode_gif or tf.io.decode_image",
                           (long long)size->frames);
  }
  s->is_refused = false;
  s->count = size->frames * size->height * size->width * size->channels;
  BERTH_TRY(berth_tensor_make(s->call->allocator, s->decode->dtype, rank, dims,
                              s->count, &s->out, err));
  *out_room = s->out->data;
  if (is_direct(s)) return BERTH_OK;
  s->pixels = berth_alloc_large((size_t)s->count * (size_t)s->bits / 8);
  *out_room = s->pixels;
  return s->pixels != NULL ? BERTH_OK : berth_error_no_memory(err, "an image");
}

// Turns what was read into numbers of the output's type.
static void widen(const sink_t *s) {
  void *out = s->out->data;
  const uint8_t *bytes = s->pixels;
  const uint16_t *shorts = s->pixels;
  for (int64_t i = 0; i < s->count; ++i) {
    int value = s->bits == 8 ? bytes[i] : shorts[i];
    if (s->decode->dtype == BERTH_UINT16) {
      ((uint16_t *)out)[i] = (uint16_t)(value * 256);
    } else {
      float scale = s->bits == 8 ? (float)(1. / 255) : (float)(1. / 65535);
      ((float *)out)[i] = (float)value * scale;
    }
  }
}

// ---- Files by kind ----

static berth_code_t fail(const sink_t *s, const char *text) {
  return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT, "%s", text);
}

// Refuses an op that does not read files of |kind|.
static berth_code_t check_op(const sink_t *s, const char *kind,
                             const char *name) {
  if (s->decode->is_bmp) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "Trying to decode %s format using DecodeBmp op. Use "
                           "`decode_%s` or `decode_image` instead.",
                           kind, name);
  }
  if (s->decode->is_crop && strcmp(kind, "JPEG") != 0) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "DecodeAndCropJpeg operation can run on JPEG only, "
                           "but detected %s.",
                           kind);
  }
  return BERTH_OK;
}

static berth_code_t read_window(const sink_t *s,
                                berth_jpeg_options_t *options) {
  const berth_image_decode_t *d = s->decode;
  const berth_tensor_t *window = s->call->inputs[1];
  char text[BERTH_DIMS_TEXT];
  options->is_cropped = true;
  berth_dims_text((berth_dims_t){window->rank, window->dims}, text);
  if (d->window_rank != 1) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "crop_window must be 1-D, got shape %s", text);
  }
  if (d->window_size != 4) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "crop_size must have four elements %s", text);
  }
  memcpy(options->window, window->data, sizeof(options->window));
  return BERTH_OK;
}

static berth_code_t read_jpeg(sink_t *s, berth_image_bytes_t file) {
  const berth_image_decode_t *d = s->decode;
  berth_jpeg_options_t options = {.channels = d->channels,
                                  .ratio = d->ratio,
                                  .is_exact = d->is_exact,
                                  .is_smooth = d->is_smooth,
                                  .is_patient = d->is_patient};
  if (d->channels == 4) return fail(s, "JPEG does not support 4 channels");
  if (d->is_crop) BERTH_TRY(read_window(s, &options));
  BERTH_TRY(check_op(s, "JPEG", "jpeg"));
  berth_code_t code = berth_jpeg_read(file, &options, &s->base, s->call->err);
  return code != BERTH_INVALID_ARGUMENT
             ? code
             : fail(s,
                    "jpeg::Uncompress failed. Invalid JPEG data or crop "
                    "window.");
}

static berth_code_t read_png(sink_t *s, berth_image_bytes_t file) {
  bool is_open = false;
  s->is_png = true;
  s->bits = s->decode->dtype == BERTH_UINT8 ? 8 : 16;
  berth_png_options_t options = {
      .channels = s->decode->channels, .bits = s->bits, .is_open = &is_open};
  berth_code_t code = berth_png_read(file, &options, &s->base, s->call->err);
  if (!is_open && code == BERTH_INVALID_ARGUMENT) {
    return fail(s, "Invalid PNG. Failed to initialize decoder.");
  }
  BERTH_TRY(check_op(s, "PNG", "png"));
  if (code != BERTH_INVALID_ARGUMENT || s->is_refused) return code;
  return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                         "Invalid PNG data, size %lld", (long long)s->size);
}

static berth_code_t read_gif(sink_t *s, berth_image_bytes_t file) {
  const berth_image_decode_t *d = s->decode;
  berth_str_t why = {0};
  if (d->channels != 0 && d->channels != 3) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "channels must be 0 or 3 for GIF, got %d",
                           d->channels);
  }
  BERTH_TRY(check_op(s, "GIF", "gif"));
  s->is_animation = true;
  berth_code_t code =
      berth_gif_read(file, d->is_animated, &s->base, &why, s->call->err);
  if (code == BERTH_INVALID_ARGUMENT && !s->is_refused) {
    (void)berth_error_set(s->call->err, code,
                          "Invalid GIF data (size %lld), %s",
                          (long long)s->size, berth_str_get(&why));
  }
  berth_str_clear(&why);
  return code;
}

// ---- BMP ----

// What the header of a BMP says.
typedef struct bmp {
  int64_t begin, width, height, row;  // Of pixels; a row has bytes of filling.
  int channels, wanted;
  bool is_from_top;
} bmp_t;

static int32_t read_int(const uint8_t *at) {
  return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 |
                   (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

static berth_code_t check_bmp(const sink_t *s, const bmp_t *bmp) {
  berth_error_t *err = s->call->err;
  if (bmp->channels != 1 && bmp->channels != 3 && bmp->channels != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of channels inherent in the image must be "
                           "1, 3 or 4, was %d",
                           bmp->channels);
  }
  if (bmp->width <= 0) return fail(s, "Width must be positive");
  if (bmp->height == 0) return fail(s, "Height must be nonzero");
  if (bmp->begin < 0) return fail(s, "header size must be nonnegative");
  if (bmp->width * bmp->height >= INT32_MAX / 8) {
    return fail(s, "Total possible pixel bytes must be less than 2^30");
  }
  int64_t differ = s->size - bmp->begin - bmp->row * bmp->height;
  if (differ == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input size should match (header_size + row_size * "
                         "abs_height) but they differ by %d",
                         (int)differ);
}

static berth_code_t read_bmp_header(const sink_t *s, const uint8_t *bytes,
                                    bmp_t *bmp) {
  int32_t height = 0;
  if (s->size < 32) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "Incomplete bmp content, requires at least 32 bytes "
                           "to find the header size, width, height, and bpp, "
                           "got %lld bytes",
                           (long long)s->size);
  }
  bmp->begin = read_int(bytes + 10);
  bmp->width = read_int(bytes + 18);
  height = read_int(bytes + 22);
  bmp->is_from_top = height < 0;
  bmp->height = height < 0 ? -(int64_t)height : height;
  bmp->channels = (int16_t)(bytes[28] | bytes[29] << 8) / 8;
  bmp->wanted = s->decode->channels != 0 ? s->decode->channels : bmp->channels;
  bmp->row = (bmp->channels * bmp->width + 3) / 4 * 4;
  return check_bmp(s, bmp);
}

// Writes one pixel: colours stand in another order, and alpha is added.
static void put_bmp(const bmp_t *bmp, const uint8_t *from, uint8_t *to) {
  static const int8_t order[] = {2, 1, 0, 3};
  for (int i = 0; i < bmp->wanted; ++i) {
    to[i] = bmp->channels == 1  ? (uint8_t)(i < 3 ? from[0] : 255)
            : i < bmp->channels ? from[order[i]]
                                : 255;
  }
}

static berth_code_t check_bmp_op(const sink_t *s, const char *name) {
  const berth_image_decode_t *d = s->decode;
  if (d->channels == 1) {
    return fail(s, "`channels` must be 0, 3 or 4 for BMP, but got 1");
  }
  if (d->is_crop) return check_op(s, "BMP", "bmp");
  if (!d->is_jpeg && !d->is_png && !d->is_gif) return BERTH_OK;
  return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                         "Trying to decode BMP format using a wrong op. Use "
                         "`decode_bmp` or `decode_image` instead. Op used: %s",
                         name);
}

static berth_code_t read_bmp(sink_t *s, const uint8_t *bytes) {
  bmp_t bmp = {0};
  void *room = NULL;
  BERTH_TRY(check_bmp_op(s, s->call->node->op->name));
  BERTH_TRY(read_bmp_header(s, bytes, &bmp));
  berth_image_size_t size = {1, bmp.height, bmp.width, bmp.wanted};
  BERTH_TRY(make_room(&s->base, &size, &room, s->call->err));
  uint8_t *to = room;
  for (int64_t y = 0; y < bmp.height; ++y) {
    int64_t row = bmp.is_from_top ? y : bmp.height - 1 - y;
    const uint8_t *from = bytes + bmp.begin + row * bmp.row;
    for (int64_t x = 0; x < bmp.width; ++x) {
      put_bmp(&bmp, from, to);
      from += bmp.channels;
      to += bmp.wanted;
    }
  }
  return BERTH_OK;
}

// ---- Reading ----

static berth_code_t read_any(sink_t *s, berth_image_bytes_t file) {
  const char *bytes = (const char *)file.data;
  if (file.size == 0) return fail(s, "Input is empty.");
  if (file.size > INT32_MAX) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "Input contents are too large for int: %zu",
                           file.size);
  }
  if (file.size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) {
    return read_jpeg(s, file);
  }
  if (file.size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0) {
    return read_png(s, file);
  }
  if (file.size >= 4 && memcmp(bytes, "GIF8", 4) == 0) return read_gif(s, file);
  if (file.size >= 2 && memcmp(bytes, "BM", 2) == 0) {
    return read_bmp(s, file.data);
  }
  bool is_webp = file.size > 12 && memcmp(bytes, "RIFF", 4) == 0 &&
                 memcmp(bytes + 8, "WEBP", 4) == 0;
  bool is_jxl = (file.size >= 2 && memcmp(bytes, "\xff\x0a", 2) == 0) ||
                (file.size >= 8 && memcmp(bytes + 4, "JXL ", 4) == 0);
  if (is_webp || is_jxl) {
    return berth_error_set(s->call->err, BERTH_UNIMPLEMENTED,
                           "Berth does not read %s files; save the image as "
                           "PNG or JPEG",
                           is_webp ? "WebP" : "JPEG XL");
  }
  return fail(s,
              "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, "
              "BMP, WebP required.");
}

static berth_code_t run_decode(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)args;
  sink_t s = {
      .base = {.room = make_room}, .decode = plan, .call = call, .bits = 8};
  berth_image_bytes_t file = {0};
  file.data =
      (const uint8_t *)berth_string_get(call->inputs[0]->data, &file.size);
  s.size = (int64_t)file.size;
  berth_code_t code = read_any(&s, file);
  if (code == BERTH_OK && s.pixels != NULL) widen(&s);
  berth_free(s.pixels);
  if (code == BERTH_OK) {
    call->outputs[0] = s.out;
  } else {
    berth_tensor_release(s.out);
  }
  return code;
}

static berth_code_t prepare_decode(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_image_decode_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_decode_image(&prepare->op, plan, err));
  prepare->run = run_decode;
  prepare->work = 1000000;
  return BERTH_OK;
}

static berth_code_t run_shape(const void *plan, void *const *args,
                              berth_call_t *call) {
  bool is_wide = *(const bool *)plan;
  berth_image_bytes_t file = {0};
  berth_image_size_t size;
  file.data = (const uint8_t *)berth_string_get(args[0], &file.size);
  berth_code_t code = berth_jpeg_size(file, &size);
  if (code != BERTH_OK) {
    return berth_error_set(call->err, code, "Invalid JPEG data, size %zu",
                           file.size);
  }
  int64_t sizes[3] = {size.height, size.width, size.channels};
  for (int i = 0; i < 3; ++i) {
    if (is_wide) ((int64_t *)args[1])[i] = sizes[i];
    if (!is_wide) ((int32_t *)args[1])[i] = (int32_t)sizes[i];
  }
  return BERTH_OK;
}

static berth_code_t prepare_shape(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  bool *is_wide = berth_prepare_plan(prepare, sizeof(*is_wide));
  if (is_wide == NULL) return berth_error_no_memory(err, "a plan");
  *is_wide = prepare->op.node->output_types[0] == BERTH_INT64;
  prepare->run = run_shape;
  return berth_op_jpeg_shape(&prepare->op, err);
}

// ---- Writing ----

static berth_code_t keep(berth_str_t *bytes, berth_string_t *out,
                         berth_error_t *err) {
  bool ok = berth_string_set(out, berth_str_get(bytes), bytes->size);
  bytes->size = 0;
  return ok ? BERTH_OK : berth_error_no_memory(err, "an image");
}

// Says that images of no pixels cannot be written.
static berth_code_t fail_empty(const berth_image_encode_t *e,
                               berth_error_t *err) {
  berth_str_t list = {0};
  for (int64_t i = 0; i < e->count && list.size < 4096; ++i) {
    berth_str_printf(&list, "%s%lld", i > 0 ? ", " : "", (long long)i);
  }
  (void)berth_error_set(err, BERTH_INTERNAL,
                        "PNG encoding failed at the following flattened batch "
                        "indices: %s",
                        berth_str_get(&list));
  berth_str_clear(&list);
  return BERTH_INTERNAL;
}

static berth_code_t run_png(const void *plan, void *const *args,
                            berth_call_t *call) {
  const berth_image_encode_t *e = plan;
  berth_image_size_t size = {1, e->height, e->width, e->channels};
  int64_t bytes = e->height * e->width * e->channels * e->bits / 8;
  berth_str_t file = {0};
  berth_code_t code = BERTH_OK;
  if (bytes == 0 && e->count > 0) return fail_empty(e, call->err);
  for (int64_t i = 0; code == BERTH_OK && i < e->count; ++i) {
    code = berth_png_write((const char *)args[0] + i * bytes, &size, e->bits,
                           e->level, &file, call->err);
    if (code != BERTH_OK) break;
    code = keep(&file, (berth_string_t *)args[1] + i, call->err);
  }
  berth_str_clear(&file);
  return code;
}

static berth_code_t prepare_png(berth_prepare_t *prepare, berth_error_t *err) {
  berth_image_encode_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_encode_png(&prepare->op, plan, err));
  prepare->run = run_png;
  prepare->work = prepare->op.inputs[0].count * 40;
  return BERTH_OK;
}

static berth_code_t run_jpeg(const void *plan, void *const *args,
                             berth_call_t *call) {
  const berth_image_encode_t *e = plan;
  berth_image_size_t size = {1, e->height, e->width, e->channels};
  berth_jpeg_style_t style = {.quality = e->quality,
                              .is_sparing = e->is_sparing,
                              .density_unit = e->density_unit,
                              .density = {e->density[0], e->density[1]},
                              .note = e->note,
                              .note_size = e->note_size};
  berth_str_t file = {0};
  bool is_right = e->height > 0 && e->width > 0 && e->height <= 65500 &&
                  e->width <= 65500 && e->note_size <= 65000;
  if (!is_right) {
    return berth_error_set(call->err, BERTH_INTERNAL, "JPEG encoding failed");
  }
  berth_code_t code =
      berth_jpeg_write(args[0], &size, &style, &file, call->err);
  // The output is the last argument; a quality may stand before it.
  int out = call->node->input_count;
  if (code == BERTH_OK) code = keep(&file, args[out], call->err);
  berth_str_clear(&file);
  return code;
}

static berth_code_t prepare_jpeg(berth_prepare_t *prepare, berth_error_t *err) {
  berth_image_encode_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_encode_jpeg(&prepare->op, plan, err));
  prepare->run = run_jpeg;
  prepare->work = prepare->op.inputs[0].count * 20;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_image_file_kernels[] = {
    {.op = "DecodeAndCropJpeg", .prepare = prepare_decode},
    {.op = "DecodeBmp", .prepare = prepare_decode},
    {.op = "DecodeGif", .prepare = prepare_decode},
    {.op = "DecodeImage", .prepare = prepare_decode},
    {.op = "DecodeJpeg", .prepare = prepare_decode},
    {.op = "DecodePng", .prepare = prepare_decode},
    {.op = "EncodeJpeg", .prepare = prepare_jpeg},
    {.op = "EncodeJpegVariableQuality", .prepare = prepare_jpeg},
    {.op = "EncodePng", .prepare = prepare_png},
    {.op = "ExtractJpegShape", .prepare = prepare_shape},
    {.op = NULL},
};
