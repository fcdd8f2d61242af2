// scatter.c - Taking elements by their coordinates, and putting them there.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

static value_t gather_nd(berth_grad_t *g, value_t from, value_t indices) {
  return OP(g, "GatherNd", NULL, from, indices);
}

BERTH_GRAD(gather_nd) {
  value_t d = dy(g, 0), indices = in(g, 1);
  berth_dtype_t type = berth_grad_dtype(g, indices);
  value_t sizes = berth_emit_shape_as(g, in(g, 0), type);
  berth_dims_t dims = berth_grad_shape(g, indices);
  if (dims.rank == 2 && dims.dims[1] == 1) {
    int64_t last = -1;
    berth_grad_begin(g, "Squeeze", NULL);
    berth_op_attr_ints(g->op, "squeeze_dims", &last, 1);
    value_t rows = MAKE(g, indices);
    berth_grad_give_rows(g, 0, d, rows, sizes);
    return;
  }
  berth_grad_begin(g, "ScatterNd", NULL);
  berth_grad_copy(g, "bad_indices_policy");
  give(g, 0, MAKE(g, indices, d, sizes));
}

BERTH_GRAD(scatter_nd) {
  value_t d = dy(g, 0);
  give(g, 1, gather_nd(g, d, in(g, 0)));
}

BERTH_GRAD(scatter_nd_add) {
  value_t d = dy(g, 0);
  give(g, 0, d);
  give(g, 2, gather_nd(g, d, in(g, 1)));
}

BERTH_GRAD(tensor_scatter_update) {
  value_t d = dy(g, 0), indices = in(g, 1);
  give(g, 2, gather_nd(g, d, indices));
  value_t all = identity(g, d);
  value_t none = zeros_like(g, in(g, 2));
  give(g, 0, OP(g, "TensorScatterUpdate", NULL, all, indices, none));
}

BERTH_GRAD(tensor_scatter_add) {
  value_t d = dy(g, 0);
  give(g, 2, gather_nd(g, d, in(g, 1)));
  give(g, 0, identity(g, d));
}

BERTH_GRAD(tensor_scatter_sub) {
  value_t d = dy(g, 0);
  value_t part = gather_nd(g, d, in(g, 1));
  give(g, 0, identity(g, d));
  give(g, 2, neg(g, part));
}

// Returns 1 where both are the same.
static value_t sameness(berth_grad_t *g, value_t a, value_t b, value_t d) {
  value_t is_same = OP(g, "Equal", NULL, a, b);
  return berth_emit_cast(g, is_same, berth_grad_dtype(g, d));
}

// Values that are the least, or the greatest, share the slope.
BERTH_GRAD(tensor_scatter_extreme) {
  value_t d = dy(g, 0), indices = in(g, 1);
  value_t by_x = sameness(g, in(g, 0), out(g, 0), d);
  value_t chosen = gather_nd(g, out(g, 0), indices);
  value_t by_y = sameness(g, in(g, 2), chosen, d);
  value_t sizes =
      berth_emit_shape_as(g, in(g, 0), berth_grad_dtype(g, indices));
  value_t counts = OP(g, "ScatterNd", NULL, indices, by_y, sizes);
  counts = add(g, by_x, counts);
  value_t x = mul(g, d, by_x);
  give(g, 0, truediv(g, x, counts));
  value_t share = truediv(g, d, counts);
  share = gather_nd(g, share, indices);
  give(g, 2, mul(g, share, by_y));
}

// ---- Partitions ----

BERTH_GRAD(dynamic_partition) {
  int count = g->node->output_count;
  value_t sizes = berth_emit_shape(g, in(g, 1));
  value_t all = berth_emit_product(g, sizes);
  value_t places = berth_emit_range(g, BERTH_INT32, BERTH_EXTENT_NUMBERS(0),
                                    BERTH_EXTENT(all), BERTH_EXTENT_NUMBERS(1));
  places = reshape(g, places, sizes);
  berth_grad_begin(g, "DynamicPartition", NULL);
  berth_grad_copy(g, "num_partitions");
  value_t parts = MAKE(g, places, in(g, 1));
  value_t *inputs =
      berth_arena_calloc(g->arena, 2 * (size_t)count, sizeof(*inputs));
  if (inputs == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return;
  }
  for (int i = 0; i < count; ++i) {
    inputs[i] = berth_out_at(parts, i);
    inputs[count + i] = dy(g, i);
  }
  berth_grad_begin(g, "ParallelDynamicStitch", NULL);
  berth_op_attr_int(g->op, "N", count);
  value_t made = berth_grad_make_lists(g, inputs, (int[]){count, count}, 2);
  give(g, 0, reshape(g, made, berth_emit_shape(g, in(g, 0))));
}

// Sums rows of a slope by a stitched value, whose number a run finds.
static value_t stitched_rows(berth_grad_t *g) {
  berth_slope_t slope = g->slopes[0];
  value_t sizes = berth_emit_shape(g, out(g, 0));
  value_t rows = berth_emit_item(g, sizes, 0);
  return OP(g, "UnsortedSegmentSum", NULL, slope.values, slope.indices, rows);
}

BERTH_GRAD(dynamic_stitch) {
  int count = g->node->input_count / 2;
  value_t d = berth_out_is(g->slopes[0].indices) ? stitched_rows(g) : dy(g, 0);
  for (int i = 0; i < count; ++i) {
    give(g, count + i, berth_emit_gather(g, d, in(g, i)));
  }
}
