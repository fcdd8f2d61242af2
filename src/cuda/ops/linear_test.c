// linear_test.c - Tests of linear algebra on a GPU: small matrices by kernels of
// our own, large ones by the library.
#include "harness.h"

#include "base/fault.h"
#include "cuda/api/cusolver.h"
#include "cuda/kernel_driver.h"

static const berth_dtype_t all_types[] = {BERTH_FLOAT, BERTH_DOUBLE,
                                          BERTH_COMPLEX64, BERTH_COMPLEX128};

static bool is_wide(berth_dtype_t type) {
  return type == BERTH_DOUBLE || type == BERTH_COMPLEX128;
}

// What so many sums may be off by, as a part of the largest result: in another
// order small ones lose more of their digits.
static double tolerance_of(berth_dtype_t type) {
  return is_wide(type) ? 1e-12 : 1e-4;
}

// Numbers that look random, with a diagonal that makes matrices far from
// singular; of both signs, and complex where they can be.
static berth_tensor_t *make_matrices(berth_dtype_t type, int64_t batch,
                                     int64_t n) {
  berth_tensor_t *a = driver_random(type, BERTH_SHAPE(batch, n, n), -1, 1);
  berth_dtype_t part = driver_part_type(a);
  int parts = driver_is_complex(a) ? 2 : 1;
  for (int64_t i = 0; i < batch * n; ++i) {
    int64_t at = i / n * n * n + i % n * (n + 1);
    double x = number_load(part, a->data, parts * at);
    number_store(part, a->data, parts * at,
                 x + (i % 3 == 0 ? -2.0 : 2.0) * sqrt((double)n));
  }
  return a;
}

// The same, the adjoint of itself and positive: its lower half counts, what is
// above must not be looked at.
static berth_tensor_t *make_positive(berth_dtype_t type, int64_t batch,
                                     int64_t n) {
  berth_tensor_t *a = driver_random(type, BERTH_SHAPE(batch, n, n), -1, 1);
  berth_dtype_t part = driver_part_type(a);
  int parts = driver_is_complex(a) ? 2 : 1;
  for (int64_t i = 0; i < batch * n; ++i) {
    int64_t at = i / n * n * n + i % n * (n + 1);
    number_store(part, a->data, parts * at, 2 + (double)n);
    if (parts == 2) number_store(part, a->data, 2 * at + 1, 0);
  }
  return a;
}

static void check_one(const char *op, berth_dtype_t type, int64_t batch,
                      int64_t n, int outputs) {
  driver_t driver = {.op = op, .is_of_largest = true};
  bool is_positive = strcmp(op, "Cholesky") == 0;
  driver_type(&driver, "T", type);
  driver_input(&driver, is_positive ? make_positive(type, batch, n)
                                    : make_matrices(type, batch, n));
  driver_output(&driver, type);
  if (outputs > 1) driver_output(&driver, type);
  driver_check(&driver, tolerance_of(type));
}

// Of one row, within a warp, of more rows than a block has threads, many of
// middling size, and for the library.
static const int64_t sizes[][2] = {{1, 1},  {3, 2},   {2, 7},  {40, 16},
                                   {3, 33}, {1, 64},  {9, 70}, {8, 257},
                                   {1, 65}, {2, 130}, {1, 300}};

static void check_sizes(const char *op, int outputs) {
  for (int t = 0; t < BERTH_COUNT_OF(all_types); ++t) {
    for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
      check_one(op, all_types[t], sizes[i][0], sizes[i][1], outputs);
    }
  }
}

TEST(linear, inverses) { check_sizes("MatrixInverse", 1); }
TEST(linear, factors_of_cholesky) { check_sizes("Cholesky", 1); }
TEST(linear, logarithms_of_determinants) {
  check_sizes("LogMatrixDeterminant", 2);
}

// Of large matrices they are out of range.
TEST(linear, determinants) {
  for (int t = 0; t < BERTH_COUNT_OF(all_types); ++t) {
    for (int i = 0; i < 5; ++i) {
      check_one("MatrixDeterminant", all_types[t], sizes[i][0], sizes[i][1], 1);
    }
  }
}

static void check_lu(berth_dtype_t type, berth_dtype_t rows, int64_t batch,
                     int64_t n) {
  driver_t driver = {.op = "Lu", .is_of_largest = true};
  driver_type(&driver, "T", type);
  driver_type(&driver, "output_idx_type", rows);
  driver_input(&driver, make_matrices(type, batch, n));
  driver_output(&driver, type);
  driver_output(&driver, rows);
  driver_check(&driver, tolerance_of(type));
}

