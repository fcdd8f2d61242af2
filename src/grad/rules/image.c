// image.c - Resized and cropped images, and patches of them.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

static bool are_known(berth_dims_t dims, int from, int to) {
  if (dims.rank < to) return false;
  for (int i = from; i < to; ++i) {
    if (dims.dims[i] < 0) return false;
  }
  return true;
}

// ---- Resized ----

static void begin_resize(berth_grad_t *g, const char *op, const char *name) {
  berth_grad_begin(g, op, name);
  berth_grad_copy(g, "align_corners");
  berth_grad_copy(g, "half_pixel_centers");
}

BERTH_GRAD(resize_nearest) {
  static const char op[] = "ResizeNearestNeighborGrad";
  berth_dims_t dims = berth_grad_shape(g, in(g, 0));
  value_t d = dy(g, 0);
  if (are_known(dims, 1, 3)) {
    berth_grad_push(g, op);
    value_t size = berth_grad_ints(g, "size", BERTH_INT32, dims.dims + 1, 2);
    begin_resize(g, op, BERTH_SCOPE_NAME);
    give(g, 0, MAKE(g, d, size));
    berth_grad_pop(g);
  } else {
    value_t sizes = berth_emit_shape(g, in(g, 0));
    value_t size = berth_emit_part(g, sizes, 1, 3);
    begin_resize(g, op, NULL);
    give(g, 0, MAKE(g, d, size));
  }
}

BERTH_GRAD(resize_bilinear) {
  value_t d = dy(g, 0);
  begin_resize(g, "ResizeBilinearGrad", NULL);
  give(g, 0, MAKE(g, d, in(g, 0)));
}

BERTH_GRAD(resize_bicubic) {
  berth_dtype_t type = berth_grad_dtype(g, in(g, 0));
  if (type != BERTH_FLOAT && type != BERTH_DOUBLE) return;
  value_t d = dy(g, 0);
  begin_resize(g, "ResizeBicubicGrad", NULL);
  give(g, 0, MAKE(g, d, in(g, 0)));
}

BERTH_GRAD(scale_and_translate) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "ScaleAndTranslateGrad", NULL);
  berth_grad_copy(g, "kernel_type");
  berth_grad_copy(g, "antialias");
  give(g, 0, MAKE(g, d, in(g, 0), in(g, 2), in(g, 3)));
}

// ---- Cropped ----

static value_t crop_image(berth_grad_t *g, const char *name, value_t d,
                          value_t size) {
  berth_grad_begin(g, "CropAndResizeGradImage", name);
  berth_op_attr_type(g->op, "T", berth_grad_dtype(g, in(g, 0)));
  berth_grad_copy(g, "method");
  return MAKE(g, d, in(g, 1), in(g, 2), size);
}

BERTH_GRAD(crop_and_resize) {
  value_t d = dy(g, 0), image = in(g, 0);
  berth_dims_t dims = berth_grad_shape(g, image);
  berth_dtype_t type = berth_grad_dtype(g, image);
  bool is_known = dims.rank >= 0 && are_known(dims, 0, dims.rank);
  value_t size = is_known ? NONE : berth_emit_shape(g, image);
  if (type == BERTH_HALF || type == BERTH_FLOAT || type == BERTH_DOUBLE) {
    if (is_known) {
      berth_grad_push(g, "CropAndResizeGradImage");
      size =
          berth_grad_ints(g, "image_size", BERTH_INT32, dims.dims, dims.rank);
      give(g, 0, crop_image(g, BERTH_SCOPE_NAME, d, size));
      berth_grad_pop(g);
    } else {
      give(g, 0, crop_image(g, NULL, d, size));
    }
  }
  berth_grad_begin(g, "CropAndResizeGradBoxes", NULL);
  give(g, 1, MAKE(g, d, image, in(g, 1), in(g, 2)));
}

// ---- Patches ----

// Takes a vector of four or two numbers apart.
static value_t unstacked(berth_grad_t *g, value_t v, int count) {
  berth_grad_begin(g, "Unpack", "unstack");
  berth_op_attr_int(g->op, "num", count);
  return MAKE(g, v);
}

static value_t reshape_as(berth_grad_t *g, value_t a,
                          const berth_extent_t *sizes, int count) {
  berth_grad_push(g, "Reshape");
  value_t shape = berth_emit_stack(g, "shape", BERTH_INT64, sizes, count);
  value_t made = OP(g, "Reshape", BERTH_SCOPE_NAME, a, shape);
  berth_grad_pop(g);
  return made;
}

