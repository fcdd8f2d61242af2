// list.h - Lists of tensors, as values.
//
// An element of a variant tensor leads to a list. Lists share what they have in
// common: elements lie in a tree whose nodes are counted, and a list that is
// made from another copies only the way to what it changes.
//
//        list a        list b: a with another last element
//          |              |
//        [ . . ]        [ . . ]
//         |   |________  |  |
//         |____________\_|  |
//        [t t t]  [t t t]  [t t t]
//
// So adding or setting an element costs the same whoever else holds the list,
// and an element that was never set costs nothing.
//
//   I1  A node is written only by who holds the one reference to it, on a list
//       that nobody else sees yet, or sees any more.
//   I2  Nodes that are not there stand for elements that were never set; behind
//       the last element there is nothing.
//
// Threads: a list is immutable while others see it; its maker, or who alone has
// it, serialises.
#ifndef BERTH_STATE_LIST_H_
#define BERTH_STATE_LIST_H_

#include "state/resource.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

typedef struct berth_list berth_list_t;

// Makes a list of |count| elements that are not set; the caller owns one
// reference. |shape| is what is known of those of elements, |most| how many
// there may be (-1: any number). Fails with BERTH_RESOURCE_EXHAUSTED, as all
// here that can fail.
BERTH_NODISCARD berth_code_t berth_list_create(berth_dtype_t dtype,
                                               berth_dims_t shape, int64_t most,
                                               int64_t count,
                                               berth_list_t **out_list,
                                               berth_error_t *err);

// Makes a list that is equal to |list|, to be changed by the caller. Cost does
// not depend on how long it is.
BERTH_NODISCARD berth_code_t berth_list_copy(const berth_list_t *list,
                                             berth_list_t **out_list,
                                             berth_error_t *err);

// Takes away a reference. NULL is fine.
void berth_list_release(berth_list_t *list);

// Return what the list was made as, and how long it is.
berth_dtype_t berth_list_dtype(const berth_list_t *list);
berth_dims_t berth_list_shape(const berth_list_t *list);
int64_t berth_list_most(const berth_list_t *list);
int64_t berth_list_count(const berth_list_t *list);

// Returns element |index|, below the count; NULL: it was never set. Borrowed.
berth_tensor_t *berth_list_get(const berth_list_t *list, int64_t index);

// Makes |tensor|, retained, element |index|, below the count. For the maker of
// the list.
BERTH_NODISCARD berth_code_t berth_list_set(berth_list_t *list, int64_t index,
                                            berth_tensor_t *tensor,
                                            berth_error_t *err);

// Makes the list longer, by elements that are not set, or shorter. For its
// maker.
BERTH_NODISCARD berth_code_t berth_list_resize(berth_list_t *list,
                                               int64_t count,
                                               berth_error_t *err);

#endif  // BERTH_STATE_LIST_H_