TEST(linear, factors_and_the_order_of_rows) {
  for (int t = 0; t < BERTH_COUNT_OF(all_types); ++t) {
    check_lu(all_types[t], BERTH_INT32, 5, 9);
    check_lu(all_types[t], BERTH_INT64, 2, 60);
    check_lu(all_types[t], BERTH_INT32, 2, 100);
  }
}

static void check_solution(const char *op, berth_dtype_t type, int64_t batch,
                           int64_t n, int64_t columns, int how) {
  driver_t driver = {.op = op, .is_of_largest = true};
  driver_type(&driver, "T", type);
  driver_bool(&driver, "adjoint", (how & 1) != 0);
  if (strcmp(op, "MatrixTriangularSolve") == 0) {
    driver_bool(&driver, "lower", (how & 2) != 0);
  }
  driver_input(&driver, make_matrices(type, batch, n));
  driver_input(&driver,
               driver_random(type, BERTH_SHAPE(batch, n, columns), -1, 1));
  driver_output(&driver, type);
  driver_check(&driver, tolerance_of(type));
}

static void check_solutions(const char *op, int ways) {
  for (int t = 0; t < BERTH_COUNT_OF(all_types); ++t) {
    for (int how = 0; how < ways; ++how) {
      check_solution(op, all_types[t], 4, 1, 3, how);
      check_solution(op, all_types[t], 3, 20, 5, how);
      check_solution(op, all_types[t], 10, 80, 1, how);
      check_solution(op, all_types[t], 2, 90, 1, how);
      check_solution(op, all_types[t], 2, 150, 40, how);
    }
  }
}

TEST(linear, solutions) { check_solutions("MatrixSolve", 2); }
TEST(linear, solutions_of_triangles) {
  check_solutions("MatrixTriangularSolve", 4);
}

// One matrix for many right sides, and the other way round.
static void check_broadcast(int64_t n, berth_dims_t a_batch,
                            berth_dims_t b_batch) {
  driver_t driver = {.op = "MatrixTriangularSolve"};
  int64_t a[BERTH_MAX_RANK], b[BERTH_MAX_RANK];
  memcpy(a, a_batch.dims, (size_t)a_batch.rank * sizeof(*a));
  memcpy(b, b_batch.dims, (size_t)b_batch.rank * sizeof(*b));
  a[a_batch.rank] = a[a_batch.rank + 1] = b[b_batch.rank] = n;
  b[b_batch.rank + 1] = 2;
  berth_dims_t shape = {a_batch.rank + 2, a};
  berth_tensor_t *matrices =
                     make_matrices(BERTH_DOUBLE, berth_dims_count(a_batch), n),
                 *in = NULL;
  ASSERT_TRUE(berth_tensor_reshape(matrices, shape, &in, NULL) == BERTH_OK);
  berth_tensor_release(matrices);
  driver_type(&driver, "T", BERTH_DOUBLE);
  driver_input(&driver, in);
  driver_input(
      &driver,
      driver_random(BERTH_DOUBLE, (berth_dims_t){b_batch.rank + 2, b}, -1, 1));
  driver_output(&driver, BERTH_DOUBLE);
  driver_check(&driver, 1e-11);
}

TEST(linear, broadcasts_batches_of_triangles) {
  const int64_t ns[] = {5, 100};
  for (int i = 0; i < 2; ++i) {
    check_broadcast(ns[i], BERTH_SHAPE(1), BERTH_SHAPE(6));
    check_broadcast(ns[i], BERTH_SHAPE(3, 1), BERTH_SHAPE(4));
    check_broadcast(ns[i], BERTH_SHAPE(2, 1, 3), BERTH_SHAPE(1, 2, 1));
  }
}

// ---- What has no solution ----

static const char *result_of(const char *op, berth_tensor_t *a) {
  driver_t driver = {.op = op};
  int64_t n = a->dims[a->rank - 1];
  driver_type(&driver, "T", a->dtype);
  if (strcmp(op, "Lu") == 0)
    driver_type(&driver, "output_idx_type", BERTH_INT32);
  driver_input(&driver, a);
  if (strcmp(op, "MatrixSolve") == 0) {
    driver_input(&driver, driver_random(a->dtype, BERTH_SHAPE(2, n, 1), 0, 1));
  }
  driver_output(&driver, a->dtype);
  if (strcmp(op, "Lu") == 0) driver_output(&driver, BERTH_INT32);
  if (strncmp(op, "Log", 3) == 0) driver_output(&driver, a->dtype);
  return driver_result(&driver);
}