// Returns 1, 2 … |count|, as floats.
static value_t counted(berth_grad_t *g, value_t count) {
  value_t end = berth_emit_plus_number(g, count, 1);
  berth_grad_push(g, "range");
  value_t start = berth_grad_number(g, "start", BERTH_FLOAT, 1);
  value_t step = berth_grad_number(g, "delta", BERTH_FLOAT, 1);
  end = berth_emit_cast(g, end, BERTH_FLOAT);
  value_t made = OP(g, "Range", BERTH_SCOPE_NAME, start, end, step);
  berth_grad_pop(g);
  return made;
}

// Numbers the pixels, takes patches of the numbers, and sums what the slope has
// for each number. Number 0 is beyond the edge.
BERTH_GRAD(extract_image_patches) {
  value_t d = dy(g, 0);
  value_t sizes = berth_emit_shape_as(g, in(g, 0), BERTH_INT64);
  value_t batch = unstacked(g, sizes, 4);
  value_t rows = berth_out_at(batch, 1), columns = berth_out_at(batch, 2);
  value_t depth = berth_out_at(batch, 3);
  value_t made = berth_emit_shape_as(g, out(g, 0), BERTH_INT64);
  value_t tall = unstacked(g, berth_emit_part(g, made, 1, 3), 2);
  value_t wide = berth_out_at(tall, 1);
  const berth_attr_value_t *kernel = berth_node_attr(g->node, "ksizes");
  if (kernel == NULL || kernel->count != 4) return;
  int64_t high = kernel->i_list[1], broad = kernel->i_list[2];
  value_t pixels = mul(g, rows, columns);
  value_t numbers = counted(g, pixels);
  numbers = reshape_as(
      g, numbers,
      (berth_extent_t[]){BERTH_EXTENT_NUMBERS(1), BERTH_EXTENT(rows),
                         BERTH_EXTENT(columns), BERTH_EXTENT_NUMBERS(1)},
      4);
  berth_grad_begin(g, "ExtractImagePatches", NULL);
  berth_grad_copy(g, "ksizes");
  berth_grad_copy(g, "strides");
  berth_grad_copy(g, "rates");
  berth_grad_copy(g, "padding");
  numbers = MAKE(g, numbers);
  numbers = berth_emit_cast(g, numbers, BERTH_INT64);
  d = reshape_as(
      g, d,
      (berth_extent_t[]){BERTH_EXTENT(batch), BERTH_EXTENT(tall),
                         BERTH_EXTENT(wide), BERTH_EXTENT_NUMBERS(high),
                         BERTH_EXTENT_NUMBERS(broad), BERTH_EXTENT(depth)},
      6);
  d = berth_emit_transpose(g, d, (int64_t[]){1, 2, 3, 4, 0, 5}, 6);
  value_t across = mul(g, batch, depth);
  d = reshape_as(
      g, d, (berth_extent_t[]){BERTH_EXTENT_NUMBERS(-1), BERTH_EXTENT(across)},
      2);
  numbers = berth_emit_reshape(g, numbers, (int64_t[]){-1}, 1);
  numbers = berth_emit_minus_number(g, numbers, 1);
  d = OP(g, "UnsortedSegmentSum", NULL, d, numbers, pixels);
  d = reshape_as(g, d,
                 (berth_extent_t[]){BERTH_EXTENT(rows), BERTH_EXTENT(columns),
                                    BERTH_EXTENT(batch), BERTH_EXTENT(depth)},
                 4);
  give(g, 0, berth_emit_transpose(g, d, (int64_t[]){2, 0, 1, 3}, 4));
}

// Returns 1, 2 … |count| in the shape |sizes|: the numbers of places.
static value_t numbered(berth_grad_t *g, value_t count, value_t sizes) {
  value_t one = berth_grad_int(g, "Const", BERTH_INT64, 1);
  value_t end = berth_emit_plus_number(g, count, 1);
  return reshape(g, OP(g, "Range", NULL, one, end, one), sizes);
}

// The same with volumes.
BERTH_GRAD(extract_volume_patches) {
  const berth_attr_value_t *kernel = berth_node_attr(g->node, "ksizes");
  if (kernel == NULL || kernel->count != 5) return;
  value_t d = dy(g, 0);
  value_t sizes = berth_emit_shape_as(g, in(g, 0), BERTH_INT64);
  berth_extent_t batch = BERTH_EXTENT_SINGLE(berth_emit_item(g, sizes, 0));
  berth_extent_t depth = BERTH_EXTENT_SINGLE(berth_emit_item(g, sizes, 4));
  berth_extent_t volume = BERTH_EXTENT(berth_emit_part(g, sizes, 1, 4));
  berth_extent_t one = BERTH_EXTENT_NUMBERS(1), all = BERTH_EXTENT_NUMBERS(-1);
  value_t count = berth_emit_product(g, volume.value);
  value_t numbers = numbered(
      g, count, berth_emit_join(g, (berth_extent_t[]){one, volume, one}, 3));
  berth_grad_begin(g, "ExtractVolumePatches", NULL);
  berth_grad_copy(g, "ksizes");
  berth_grad_copy(g, "strides");
  berth_grad_copy(g, "padding");
  numbers = berth_emit_reshape(g, MAKE(g, numbers), (int64_t[]){-1}, 1);
  numbers = berth_emit_minus_number(g, numbers, 1);
  // Batches by places by channels, then places by batches and channels.
  value_t by_channel =
      berth_emit_join(g, (berth_extent_t[]){batch, all, depth}, 3);
  d = reshape(g, d, by_channel);
  d = berth_emit_transpose(g, d, (int64_t[]){1, 0, 2}, 3);
  d = OP(g, "UnsortedSegmentSum", NULL, d, numbers, count);
  d = berth_emit_transpose(g, d, (int64_t[]){1, 0, 2}, 3);
  give(g, 0, reshape(g, d, sizes));
}

