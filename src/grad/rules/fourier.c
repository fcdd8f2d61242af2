// fourier.c - Fourier transforms.
#include "grad/rules/operators.inc"
#include "grad/sizes.h"
#include "tensor/tensor.h"

static berth_dtype_t real_type(const berth_grad_t *g, value_t a) {
  berth_dtype_t type = berth_grad_dtype(g, a);
  return type == BERTH_COMPLEX128 || type == BERTH_DOUBLE ? BERTH_DOUBLE
                                                          : BERTH_FLOAT;
}

static berth_dtype_t complex_type(const berth_grad_t *g, value_t a) {
  return real_type(g, a) == BERTH_DOUBLE ? BERTH_COMPLEX128 : BERTH_COMPLEX64;
}

// Returns how many elements a transform along the last |rank| axes of |a| has.
static value_t size_of(berth_grad_t *g, value_t a, int rank) {
  value_t sizes = berth_emit_shape(g, a);
  return berth_emit_prod(g, berth_emit_part(g, sizes, -rank, BERTH_TO_END));
}

// ---- Of complex values ----

static void forward(berth_grad_t *g, const char *op, int rank) {
  value_t d = dy(g, 0);
  value_t size = size_of(g, d, rank);
  size = berth_emit_cast(g, size, berth_grad_dtype(g, d));
  give(g, 0, mul(g, fn(g, op, d), size));
}

static void backward(berth_grad_t *g, const char *op, int rank) {
  value_t d = dy(g, 0);
  value_t size = size_of(g, d, rank);
  size = berth_emit_cast(g, size, real_type(g, d));
  size = with_number(g, "RealDiv", "truediv", "x", size, 1);
  size = berth_emit_cast(g, size, berth_grad_dtype(g, d));
  give(g, 0, mul(g, fn(g, op, d), size));
}

BERTH_GRAD(fft) { forward(g, "IFFT", 1); }
BERTH_GRAD(fft2d) { forward(g, "IFFT2D", 2); }
BERTH_GRAD(fft3d) { forward(g, "IFFT3D", 3); }
BERTH_GRAD(ifft) { backward(g, "FFT", 1); }
BERTH_GRAD(ifft2d) { backward(g, "FFT2D", 2); }
BERTH_GRAD(ifft3d) { backward(g, "FFT3D", 3); }

// ---- Of real values ----

// Returns a[..., :1], or a[..., -1:].
static value_t edge(berth_grad_t *g, value_t a, bool is_last) {
  int64_t begin[] = {0, is_last ? -1 : 0}, end[] = {0, is_last ? 0 : 1};
  int64_t step[] = {1, 1};
  berth_grad_push(g, "strided_slice");
  value_t p = berth_grad_ints(g, "stack", BERTH_INT32, begin, 2);
  value_t q = berth_grad_ints(g, "stack_1", BERTH_INT32, end, 2);
  value_t r = berth_grad_ints(g, "stack_2", BERTH_INT32, step, 2);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "ellipsis_mask", 1);
  berth_op_attr_int(g->op, "end_mask", is_last ? 2 : 0);
  value_t made = MAKE(g, a, p, q, r);
  berth_grad_pop(g);
  return made;
}

static value_t modulo_two(berth_grad_t *g, value_t a) {
  return with_number(g, "FloorMod", "mod", "y", a, 2);
}

// Returns 1, -1, 1 … of |length|, a scalar.
static value_t signs(berth_grad_t *g, value_t length, berth_dtype_t type) {
  value_t t = modulo_two(g, berth_emit_range_to(g, length));
  t = number_sub(g, 1, number_mul(g, 2, t));
  return berth_emit_cast(g, t, type);
}

// Returns ones, as many as |count|, a scalar, says.
static value_t ones_of(berth_grad_t *g, value_t count, berth_dtype_t type) {
  int one_count = 1;
  berth_grad_push(g, "ones");
  berth_grad_begin(g, "Pack", "packed");
  value_t sizes = berth_grad_make_lists(g, &count, &one_count, 1);
  value_t one = berth_grad_number(g, "Const", type, 1);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, one);
  berth_grad_pop(g);
  return made;
}

// Makes the transform the other way, of |length|, a vector; where that is known
// it is a constant.
static value_t transform(berth_grad_t *g, const char *op, const char *name,
                         value_t a, bool leaves_length) {
  int64_t lengths[3];
  value_t length = in(g, 1);
  int count = berth_grad_numbers(g, length, lengths, 3);
  berth_dtype_t type = op[0] == 'I' ? real_type(g, a) : complex_type(g, a);
  berth_grad_push(g, name);
  if (count > 0 && leaves_length && !g->to->is_eager) {
    (void)berth_grad_ints(g, "Const", BERTH_INT32, lengths, count);
  }
  if (count > 0) {
    length = berth_grad_ints(g, "fft_length", BERTH_INT32, lengths, count);
  }
  berth_grad_begin(g, op, BERTH_SCOPE_NAME);
  berth_op_attr_type(g->op, op[0] == 'I' ? "Treal" : "Tcomplex", type);
  value_t made = MAKE(g, a, length);
  berth_grad_pop(g);
  return made;
}

static value_t real_part(berth_grad_t *g, value_t a) {
  berth_grad_begin(g, "Real", NULL);
  berth_op_attr_type(g->op, "Tout", real_type(g, a));
  return MAKE(g, a);
}

