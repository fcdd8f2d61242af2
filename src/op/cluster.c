// cluster.c - Centers of clusters: checks.
#include "op/cluster.h"

#include <math.h>

#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// Checks that inputs have the ranks of |ranks|.
static berth_code_t check_ranks(const berth_case_t *op,
                                const char *const *names, const int8_t *ranks,
                                berth_error_t *err) {
  static const char *const what[] = {"scalar", "vector", "matrix"};
  for (int i = 0; i < op->input_count; ++i) {
    if (op->inputs[i].rank == ranks[i]) continue;
    return INVALID("Input %s should be a %s.", names[i], what[ranks[i]]);
  }
  return BERTH_OK;
}

static berth_code_t take_points(const berth_case_t *op, berth_cluster_t *out,
                                berth_error_t *err) {
  *out = (berth_cluster_t){.rows = op->inputs[0].dims[0],
                           .columns = op->inputs[0].dims[1]};
  return out->rows > 0 ? BERTH_OK : INVALID("Expected points.rows() > 0.");
}

berth_code_t berth_op_nearest(berth_case_t *op, berth_cluster_t *out,
                              berth_error_t *err) {
  static const char *const names[] = {"points", "centers", "k"};
  const berth_case_input_t *centers = &op->inputs[1];
  BERTH_TRY(check_ranks(op, names, (const int8_t[]){2, 2, 0}, err));
  BERTH_TRY(take_points(op, out, err));
  if (out->columns != centers->dims[1]) {
    return INVALID(
        "Expected point_dimensions == center_dimensions: %lld vs %lld.",
        (long long)out->columns, (long long)centers->dims[1]);
  }
  int64_t k = berth_value_int(&op->inputs[2], 0);
  // TensorFlow ends.
  if (k < 0) return INVALID("k must not be negative, got %lld", (long long)k);
  out->centers = centers->dims[0];
  out->count = k < out->centers ? k : out->centers;
  int64_t dims[] = {out->rows, out->count};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  berth_case_output(op, 1, (berth_dims_t){2, dims});
  return BERTH_OK;
}

berth_code_t berth_op_first_centers(berth_case_t *op, berth_cluster_t *out,
                                    berth_error_t *err) {
  static const char *const names[] = {"points", "num_to_sample", "seed",
                                      "num_retries_per_sample"};
  BERTH_TRY(check_ranks(op, names, (const int8_t[]){2, 0, 0, 0}, err));
  BERTH_TRY(take_points(op, out, err));
  out->centers = berth_value_int(&op->inputs[1], 0);
  out->count = berth_value_int(&op->inputs[3], 0);
  if (out->centers <= 0) return INVALID("Expected num_to_sample > 0.");
  if (out->centers > out->rows) {
    return INVALID("Expected num_to_sample <= points.rows(). %lld vs %lld.",
                   (long long)out->centers, (long long)out->rows);
  }
  if (out->count < 0) out->count = 2 + (int64_t)log((double)out->centers);
  int64_t dims[] = {out->centers, out->columns};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}

berth_code_t berth_op_chain(berth_case_t *op, berth_cluster_t *out,
                            berth_error_t *err) {
  static const char *const names[] = {"distances", "seed"};
  BERTH_TRY(check_ranks(op, names, (const int8_t[]){1, 0}, err));
  *out = (berth_cluster_t){.rows = op->inputs[0].count};
  if (out->rows == 0) return INVALID("Expected distances_tensor.size() > 0.");
  berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}
