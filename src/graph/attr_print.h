// attr_print.h - The pieces of which messages about values are made.
//
// Pure functions; thread-safe.
#ifndef BERTH_GRAPH_ATTR_PRINT_H_
#define BERTH_GRAPH_ATTR_PRINT_H_

#include "base/str.h"
#include "berth/tensor.h"

// Appends |text| with everything but plain ASCII escaped as in C.
void berth_text_escape(const char *text, size_t size, berth_str_t *str);

// Appends the shortest of 6 or 9 digits that reads back as |value|.
void berth_float_print(float value, berth_str_t *str);

// Appends at most |limit| elements: `[1 2][3...]...`. Host tensors only.
void berth_tensor_summarize(const berth_tensor_t *tensor, int64_t limit,
                            berth_str_t *str);

// Appends at most |limit| indices from either end of each dimension, as
// programs print tensors: `[[1 2 ... 9]\n ...`. Host tensors only.
void berth_tensor_print_ends(const berth_tensor_t *tensor, int64_t limit,
                             berth_str_t *str);

#endif  // BERTH_GRAPH_ATTR_PRINT_H_
