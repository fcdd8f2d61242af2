// ragged.c - Ragged tensors.
#include <string.h>

#include "base/alloc.h"
#include "grad/rules/words.inc"
#include "grad/sizes.h"

BERTH_GRAD(ragged_to_sparse) {
  int last = g->node->input_count - 1;
  value_t shape = berth_emit_shape(g, in(g, last));
  give(g, last, reshape(g, dy(g, 1), shape));
}

// Rows of values go back to where they were taken from.
BERTH_GRAD(ragged_gather) {
  int count = g->node->input_count - 2;
  value_t splits = in(g, 0);
  for (int i = 1; i < count; ++i) {
    splits = berth_emit_gather(g, in(g, i), splits);
  }
  value_t rows = berth_emit_reshape(g, in(g, count + 1), (int64_t[]){-1}, 1);
  value_t begins = berth_emit_gather(g, splits, rows);
  value_t after = berth_emit_part(g, splits, 1, BERTH_TO_END);
  value_t ends = berth_emit_gather(g, after, rows);
  value_t one = number_like(g, "Const", begins, 1);
  berth_grad_push(g, "RaggedRange");
  value_t range = OP(g, "RaggedRange", BERTH_SCOPE_NAME, begins, ends, one);
  berth_grad_pop(g);
  value_t slope = dy(g, g->node->output_count - 1);
  berth_grad_give_rows(g, count, slope, berth_out_at(range, 1),
                       berth_emit_shape(g, in(g, count)));
}

// Returns, in the places of the output, which row of values is there; -1 where
// the default is.
static value_t rows_in_places(berth_grad_t *g, value_t sizes) {
  int parts = g->node->input_count - 3, all = parts + 3;
  value_t *inputs = berth_calloc((size_t)all, sizeof(*inputs));
  if (inputs == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return NONE;
  }
  value_t count = berth_emit_item(g, berth_emit_shape(g, in(g, 1)), 0);
  inputs[0] = sizes;
  inputs[1] = berth_emit_range_to(g, count);
  inputs[2] = number_like(g, "Const", inputs[1], -1);
  for (int i = 0; i < parts; ++i) inputs[3 + i] = in(g, 3 + i);
  berth_grad_begin(g, "RaggedTensorToTensor", NULL);
  berth_grad_copy(g, "row_partition_types");
  value_t made =
      berth_grad_make_lists(g, inputs, (int[]){-1, -1, -1, parts}, 4);
  berth_free(inputs);
  return made;
}

// Slopes of the default are summed along the dimensions it was repeated in.
BERTH_GRAD(ragged_to_tensor) {
  const berth_attr_value_t *kinds =
      berth_node_attr(g->node, "row_partition_types");
  bool has_size =
      kinds->count > 0 && strcmp(kinds->s_list[0].text, "FIRST_DIM_SIZE") == 0;
  int outer = 1 + kinds->count - (has_size ? 1 : 0);
  value_t d = dy(g, 0), values = in(g, 1), def = in(g, 2);
  value_t sizes = berth_emit_part(g, berth_emit_shape(g, d), 0, outer);
  value_t rows = rows_in_places(g, sizes);
  value_t none = number_like(g, "Const", rows, -1);
  value_t taken = OP(g, "Where", NULL, OP(g, "NotEqual", NULL, rows, none));
  berth_grad_give_rows(g, 1, OP(g, "GatherNd", NULL, d, taken),
                       OP(g, "GatherNd", NULL, rows, taken),
                       berth_emit_shape(g, values));
  value_t left = OP(g, "Where", NULL, OP(g, "Equal", NULL, rows, none));
  value_t slopes = OP(g, "GatherNd", NULL, d, left);
  value_t shape = berth_emit_shape(g, def);
  value_t axes =
      OP(g, "BroadcastGradientArgs", NULL, berth_emit_shape(g, slopes), shape);
  value_t sum = berth_emit_sum(g, slopes, berth_out_at(axes, 1), false);
  give(g, 2, reshape(g, sum, shape));
}

// ---- In variants ----

// The slope by what was cut into variants is put together from theirs.
BERTH_GRAD(ragged_to_variant) {
  int last = g->node->input_count - 1;
  value_t splits = last > 0 ? in(g, 0) : number(g, BERTH_INT64, 0);
  value_t sizes = berth_emit_shape(g, in(g, last));
  value_t d = dy(g, 0);
  berth_grad_begin(g, "RaggedTensorToVariantGradient", NULL);
  berth_op_attr_type(g->op, "Tvalues", berth_grad_dtype(g, in(g, last)));
  give(g, last, MAKE(g, d, splits, sizes));
}

BERTH_GRAD(ragged_from_variant) {
  int last = g->node->output_count - 1;
  int rank = berth_grad_rank(g, in(g, 0));
  if (rank > 1) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "Unable to compute gradient: RaggedTensorToVariant can "
                    "currently only generate 0D or 1D output.");
    return;
  }
  value_t *inputs =
      berth_arena_calloc(g->arena, (size_t)last + 1, sizeof(*inputs));
  if (inputs == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return;
  }
  for (int i = 0; i < last; ++i) inputs[i] = out(g, i);
  inputs[last] = dy(g, last);
  berth_grad_begin(g, "RaggedTensorToVariant", NULL);
  berth_op_attr_bool(g->op, "batched_input", rank < 0 ? last > 0 : rank == 1);
  give(g, 0, berth_grad_make_lists(g, inputs, (int[]){last, -1}, 2));
}