// ---- Moved by a projection ----

static value_t reshape_const(berth_grad_t *g, value_t a, const int64_t *sizes,
                             int count) {
  value_t shape = berth_grad_ints(g, "Const", BERTH_INT32, sizes, count);
  return reshape(g, a, shape);
}

// Makes 3x3 matrices of eight numbers each; the ninth is 1.
static value_t as_matrices(berth_grad_t *g, value_t flat) {
  berth_grad_push(g, "flat_transforms_to_matrices");
  flat = reshape_const(g, flat, (int64_t[]){-1, 8}, 2);
  value_t count = berth_emit_item(g, berth_emit_shape(g, flat), 0);
  value_t sizes = berth_emit_stack(
      g, "ones/packed", BERTH_INT32,
      (berth_extent_t[]){BERTH_EXTENT(count), BERTH_EXTENT_NUMBERS(1)}, 2);
  value_t one = berth_grad_number(g, "ones/Const", BERTH_FLOAT, 1);
  value_t ones = OP(g, "Fill", "ones", sizes, one);
  berth_grad_push(g, "concat");
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, 1);
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  value_t all = berth_grad_make_lists(g, (value_t[]){flat, ones, axis},
                                      (int[]){2, -1}, 2);
  berth_grad_pop(g);
  all = reshape_const(g, all, (int64_t[]){-1, 3, 3}, 3);
  berth_grad_pop(g);
  return all;
}

// Returns columns |from| to |to| of a matrix.
static value_t columns_of(berth_grad_t *g, value_t a, int64_t from,
                          int64_t to) {
  berth_grad_push(g, "strided_slice");
  value_t begin =
      berth_grad_ints(g, "stack", BERTH_INT32, (int64_t[]){0, from}, 2);
  value_t end =
      berth_grad_ints(g, "stack_1", BERTH_INT32, (int64_t[]){0, to}, 2);
  value_t step =
      berth_grad_ints(g, "stack_2", BERTH_INT32, (int64_t[]){1, 1}, 2);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "begin_mask", from == 0 ? 3 : 1);
  berth_op_attr_int(g->op, "end_mask", 1);
  value_t made = MAKE(g, a, begin, end, step);
  berth_grad_pop(g);
  return made;
}

static value_t as_flat(berth_grad_t *g, value_t matrices) {
  berth_grad_push(g, "matrices_to_flat_transforms");
  value_t flat = reshape_const(g, matrices, (int64_t[]){-1, 9}, 2);
  flat = truediv(g, flat, columns_of(g, flat, 8, 9));
  flat = columns_of(g, flat, 0, 8);
  berth_grad_pop(g);
  return flat;
}

static value_t back_transforms(berth_grad_t *g) {
  value_t transforms = in(g, 1);
  int rank = berth_grad_rank(g, transforms);
  if (rank != 1 && rank != 2) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "Transforms should have rank 1 or 2.");
    return NONE;
  }
  value_t matrices = as_matrices(g, transforms);
  return as_flat(g, OP(g, "MatrixInverse", NULL, matrices));
}

static void project_back(berth_grad_t *g, const char *op, bool has_fill) {
  value_t d = dy(g, 0);
  value_t back = back_transforms(g);
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t size = berth_emit_part(g, sizes, 1, 3);
  berth_grad_push(g, op);
  value_t fill =
      has_fill ? berth_grad_number(g, "fill_value", BERTH_FLOAT, 0) : NONE;
  berth_grad_begin(g, op, BERTH_SCOPE_NAME);
  berth_grad_copy(g, "interpolation");
  berth_grad_copy(g, "fill_mode");
  give(g, 0, has_fill ? MAKE(g, d, back, size, fill) : MAKE(g, d, back, size));
  berth_grad_pop(g);
}

BERTH_GRAD(project_v2) { project_back(g, "ImageProjectiveTransformV2", false); }
BERTH_GRAD(project_v3) { project_back(g, "ImageProjectiveTransformV3", true); }
