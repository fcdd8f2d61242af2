// sum.c - Summing slopes, and holding them back until all are there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grad/walk.h"

static const char *device_of(const berth_grad_t *g, berth_out_t value) {
  if (g->to->is_eager) return "";
  const char *device = berth_node_device(g->graph, value.node);
  return device == NULL ? "" : device;
}

// Makes the sum of values, one next to the other, placed with the first.
static berth_out_t add_n(berth_grad_t *g, const berth_out_t *values, int count,
                         bool is_free) {
  if (count == 1) return values[0];
  berth_grad_begin(g, "AddN", NULL);
  if (!is_free && !g->to->is_eager) berth_op_colocate(g->op, values[0].node);
  return berth_grad_make_lists(g, values, &count, 1);
}

static int compare_devices(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Sums values where they are, then what is on each device.
static berth_out_t sum_values(berth_grad_t *g, const berth_slope_t *slopes,
                              int count, bool is_free) {
  size_t n = (size_t)count;
  const char **devices = berth_arena_calloc(g->arena, n, sizeof(*devices));
  berth_out_t *here = berth_arena_calloc(g->arena, n, sizeof(*here));
  berth_out_t *sums = berth_arena_calloc(g->arena, n, sizeof(*sums));
  if (devices == NULL || here == NULL || sums == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return BERTH_NO_OUT;
  }
  for (int i = 0; i < count; ++i) devices[i] = device_of(g, slopes[i].values);
  qsort(devices, n, sizeof(*devices), compare_devices);
  int sum_count = 0;
  for (int i = 0; i < count; ++i) {
    if (i > 0 && strcmp(devices[i], devices[i - 1]) == 0) continue;
    int here_count = 0;
    for (int j = 0; j < count; ++j) {
      if (strcmp(devices[i], device_of(g, slopes[j].values)) == 0) {
        here[here_count++] = slopes[j].values;
      }
    }
    sums[sum_count++] = add_n(g, here, here_count, is_free);
  }
  return add_n(g, sums, sum_count, true);
}

// Puts values one after the other.
static berth_out_t concat(berth_grad_t *g, const berth_out_t *values,
                          int count) {
  berth_grad_push(g, "concat");
  berth_out_t axis = berth_grad_int(g, "axis", BERTH_INT32, 0);
  berth_out_t *inputs =
      berth_arena_calloc(g->arena, (size_t)count + 1, sizeof(*inputs));
  if (inputs == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return BERTH_NO_OUT;
  }
  memcpy(inputs, values, (size_t)count * sizeof(*values));
  inputs[count] = axis;
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  berth_out_t made = berth_grad_make_lists(g, inputs, (int[]){count, -1}, 2);
  berth_grad_pop(g);
  return made;
}

// Gives indices one type, the wider one.
static void widen(berth_grad_t *g, berth_out_t *indices, int count) {
  bool is_wide = false, is_mixed = false;
  for (int i = 0; i < count; ++i) {
    bool wide = berth_grad_dtype(g, indices[i]) == BERTH_INT64;
    is_mixed |= i > 0 && wide != is_wide;
    is_wide |= wide;
  }
  for (int i = 0; is_mixed && i < count; ++i) {
    if (berth_grad_dtype(g, indices[i]) == BERTH_INT64) continue;
    berth_grad_begin(g, "Cast", NULL);
    berth_op_attr_type(g->op, "DstT", BERTH_INT64);
    indices[i] = berth_grad_make(g, &indices[i], 1);
  }
}

// Puts rows of all slopes one after the other.
static berth_slope_t sum_rows(berth_grad_t *g, const berth_slope_t *slopes,
                              int count) {
  berth_out_t *values =
      berth_arena_calloc(g->arena, (size_t)count, sizeof(*values));
  berth_out_t *indices =
      berth_arena_calloc(g->arena, (size_t)count, sizeof(*indices));
  if (values == NULL || indices == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return BERTH_NO_SLOPE;
  }
  berth_out_t dense_shape = BERTH_NO_OUT;
  for (int i = 0; i < count; ++i) {
    values[i] = slopes[i].values;
    indices[i] = slopes[i].indices;
    if (!berth_out_is(dense_shape)) dense_shape = slopes[i].dense_shape;
  }
  widen(g, indices, count);
  berth_out_t all = concat(g, values, count);
  berth_out_t where = concat(g, indices, count);
  return (berth_slope_t){all, where, dense_shape};
}

// Sums values and rows: those are spread out first.
static berth_out_t sum_both(berth_grad_t *g, const berth_slope_t *slopes,
                            int count) {
  berth_out_t *values =
      berth_arena_calloc(g->arena, (size_t)count, sizeof(*values));
  if (values == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return BERTH_NO_OUT;
  }
  berth_grad_push(g, "AddN");
  for (int i = 0; i < count; ++i) {
    char name[24];
    snprintf(name, sizeof(name), "inputs_%d", i);
    values[i] = berth_grad_spread(g, slopes[i], name);
  }
  berth_grad_begin(g, "AddN", BERTH_SCOPE_NAME);
  berth_out_t sum = berth_grad_make_lists(g, values, &count, 1);
  berth_grad_pop(g);
  return sum;
}

berth_slope_t berth_grad_sum(berth_grad_t *g, const berth_slope_t *slopes,
                             int count, bool is_free) {
  if (count == 1) return slopes[0];
  int rows = 0;
  for (int i = 0; i < count; ++i) rows += berth_out_is(slopes[i].indices);
  if (rows == count) return sum_rows(g, slopes, count);
  berth_out_t sum = rows > 0 ? sum_both(g, slopes, count)
                             : sum_values(g, slopes, count, is_free);
  return (berth_slope_t){sum, BERTH_NO_OUT, BERTH_NO_OUT};
}

// ---- Gates ----

static berth_out_t gated(berth_grad_t *g, const char *name, berth_out_t value,
                         berth_node_id_t gate) {
  if (!berth_out_is(value)) return value;
  berth_grad_begin(g, "Identity", name);
  if (g->code == BERTH_OK) {
    berth_op_colocate(g->op, value.node);
    berth_op_control(g->op, gate);
  }
  return berth_grad_make(g, &value, 1);
}

// Adds the node of |value| to |nodes|, once.
static int note(berth_node_id_t *nodes, int count, berth_out_t value) {
  if (!berth_out_is(value)) return count;
  int at = 0;
  while (at < count && nodes[at] < value.node) ++at;
  if (at < count && nodes[at] == value.node) return count;
  memmove(nodes + at + 1, nodes + at, (size_t)(count - at) * sizeof(*nodes));
  nodes[at] = value.node;
  return count + 1;
}

// Makes the node that waits for |nodes|; on their device, if that is one.
static berth_node_id_t group(berth_grad_t *g, const berth_node_id_t *nodes,
                             int count) {
  berth_grad_begin(g, "NoOp", "group_deps");
  const char *device = "";
  for (int i = 0; g->code == BERTH_OK && i < count; ++i) {
    berth_op_control(g->op, nodes[i]);
    const char *here = berth_node_device(g->graph, nodes[i]);
    if (i == 0) device = here;
    if (strcmp(device, here) != 0) device = "";
  }
  if (device[0] != '\0') berth_op_device(g->op, device);
  return berth_grad_make(g, NULL, 0).node;
}

void berth_grad_gate(berth_grad_t *g, berth_slope_t *slopes, int count) {
  int found = 0;
  for (int i = 0; i < count; ++i) found += berth_out_is(slopes[i].values);
  if (found < 2 || g->to->is_eager || g->code != BERTH_OK) return;
  berth_node_id_t *nodes =
      berth_arena_calloc(g->arena, 2 * (size_t)count, sizeof(*nodes));
  if (nodes == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
    return;
  }
  int node_count = 0;
  for (int i = 0; i < count; ++i) {
    node_count = note(nodes, node_count, slopes[i].values);
    node_count = note(nodes, node_count, slopes[i].indices);
  }
  berth_grad_push(g, "tuple");
  berth_node_id_t gate = group(g, nodes, node_count);
  for (int i = 0; i < count; ++i) {
    slopes[i].values = gated(g, "control_dependency", slopes[i].values, gate);
    slopes[i].indices = gated(g, "indices", slopes[i].indices, gate);
  }
  berth_grad_pop(g);
}
