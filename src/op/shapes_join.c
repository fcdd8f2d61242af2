// shapes_join.c - Shapes of ops that join texts.
#include "graph/shape_fn.h"

BERTH_INFER(string_join) {
  berth_dims_t all = {-1, NULL};
  bool are_scalars = true;
  for (int i = 0; i < berth_shape_inputs(c); ++i) {
    berth_dims_t in = berth_shape_in(c, i);
    if (in.rank != 0) are_scalars = false;
    if (in.rank > 0) BERTH_TRY(berth_shape_merge(c, all, in, &all, err));
  }
  c->outputs[0] = are_scalars ? BERTH_SCALAR : all;
  return BERTH_OK;
}
