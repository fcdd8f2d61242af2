// image_file.c - Ops that read and write images as the bytes of files.
#include "op/image_file.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/value.h"
#include "tensor/tensor.h"

// ---- Reading ----

static berth_code_t read_jpeg_attrs(const berth_node_t *node,
                                    berth_image_decode_t *d,
                                    berth_error_t *err) {
  const char *method = berth_node_attr_string(node, "dct_method", "");
  d->ratio = (int)berth_node_attr_int(node, "ratio", 1);
  d->is_smooth = berth_node_attr_bool(node, "fancy_upscaling", true);
  d->is_patient = berth_node_attr_bool(node, "try_recover_truncated", false);
  d->is_exact = strcmp(method, "INTEGER_ACCURATE") == 0;
  if (d->ratio != 1 && d->ratio != 2 && d->ratio != 4 && d->ratio != 8) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ratio must be 1, 2, 4, or 8, got %d", d->ratio);
  }
  if (d->is_exact || method[0] == '\0' || strcmp(method, "INTEGER_FAST") == 0) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "dct_method must be one of {'', 'INTEGER_FAST', "
                         "'INTEGER_ACCURATE'}");
}

static void name_op(const char *name, berth_image_decode_t *d) {
  d->is_crop = strcmp(name, "DecodeAndCropJpeg") == 0;
  d->is_jpeg = strcmp(name, "DecodeJpeg") == 0;
  d->is_png = strcmp(name, "DecodePng") == 0;
  d->is_gif = strcmp(name, "DecodeGif") == 0;
  d->is_bmp = strcmp(name, "DecodeBmp") == 0;
}

berth_code_t berth_op_decode_image(berth_case_t *op,
                                   berth_image_decode_t *out_decode,
                                   berth_error_t *err) {
  const berth_node_t *node = op->node;
  char text[BERTH_DIMS_TEXT];
  berth_image_decode_t *d = out_decode;
  *d = (berth_image_decode_t){
      .dtype = node->output_types[0], .ratio = 1, .is_smooth = true};
  name_op(node->op->name, d);
  BERTH_TRY(read_jpeg_attrs(node, d, err));
  d->is_animated = berth_node_attr_bool(node, "expand_animations", true);
  d->is_flat = !d->is_animated;
  d->channels = (int)berth_node_attr_int(node, "channels", d->is_gif ? 3 : 0);
  if (d->channels < 0 || d->channels > 4 || d->channels == 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "`channels` must be 0, 1, 3 or 4 but got %d",
                           d->channels);
  }
  if (d->is_crop) {
    d->window_rank = op->inputs[1].rank;
    d->window_size = op->inputs[1].count;
  }
  op->outputs[0].rank = -1;
  if (op->inputs[0].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "`contents` must be scalar but got shape%s",
                         berth_input_text(&op->inputs[0], text));
}

berth_code_t berth_op_jpeg_shape(berth_case_t *op, berth_error_t *err) {
  static const int64_t three = 3;
  char text[BERTH_DIMS_TEXT];
  berth_case_output(op, 0, (berth_dims_t){1, &three});
  if (op->inputs[0].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "contents must be scalar, got shape %s",
                         berth_input_text(&op->inputs[0], text));
}

// ---- Writing ----

// Takes the size of an image from the last three dimensions.
static void take_size(const berth_case_input_t *in, berth_image_encode_t *e) {
  const int64_t *dims = in->dims + in->rank - 3;
  e->height = dims[0];
  e->width = dims[1];
  e->channels = dims[2];
  e->count = 1;
  for (int32_t i = 0; i < in->rank - 3; ++i) e->count *= in->dims[i];
}

berth_code_t berth_op_encode_png(berth_case_t *op,
                                 berth_image_encode_t *out_encode,
                                 berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  *out_encode = (berth_image_encode_t){
      .level = (int)berth_node_attr_int(op->node, "compression", -1),
      .bits = in->dtype == BERTH_UINT16 ? 16 : 8};
  if (out_encode->level < -1 || out_encode->level > 9) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "compression should be in [-1,9], got %d",
                           out_encode->level);
  }
  if (in->rank < 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "images must be at least rank 3%s",
                           berth_input_text(in, text));
  }
  if (in->count >= INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "image cannot have >= int32 max elements");
  }
  take_size(in, out_encode);
  if (out_encode->channels < 1 || out_encode->channels > 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "image must have 1, 2, 3, or 4 channels, got %lld",
                           (long long)out_encode->channels);
  }
  berth_case_output(op, 0, (berth_dims_t){in->rank - 3, in->dims});
  return BERTH_OK;
}

static berth_code_t check_quality(int64_t quality, berth_error_t *err) {
  if (quality >= 0 && quality <= 100) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "quality must be in [0,100], got %lld",
                         (long long)quality);
}

