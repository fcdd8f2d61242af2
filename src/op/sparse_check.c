// sparse_check.c - What families of sparse tensors check alike.
#include "op/sparse_check.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

berth_code_t berth_sparse_check(const berth_case_t *op, int first,
                                berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[first];
  if (in[0].rank != 2) {
    return INVALID("Sparse indices must be rank 2 but is rank %d",
                   (int)in[0].rank);
  }
  if (in[1].rank != 1) {
    return INVALID("Sparse values must be rank 1 but is rank %d",
                   (int)in[1].rank);
  }
  if (in[2].rank != 1) {
    return INVALID("Sparse shape must be rank 1 but is rank %d",
                   (int)in[2].rank);
  }
  if (in[0].dims[0] != in[1].count) {
    return INVALID(
        "Number of elements in indices (%lld) and values (%lld) do not match",
        (long long)in[0].dims[0], (long long)in[1].count);
  }
  if (in[0].dims[1] != in[2].count) {
    return INVALID("Index rank (%lld) and shape rank (%lld) do not match",
                   (long long)in[0].dims[1], (long long)in[2].count);
  }
  return BERTH_OK;
}

berth_code_t berth_sparse_ranks(berth_shape_context_t *c, const char *ranks,
                                berth_error_t *err) {
  for (int i = 0; ranks[i] != '\0'; ++i) {
    berth_dims_t shape;
    if (ranks[i] == '-') continue;
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), ranks[i] - '0',
                                    &shape, err));
  }
  return BERTH_OK;
}

berth_code_t berth_sparse_matrix(berth_shape_context_t *c, int index, int64_t m,
                                 int64_t n, berth_error_t *err) {
  int64_t dims[2] = {m, n};
  return berth_shape_join(c, (berth_dims_t){2, dims}, (berth_dims_t){0, NULL},
                          &c->outputs[index], err);
}