// Returns 1 where the last length is even, 0 elsewhere.
static value_t is_even(berth_grad_t *g, berth_dtype_t type) {
  value_t last = berth_emit_item(g, in(g, 1), -1);
  return berth_emit_cast(g, number_sub(g, 1, modulo_two(g, last)), type);
}

// Gives half of the inverse transform and of what symmetry leaves out.
static void give_real(berth_grad_t *g, int rank, const char *op,
                      const char *name, value_t extra) {
  value_t d = dy(g, 0);
  value_t size = size_of(g, in(g, 0), rank);
  size = berth_emit_cast(g, size, real_type(g, d));
  value_t t = transform(g, op, name, d, false);
  t = mul(g, t, size);
  t = add(g, t, real_part(g, extra));
  give(g, 0, number_mul(g, 0.5, t));
}

BERTH_GRAD(rfft) {
  value_t d = dy(g, 0);
  berth_dtype_t type = berth_grad_dtype(g, d);
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t even = is_even(g, type);
  value_t first = edge(g, d, false);
  value_t last = mul(g, even, edge(g, d, true));
  value_t length = berth_emit_item(g, sizes, -1);
  last = mul(g, last, signs(g, length, type));
  give_real(g, 1, "IRFFT", "irfft", add(g, first, last));
}

// The slope by real values is the real part of the whole sum, in which what
// symmetry leaves out has none.
BERTH_GRAD(rfft2d) {
  value_t d = dy(g, 0), x = in(g, 0);
  value_t sizes = berth_emit_shape(g, d);
  value_t last = berth_emit_item(g, in(g, 1), -1);
  value_t rest = sub(g, last, berth_emit_item(g, sizes, -1));
  sizes = berth_emit_join(g,
                          (berth_extent_t[]){
                              BERTH_EXTENT(berth_emit_part(g, sizes, 0, -1)),
                              BERTH_EXTENT_SINGLE(rest)},
                          2);
  value_t zeros =
      berth_emit_filled(g, "zeros", sizes, berth_grad_dtype(g, d), 0);
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, -1);
  berth_grad_begin(g, "ConcatV2", "concat");
  d = berth_grad_make_lists(g, (value_t[]){d, zeros, axis}, (int[]){2, -1}, 2);
  value_t count = berth_emit_cast(g, size_of(g, x, 2), real_type(g, x));
  d = mul(g, real_part(g, fn(g, "IFFT2D", d)), count);
  give(g, 0, reshape(g, d, berth_emit_shape(g, x)));
}

// Makes a vector of a 1.
static value_t one_element(berth_grad_t *g, const char *name,
                           berth_dtype_t type) {
  int64_t size = 1;
  berth_tensor_t *tensor = NULL;
  if (g->code == BERTH_OK) {
    g->code =
        berth_tensor_create(type, (berth_dims_t){1, &size}, &tensor, g->err);
  }
  if (g->code != BERTH_OK) return NONE;
  if (type == BERTH_DOUBLE) {
    *(double *)berth_tensor_data(tensor) = 1;
  } else {
    *(float *)berth_tensor_data(tensor) = 1;
  }
  return berth_grad_constant(g, name, tensor);
}

// Returns 1, 2, 2 … 2 and, where the length is even, 1.
static value_t weights(berth_grad_t *g, value_t is_odd, berth_dtype_t type) {
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t last = berth_emit_item(g, sizes, -1);
  value_t count = add(g, sub_number(g, last, 2), is_odd);
  value_t middle = number_mul(g, 2, ones_of(g, count, type));
  value_t end = ones_of(g, number_sub(g, 1, is_odd), type);
  berth_grad_push(g, "concat");
  value_t first = one_element(g, "values_0", type);
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, 0);
  value_t parts[] = {first, middle, end, axis};
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  value_t made = berth_grad_make_lists(g, parts, (int[]){3, -1}, 2);
  berth_grad_pop(g);
  return made;
}

// Returns the last length modulo 2.
static value_t odd_length(berth_grad_t *g) {
  int64_t lengths[3];
  int count = berth_grad_numbers(g, in(g, 1), lengths, 3);
  if (count <= 0) return modulo_two(g, berth_emit_item(g, in(g, 1), -1));
  berth_grad_push(g, "mod");
  value_t x = berth_grad_int(g, "x", BERTH_INT32, lengths[count - 1]);
  value_t y = berth_grad_int(g, "y", BERTH_INT32, 2);
  value_t made = OP(g, "FloorMod", BERTH_SCOPE_NAME, x, y);
  berth_grad_pop(g);
  return made;
}

static void inverse_real(berth_grad_t *g, int rank, const char *op,
                         const char *name) {
  value_t d = dy(g, 0);
  berth_dtype_t type = berth_grad_dtype(g, d);
  value_t mask = weights(g, odd_length(g), type);
  value_t size = berth_emit_cast(g, size_of(g, d, rank), type);
  size = reciprocal(g, size);
  value_t t = transform(g, op, name, d, true);
  mask = berth_emit_cast(g, mul(g, size, mask), complex_type(g, d));
  give(g, 0, mul(g, t, mask));
}

BERTH_GRAD(irfft) { inverse_real(g, 1, "RFFT", "rfft"); }
BERTH_GRAD(irfft2d) { inverse_real(g, 2, "RFFT2D", "rfft2d"); }
