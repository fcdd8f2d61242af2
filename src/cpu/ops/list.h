// list.h - What kernels on lists share.
#ifndef BERTH_CPU_OPS_LIST_H_
#define BERTH_CPU_OPS_LIST_H_

#include "kernel/kernel.h"
#include "state/list.h"

// Finds the list at input |index|, borrowed. BERTH_INVALID_ARGUMENT when there
// is none.
BERTH_NODISCARD berth_code_t berth_list_input(const berth_call_t *call,
                                              int index,
                                              const berth_list_t **out_list);

// The same, of elements of the type that the op says.
BERTH_NODISCARD berth_code_t berth_list_typed(const berth_call_t *call,
                                              const berth_list_t **out_list);

// Makes |list|, taking it over whatever happens, output |index|.
BERTH_NODISCARD berth_code_t berth_list_give(berth_call_t *call, int index,
                                             berth_list_t *list);

// Reads the partly known shape that input |index| spells.
BERTH_NODISCARD berth_code_t berth_list_read_shape(const berth_call_t *call,
                                                   int index,
                                                   berth_shape_t *out_shape);

// Joins what is known with |more|. BERTH_INVALID_ARGUMENT when they contradict
// each other.
BERTH_NODISCARD berth_code_t berth_list_merge(const berth_call_t *call,
                                              berth_shape_t *shape,
                                              berth_dims_t more);

// True when |dims| may be the shape of an element.
bool berth_list_takes(const berth_list_t *list, berth_dims_t dims);

// Describe a failure: |what| and the shape of |tensor|.
berth_code_t berth_list_fail_shape(const berth_call_t *call, const char *what,
                                   const berth_tensor_t *tensor);

#endif  // BERTH_CPU_OPS_LIST_H_
