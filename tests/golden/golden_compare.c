// golden_compare.c - Compares results with expected ones, by type.
#include "golden_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Tolerances ----

bool golden_read_tolerances(const char *path,
                            golden_tolerance_t tolerances[BERTH_DTYPE_COUNT]) {
  golden_file_t file;
  bool ok = golden_open(&file, path);
  for (file.at = 0; ok && file.at < file.line_count; ++file.at) {
    char type[32];
    golden_tolerance_t t = {0};
    const char *line = file.lines[file.at];
    if (line[0] == '#') continue;
    if (sscanf(line, "%31s %lf %lf %" SCNd64, type, &t.relative, &t.absolute,
               &t.ulps) != 4 ||
        berth_dtype_find(type) == BERTH_INVALID) {
      ok = golden_complain(&file, "bad line: %s", line);
      break;
    }
    tolerances[berth_dtype_find(type)] = t;
  }
  golden_close(&file);
  return ok;
}

// ---- Numbers ----

// Returns the value of a number of |exponent_bits| and |mantissa_bits|, laid
// out as IEEE 754 does.
static double decode(uint32_t bits, int exponent_bits, int mantissa_bits) {
  uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  int exponent = (int)(bits >> mantissa_bits & ((1U << exponent_bits) - 1));
  int most = (1 << exponent_bits) - 1, bias = most / 2;
  double value = exponent == most ? (mantissa == 0 ? INFINITY : NAN)
                 : exponent == 0  ? ldexp(mantissa, 1 - bias - mantissa_bits)
                                  : ldexp(mantissa + (1U << mantissa_bits),
                                          exponent - bias - mantissa_bits);
  return bits >> (exponent_bits + mantissa_bits) != 0 ? -value : value;
}

// A floating point number, and its place among all of its type.
typedef struct number {
  double value;
  int64_t place;
} number_t;

