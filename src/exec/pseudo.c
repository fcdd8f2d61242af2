// pseudo.c - Nodes of steps that stand in no graph.
#include "exec/pseudo.h"

void *berth_pseudo_node(berth_arena_t *arena, size_t size,
                        const berth_op_schema_t *op, const char *name,
                        berth_dtype_t dtype) {
  berth_node_t *node = berth_arena_calloc(arena, 1, size);
  berth_dtype_t *types = berth_arena_alloc(arena, sizeof(*types));
  if (node == NULL || types == NULL) return NULL;
  *types = dtype;
  *node = (berth_node_t){.id = -1,
                         .op = op,
                         .name = name,
                         .device = "",
                         .input_count = 1,
                         .output_count = 1,
                         .output_types = types};
  return node;
}
