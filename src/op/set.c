// set.c - Sets: checks and shapes.
#include "op/set.h"

#include <string.h>
#include <strings.h>

#include "op/sparse_check.h"
#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static berth_code_t read_how(const berth_case_t *op, berth_set_t *out,
                             berth_error_t *err) {
  static const char *const words[] = {"a-b", "b-a", "intersection", "union"};
  const char *word = berth_node_attr_string(op->node, "set_operation", "");
  for (int i = 0; i < 4; ++i) {
    if (strcasecmp(word, words[i]) != 0) continue;
    out->how = (berth_set_how_t)i;
    return BERTH_OK;
  }
  return INVALID("Invalid set_operation %s.", word);
}

// Checks one of both, whose inputs begin at |first|.
static berth_code_t check_side(const berth_case_t *op, int first,
                               bool is_sparse, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (is_sparse) return berth_sparse_check(op, first, err);
  if (op->inputs[first].rank >= 2) return BERTH_OK;
  return INVALID("Shape %s has rank %d < 2",
                 berth_input_text(&op->inputs[first], text),
                 (int)op->inputs[first].rank);
}

berth_code_t berth_op_set_operation(berth_case_t *op, berth_set_t *out,
                                    berth_error_t *err) {
  const char *name = op->node->op->name;
  *out = (berth_set_t){
      .validates = berth_node_attr_bool(op->node, "validate_indices", true),
      .is_sparse = {strncmp(name, "Sparse", 6) == 0,
                    strstr(name, "ToSparse") != NULL}};
  BERTH_TRY(read_how(op, out, err));
  BERTH_TRY(check_side(op, 0, out->is_sparse[0], err));
  BERTH_TRY(check_side(op, out->is_sparse[0] ? 3 : 1, out->is_sparse[1], err));
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_set_size(berth_case_t *op, berth_set_t *out,
                               berth_error_t *err) {
  *out = (berth_set_t){
      .validates = berth_node_attr_bool(op->node, "validate_indices", true),
      .is_sparse = {true, true}};
  BERTH_TRY(berth_sparse_check(op, 0, err));
  return berth_sparse_makes_all(op);
}

// ---- Shapes of a graph ----

// Returns the rank of both, as far as a dense input or the length of a shape
// tells; -1 is not known.
static int64_t rank_of(berth_shape_context_t *c) {
  int count = berth_shape_inputs(c);
  for (int i = 0; i < count; ++i) {
    bool is_shape = (count == 6 && i % 3 == 2) || (count == 4 && i == 3);
    bool is_dense = count == 2 || (count == 4 && i == 0);
    berth_dims_t in = berth_shape_in(c, i);
    if (is_dense && in.rank >= 0) return in.rank;
    if (is_shape && in.rank == 1 && in.dims[0] >= 0) return in.dims[0];
  }
  return -1;
}

BERTH_INFER(set_operation) {
  int64_t rank = rank_of(c);
  BERTH_TRY(berth_sparse_matrix(c, 0, -1, rank, err));
  BERTH_TRY(berth_shape_set_vector(c, 1, -1, err));
  return berth_shape_set_vector(c, 2, rank, err);
}
