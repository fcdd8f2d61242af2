// shapes_source.c - Shapes of ops that give one value whatever they are given.
#include "graph/shape_fn.h"

BERTH_INFER(scalar) {
  (void)err;
  for (int i = 0; i < c->node->output_count; ++i) c->outputs[i] = BERTH_SCALAR;
  return BERTH_OK;
}