static void read_style(const berth_node_t *node, berth_image_encode_t *e) {
  const berth_attr_value_t *note = berth_node_attr(node, "xmp_metadata");
  const char *unit = berth_node_attr_string(node, "density_unit", "in");
  e->is_sparing = berth_node_attr_bool(node, "chroma_downsampling", true);
  e->density_unit = strcmp(unit, "cm") == 0 ? 2 : 1;
  e->density[0] = (int)berth_node_attr_int(node, "x_density", 300);
  e->density[1] = (int)berth_node_attr_int(node, "y_density", 300);
  if (note == NULL) return;
  e->note = note->s.text;
  e->note_size = note->s.size;
}

static berth_code_t check_format(const berth_case_t *op, berth_error_t *err) {
  const char *format = berth_node_attr_string(op->node, "format", "");
  int64_t wanted = format[0] == 'g' ? 1 : 3, channels = op->inputs[0].dims[2];
  char text[BERTH_DIMS_TEXT];
  if (format[0] == '\0' && channels != 1 && channels != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "image must have 1 or 3 channels, got %s",
                           berth_input_text(&op->inputs[0], text));
  }
  if (format[0] == '\0' || channels == wanted) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "format %s expects %lld channels, got %s",
      format, (long long)wanted, berth_input_text(&op->inputs[0], text));
}

// The quality of EncodeJpegVariableQuality is checked here when it is known.
static berth_code_t check_input_quality(const berth_case_t *op,
                                        berth_image_encode_t *e,
                                        berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[1].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "quality must be scalar: %s",
                           berth_input_text(&op->inputs[1], text));
  }
  e->quality = (int)berth_value_int(&op->inputs[1], 0);
  return check_quality(e->quality, err);
}

berth_code_t berth_op_encode_jpeg(berth_case_t *op,
                                  berth_image_encode_t *out_encode,
                                  berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  int64_t quality = berth_node_attr_int(op->node, "quality", 95);
  *out_encode = (berth_image_encode_t){.bits = 8, .quality = (int)quality};
  read_style(op->node, out_encode);
  BERTH_TRY(check_quality(quality, err));
  if (in->rank != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "image must be 3-dimensional%s",
                           berth_input_text(in, text));
  }
  if (in->count >= INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot encode images with >= max int32 elements");
  }
  if (op->input_count > 1) BERTH_TRY(check_input_quality(op, out_encode, err));
  BERTH_TRY(check_format(op, err));
  take_size(in, out_encode);
  berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Stores the attribute channels as a dimension; -1 where the file decides.
static berth_code_t channels_of(const berth_shape_context_t *c, int64_t *out,
                                berth_error_t *err) {
  int64_t channels = berth_node_attr_int(c->node, "channels", 0);
  *out = channels == 0 ? -1 : channels;
  if (channels >= 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "channels must be non-negative, got %lld",
                         (long long)channels);
}

static berth_code_t set_image(berth_shape_context_t *c, int64_t height,
                              int64_t width, int64_t channels,
                              berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, 3);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[0] = height;
  dims[1] = width;
  dims[2] = channels;
  c->outputs[0] = (berth_dims_t){3, dims};
  return BERTH_OK;
}

static berth_code_t check_contents(berth_shape_context_t *c,
                                   berth_error_t *err) {
  berth_dims_t in;
  return berth_shape_with_rank(c, berth_shape_in(c, 0), 0, &in, err);
}

BERTH_INFER(decode_image) {
  int64_t channels = -1;
  BERTH_TRY(check_contents(c, err));
  BERTH_TRY(channels_of(c, &channels, err));
  return set_image(c, -1, -1, channels, err);
}

BERTH_INFER(decode_any_image) {
  int64_t channels = -1;
  BERTH_TRY(check_contents(c, err));
  BERTH_TRY(channels_of(c, &channels, err));
  if (berth_node_attr_bool(c->node, "expand_animations", true)) return BERTH_OK;
  return set_image(c, -1, -1, channels, err);
}

BERTH_INFER(decode_gif) {
  BERTH_TRY(check_contents(c, err));
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int i = 0; i < 3; ++i) dims[i] = -1;
  dims[3] = 3;
  c->outputs[0] = (berth_dims_t){4, dims};
  return BERTH_OK;
}

BERTH_INFER(decode_and_crop) {
  int64_t channels = -1;
  berth_dims_t window;
  BERTH_TRY(check_contents(c, err));
  BERTH_TRY(channels_of(c, &channels, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &window, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(window, 0), 4, err));
  const berth_tensor_t *value = berth_shape_value(c, 1);
  int64_t height = -1, width = -1;
  if (value != NULL && value->count == 4) {
    height = berth_value_int_at(value, 2);
    width = berth_value_int_at(value, 3);
  }
  return set_image(c, height, width, channels, err);
}

BERTH_INFER(jpeg_shape) {
  BERTH_TRY(check_contents(c, err));
  return berth_shape_set_vector(c, 0, 3, err);
}

BERTH_INFER(encode_png) {
  berth_dims_t in = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(in, 3, err));
  if (in.rank >= 0) c->outputs[0] = (berth_dims_t){in.rank - 3, in.dims};
  return BERTH_OK;
}

BERTH_INFER(encode_jpeg) {
  berth_dims_t in;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 3, &in, err));
  c->outputs[0] = BERTH_SCALAR;
  return BERTH_OK;
}