static int64_t place_of(uint64_t bits, int width) {
  uint64_t sign = UINT64_C(1) << (width - 1);
  int64_t magnitude = (int64_t)(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

static number_t load(berth_dtype_t dtype, const void *data, int64_t index) {
  number_t n = {0};
  if (dtype == BERTH_FLOAT || dtype == BERTH_COMPLEX64) {
    uint32_t bits;
    memcpy(&bits, (const char *)data + index * 4, 4);
    n.value = (double)((const float *)data)[index];
    n.place = place_of(bits, 32);
  } else if (dtype == BERTH_DOUBLE || dtype == BERTH_COMPLEX128) {
    uint64_t bits;
    memcpy(&bits, (const char *)data + index * 8, 8);
    n.value = ((const double *)data)[index];
    n.place = place_of(bits, 64);
  } else {
    uint16_t bits = ((const uint16_t *)data)[index];
    n.value = dtype == BERTH_HALF ? decode(bits, 5, 10) : decode(bits, 8, 7);
    n.place = place_of(bits, 16);
  }
  return n;
}

static bool is_near(const golden_tolerance_t *t, number_t got,
                    number_t expected, double size) {
  if (isnan(expected.value) || isnan(got.value)) {
    return isnan(expected.value) && isnan(got.value);
  }
  if (got.value == expected.value) return true;
  if (isinf(expected.value) || isinf(got.value)) return false;
  if (fabs(got.value - expected.value) <= t->relative * size + t->absolute) {
    return true;
  }
  return llabs(got.place - expected.place) <= t->ulps;
}

// ---- Tensors ----

static bool is_float(berth_dtype_t dtype) {
  return dtype == BERTH_FLOAT || dtype == BERTH_DOUBLE || dtype == BERTH_HALF ||
         dtype == BERTH_BFLOAT16;
}

static bool is_complex(berth_dtype_t dtype) {
  return dtype == BERTH_COMPLEX64 || dtype == BERTH_COMPLEX128;
}

// Compares |count| numbers; the error of a complex number's part is measured
// against the whole number.
static bool numbers_match(golden_file_t *file, const char *what,
                          const golden_tolerance_t *t,
                          const berth_tensor_t *got,
                          const berth_tensor_t *expected) {
  berth_dtype_t dtype = berth_tensor_dtype(expected);
  int parts = is_complex(dtype) ? 2 : 1;
  int64_t count = berth_tensor_count(expected) * parts;
  for (int64_t i = 0; i < count; ++i) {
    number_t a = load(dtype, berth_tensor_data(got), i);
    number_t b = load(dtype, berth_tensor_data(expected), i);
    double size = fabs(b.value);
    if (parts == 2) {
      number_t other = load(dtype, berth_tensor_data(expected), i ^ 1);
      size = isfinite(other.value) ? hypot(b.value, other.value) : size;
    }
    if (is_near(t, a, b, size)) continue;
    return golden_complain(file, "%s[%" PRId64 "] is %.17g, expected %.17g",
                           what, i, a.value, b.value);
  }
  return true;
}

static bool strings_match(golden_file_t *file, const char *what,
                          const berth_tensor_t *got,
                          const berth_tensor_t *expected) {
  for (int64_t i = 0; i < berth_tensor_count(expected); ++i) {
    size_t a_size = 0, b_size = 0;
    const char *a = berth_tensor_get_string(got, i, &a_size);
    const char *b = berth_tensor_get_string(expected, i, &b_size);
    if (a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0)) {
      continue;
    }
    return golden_complain(file,
                           "%s[%" PRId64 "] is \"%.*s\", expected \"%.*s\"",
                           what, i, (int)a_size, a, (int)b_size, b);
  }
  return true;
}

static bool bytes_match(golden_file_t *file, const char *what,
                        const berth_tensor_t *got,
                        const berth_tensor_t *expected) {
  const unsigned char *a = berth_tensor_data(got);
  const unsigned char *b = berth_tensor_data(expected);
  for (size_t i = 0; i < berth_tensor_size(expected); ++i) {
    if (a[i] == b[i]) continue;
    size_t element = i / berth_dtype_size(berth_tensor_dtype(expected));
    return golden_complain(file, "%s[%zu]: byte %zu is %02x, expected %02x",
                           what, element, i, a[i], b[i]);
  }
  return true;
}

static bool shapes_match(golden_file_t *file, const char *what,
                         berth_dims_t got, berth_dims_t expected) {
  bool same = got.rank == expected.rank;
  for (int i = 0; same && i < expected.rank; ++i) {
    same = got.dims[i] == expected.dims[i];
  }
  if (same) return true;
  golden_complain(file, "%s has another shape than [", what);
  for (int i = 0; i < expected.rank; ++i) {
    fprintf(stderr, "%" PRId64 ",", expected.dims[i]);
  }
  fprintf(stderr, "]: [");
  for (int i = 0; i < got.rank; ++i)
    fprintf(stderr, "%" PRId64 ",", got.dims[i]);
  fprintf(stderr, "]\n");
  return false;
}

bool golden_compare(golden_file_t *file, const char *what,
                    const golden_tolerance_t *tolerances,
                    const berth_tensor_t *got, const berth_tensor_t *expected) {
  berth_dtype_t dtype = berth_tensor_dtype(expected);
  if (berth_tensor_dtype(got) != dtype) {
    return golden_complain(file, "%s is of type %s, expected %s", what,
                           berth_dtype_name(berth_tensor_dtype(got)),
                           berth_dtype_name(dtype));
  }
  if (!shapes_match(file, what, berth_tensor_shape(got),
                    berth_tensor_shape(expected))) {
    return false;
  }
  if (dtype == BERTH_STRING) return strings_match(file, what, got, expected);
  if (is_float(dtype) || is_complex(dtype)) {
    return numbers_match(file, what, &tolerances[dtype], got, expected);
  }
  return bytes_match(file, what, got, expected);
}