// The second of two matrices has a column of zeros.
static berth_tensor_t *make_singular(int64_t n) {
  berth_tensor_t *a = make_matrices(BERTH_DOUBLE, 2, n);
  for (int64_t i = 0; i < n; ++i) {
    ((double *)a->data)[n * n + i * n + n - 1] = 0;
  }
  return a;
}

TEST(linear, says_what_is_singular) {
  const int64_t ns[] = {3, 80};
  for (int i = 0; i < 2; ++i) {
    EXPECT_STR(result_of("MatrixInverse", make_singular(ns[i])),
               "Input is not invertible.");
    EXPECT_STR(result_of("MatrixSolve", make_singular(ns[i])),
               "Input matrix is not invertible.");
    EXPECT_STR(result_of("Lu", make_singular(ns[i])),
               "Input is not invertible.");
  }
  berth_tensor_t *zeros = driver_random(BERTH_FLOAT, BERTH_SHAPE(2, 2), 0, 0);
  EXPECT_STR(result_of("MatrixDeterminant", zeros), "[] 0");
  zeros = driver_random(BERTH_FLOAT, BERTH_SHAPE(2, 2), 0, 0);
  EXPECT_STR(result_of("LogMatrixDeterminant", zeros), "[] 0");
}

TEST(linear, what_is_not_positive_has_no_factor) {
  const int64_t ns[] = {4, 90};
  for (int i = 0; i < 2; ++i) {
    driver_t driver = {.op = "Cholesky", .is_of_largest = true};
    berth_tensor_t *a = make_positive(BERTH_FLOAT, 3, ns[i]);
    ((float *)a->data)[ns[i] * ns[i] + ns[i] + 1] = -1;  // Of the second one.
    driver_type(&driver, "T", BERTH_FLOAT);
    driver_input(&driver, a);
    driver_output(&driver, BERTH_FLOAT);
    driver_check(&driver, 1e-4);
  }
}

// ---- Values ----

// Sums of what rows of |v| and of |w|, or their columns, have in common.
static double largest_error(const berth_tensor_t *v, int64_t at, int64_t n) {
  double worst = 0;
  int parts = driver_is_complex(v) ? 2 : 1;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        for (int part = 0; part < parts; ++part) {
          sum += driver_get(v, at + k * n + i, part) *
                 driver_get(v, at + k * n + j, part);
        }
      }
      worst = fmax(worst, fabs(sum - (i == j ? 1 : 0)));
    }
  }
  return worst;
}

// The largest part of A V - V diag(e).
static double largest_rest(const berth_tensor_t *a, const berth_tensor_t *v,
                           const berth_tensor_t *e, int64_t m, int64_t n) {
  double worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double re = 0, im = 0;
      for (int64_t k = 0; k < n; ++k) {
        // The lower half counts.
        int64_t at = m * n * n + (k <= i ? i * n + k : k * n + i);
        double x = driver_get(a, at, 0), y = 0;
        double p = driver_get(v, m * n * n + k * n + j, 0), q = 0;
        if (driver_is_complex(a)) {
          y = driver_get(a, at, 1) * (k <= i ? 1 : -1);
          q = driver_get(v, m * n * n + k * n + j, 1);
        }
        re += x * p - y * q;
        im += x * q + y * p;
      }
      double value = driver_get(e, m * n + j, 0);
      re -= value * driver_get(v, m * n * n + i * n + j, 0);
      if (driver_is_complex(a))
        im -= value * driver_get(v, m * n * n + i * n + j, 1);
      worst = fmax(worst, fmax(fabs(re), fabs(im)));
    }
  }
  return worst;
}

