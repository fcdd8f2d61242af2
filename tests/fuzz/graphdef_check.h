// graphdef_check.h - What must hold of any GraphDef, for the fuzz targets.
#ifndef BERTH_TESTS_FUZZ_GRAPHDEF_CHECK_H_
#define BERTH_TESTS_FUZZ_GRAPHDEF_CHECK_H_

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "berth/graph.h"
#include "wire/graph.pb-c.h"

static inline void need(bool condition) {
  if (!condition) abort();
}

// True when no constant in |def| is larger than a few megabytes. Larger ones
// are legal and only cost time.
static inline bool is_small(const Berth__Wire__GraphDef *def) {
  for (size_t i = 0; i < def->n_node; ++i) {
    for (size_t k = 0; k < def->node[i]->n_attr; ++k) {
      const Berth__Wire__AttrValue *value = def->node[i]->attr[k]->value;
      if (value == NULL ||
          value->value_case != BERTH__WIRE__ATTR_VALUE__VALUE_TENSOR ||
          value->tensor->tensor_shape == NULL) {
        continue;
      }
      double count = 1;
      const Berth__Wire__TensorShapeProto *shape = value->tensor->tensor_shape;
      for (size_t d = 0; d < shape->n_dim; ++d) {
        count *= (double)shape->dim[d]->size;
      }
      if (count > 1e6 && count < 1e13) return false;
    }
  }
  return true;
}

// What a graph writes, another one reads and writes again, byte for byte.
static inline void check_export(const berth_graph_t *graph) {
  void *first = NULL, *second = NULL;
  size_t first_size = 0, second_size = 0;
  berth_error_t err = BERTH_ERROR_INIT;
  need(berth_graph_export(graph, &first, &first_size, &err) == BERTH_OK);
  berth_graph_t *again = berth_graph_create();
  need(berth_graph_import(again, first, first_size, NULL, &err) == BERTH_OK);
  need(berth_graph_export(again, &second, &second_size, &err) == BERTH_OK);
  need(first_size == second_size && memcmp(first, second, first_size) == 0);
  berth_text_free(first);
  berth_text_free(second);
  berth_graph_release(again);
  berth_error_clear(&err);
}

#endif  // BERTH_TESTS_FUZZ_GRAPHDEF_CHECK_H_