static void check_eigen(berth_dtype_t type, int64_t batch, int64_t n) {
  driver_t driver = {.op = "SelfAdjointEigV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  double tolerance = (is_wide(type) ? 1e-13 : 5e-5) * (double)n;
  berth_tensor_t *a = make_positive(type, batch, n);
  driver_type(&driver, "T", type);
  driver_input(&driver, a);
  driver_output(&driver, type);
  driver_output(&driver, type);
  ASSERT_OK(driver_call(&driver, &err), &err);
  const berth_tensor_t *e = driver.outputs[0], *v = driver.outputs[1];
  for (int64_t m = 0; m < batch; ++m) {
    for (int64_t i = 1; i < n; ++i) {
      EXPECT_TRUE(driver_get(e, m * n + i, 0) >=
                  driver_get(e, m * n + i - 1, 0));
    }
    if (!driver_is_complex(a) && m < 2) {
      EXPECT_TRUE(largest_error(v, m * n * n, n) < tolerance);
    }
    if (m < 2) EXPECT_TRUE(largest_rest(a, v, e, m, n) < tolerance);
  }
  driver_deinit(&driver);
  // Values alone.
  driver = (driver_t){.op = "SelfAdjointEigV2"};
  driver_type(&driver, "T", type);
  driver_bool(&driver, "compute_v", false);
  driver_input(&driver, make_positive(type, batch, n));
  driver_output(&driver, type);
  driver_output(&driver, type);
  driver_check(&driver, is_wide(type) ? 1e-11 : 1e-3);
}

TEST(linear, values_of_what_is_its_own_adjoint) {
  for (int t = 0; t < BERTH_COUNT_OF(all_types); ++t) {
    check_eigen(all_types[t], 3, 1);
    check_eigen(all_types[t], 5, 2);
    check_eigen(all_types[t], 40, 31);
    check_eigen(all_types[t], 33, 44);
    check_eigen(all_types[t], 2, 70);
  }
}

// Equal values, zeros, one that outweighs all: nobody turns for ever.
TEST(linear, values_of_odd_matrices) {
  for (int kind = 0; kind < 4; ++kind) {
    driver_t driver = {.op = "SelfAdjointEigV2"};
    berth_tensor_t *a = driver_random(BERTH_FLOAT, BERTH_SHAPE(24, 24), 0, 0);
    for (int i = 0; i < 24 * 24; ++i) {
      float x = i % 25 == 0 ? 3.0F : 0.0F;
      if (kind == 1) x = 1;
      if (kind == 2) x = 1e6F / (float)(1 + i / 24 + i % 24);
      if (kind == 3) x = 0;
      ((float *)a->data)[i] = x;
    }
    driver_type(&driver, "T", BERTH_FLOAT);
    driver_bool(&driver, "compute_v", false);
    driver_input(&driver, a);
    driver_output(&driver, BERTH_FLOAT);
    driver_output(&driver, BERTH_FLOAT);
    berth_error_t err = BERTH_ERROR_INIT;
    ASSERT_OK(driver_call(&driver, &err), &err);
    double trace = 0, sum = 0;
    for (int i = 0; i < 24; ++i) {
      trace += ((float *)a->data)[25 * i];
      sum += driver_get(driver.outputs[0], i, 0);
    }
    EXPECT_TRUE(fabs(trace - sum) <= 1e-4 * fabs(trace));
    driver_deinit(&driver);
  }
}

// A = U diag(s) V^T, and s is the CPU's.
static void check_svd(berth_dtype_t type, int64_t m, int64_t n, bool is_full) {
  driver_t driver = {.op = "Svd"};
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t least = m < n ? m : n;
  berth_tensor_t *a = driver_random(type, BERTH_SHAPE(2, m, n), -1, 1);
  double tolerance = is_wide(type) ? 1e-12 : 1e-4, worst = 0;
  driver_type(&driver, "T", type);
  driver_bool(&driver, "full_matrices", is_full);
  driver_input(&driver, a);
  for (int i = 0; i < 3; ++i) driver_output(&driver, type);
  ASSERT_OK(driver_call(&driver, &err), &err);
  const berth_tensor_t *s = driver.outputs[0], *u = driver.outputs[1],
                       *v = driver.outputs[2];
  int64_t columns = u->dims[2], others = v->dims[2];
  EXPECT_EQ(columns, is_full ? m : least);
  EXPECT_EQ(others, is_full ? n : least);
  for (int64_t i = 0; i < 2 * m * n; ++i) {
    int64_t b = i / (m * n), row = i / n % m, column = i % n;
    double sum = 0;
    for (int64_t k = 0; k < least; ++k) {
      sum += driver_get(u, (b * m + row) * columns + k, 0) *
             driver_get(s, b * least + k, 0) *
             driver_get(v, (b * n + column) * others + k, 0);
    }
    worst = fmax(worst, fabs(sum - driver_get(a, i, 0)));
  }
  EXPECT_TRUE(worst < tolerance);
  if (is_full) EXPECT_TRUE(largest_error(u, 0, m) < tolerance);
  if (is_full) EXPECT_TRUE(largest_error(v, 0, n) < tolerance);
  driver_deinit(&driver);
}

TEST(linear, singular_values) {
  for (int t = 0; t < 2; ++t) {
    for (int is_full = 0; is_full < 2; ++is_full) {
      check_svd(all_types[t], 5, 3, is_full != 0);
      check_svd(all_types[t], 70, 66, is_full != 0);
      check_svd(all_types[t], 64, 80, is_full != 0);
      check_svd(all_types[t], 65, 65, is_full != 0);
    }
    driver_t driver = {.op = "Svd"};
    driver_type(&driver, "T", all_types[t]);
    driver_bool(&driver, "compute_uv", false);
    driver_input(&driver,
                 driver_random(all_types[t], BERTH_SHAPE(70, 90), -1, 1));
    for (int i = 0; i < 3; ++i) driver_output(&driver, all_types[t]);
    driver_check(&driver, 1e-3);
  }
}

// Without the library the host does it.
TEST(linear, goes_to_the_host_without_a_library) {
  setenv("BERTH_GPU_LIBRARIES", "none", 1);
  check_one("MatrixInverse", BERTH_FLOAT, 1, 100, 1);
  check_one("Cholesky", BERTH_COMPLEX128, 2, 70, 1);
  check_eigen(BERTH_DOUBLE, 1, 50);
  check_svd(BERTH_FLOAT, 70, 70, false);
  unsetenv("BERTH_GPU_LIBRARIES");
}

// Nothing to do, whatever it is that there is none of.
TEST(linear, takes_what_has_no_elements) {
  check_one("MatrixInverse", BERTH_FLOAT, 0, 3, 1);
  check_one("MatrixInverse", BERTH_FLOAT, 2, 0, 1);
  check_one("MatrixDeterminant", BERTH_DOUBLE, 2, 0, 1);
  check_one("LogMatrixDeterminant", BERTH_DOUBLE, 2, 0, 2);
  check_solution("MatrixSolve", BERTH_FLOAT, 2, 3, 0, 0);
  check_solution("MatrixTriangularSolve", BERTH_FLOAT, 2, 3, 0, 0);
}

// ---- Faults ----

static const char *const symbols[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/cusolver_symbols.inc"
};

// Does something that the library is asked for; the text of what went wrong.
static const char *call_library(int what) {
  static char text[256];
  static const char *const ops[] = {"MatrixInverse", "Cholesky",
                                    "SelfAdjointEigV2", "Svd"};
  berth_dtype_t type = what < 4 ? all_types[what] : BERTH_DOUBLE;
  const char *op = what < 4 ? ops[0] : ops[what - 3];
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  driver_input(&driver, make_positive(type, 2, 66));
  driver_output(&driver, type);
  for (int i = 4; i < what; ++i) driver_output(&driver, type);
  text[0] = '\0';
  if (driver_call(&driver, &err) != BERTH_OK) {
    snprintf(text, sizeof(text), "%s", berth_error_message(&err));
  }
  berth_error_clear(&err);
  driver_deinit(&driver);
  return text;
}

// The first and the second call of each function fail: the op says which, and
// does its work when it is next asked.
TEST(linear, a_failure_of_the_library_is_told) {
  enum { WORKS = 7 };
  int told = 0;
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("faults are for simulated cards");
  EXPECT_STR(call_library(0), "");
  for (int i = 0; i < BERTH_COUNT_OF(symbols); ++i) {
    if (strstr(symbols[i], "Create") != NULL) continue;
    for (int what = 0; what < WORKS; ++what) {
      berth_fault_arm(symbols[i], 1 + what % 2);
      const char *text = call_library(what);
      berth_fault_disarm();
      if (text[0] != '\0') {
        EXPECT_TRUE(strstr(text, symbols[i]) != NULL);
        ++told;
      }
      EXPECT_STR(call_library(what), "");
    }
  }
  EXPECT_TRUE(told >= 20);
}

// Handles went with the context, and are made anew.
TEST(linear, outlives_a_reset_of_the_card) {
  driver_t driver = {.op = "MatrixInverse"};
  berth_error_t err = BERTH_ERROR_INIT;
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("others may use the card");
  driver_type(&driver, "T", BERTH_DOUBLE);
  driver_input(&driver, make_matrices(BERTH_DOUBLE, 1, 90));
  driver_output(&driver, BERTH_DOUBLE);
  ASSERT_OK(driver_call(&driver, &err), &err);
  ASSERT_OK(driver_call_after_reset(&driver, &err), &err);
  driver_expect_cpu(&driver, 1e-10);
  driver_deinit(&driver);
}

// What was made before a handle was not is given back.
TEST(linear, a_handle_that_was_not_made_is_made_next) {
  static const char *const makers[] = {
      "cusolverDnCreate", "cusolverDnCreateParams", "cublasCreate_v2"};
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("faults are for simulated cards");
  for (int i = 0; i < 3; ++i) {
    berth_fault_arm(makers[i], 1);
    const char *text = call_library(0);
    berth_fault_disarm();
    EXPECT_TRUE(strstr(text, makers[i]) != NULL);
  }
  EXPECT_STR(call_library(0), "");
}
