// iterator.h - Iterators: a dataset, and where a program is in it.
//
// An iterator is a resource. It is made empty, gets a dataset (again and
// again), and hands out elements.
//
// Threads: thread-safe; elements are handed out one at a time.
#ifndef BERTH_DATA_ITERATOR_H_
#define BERTH_DATA_ITERATOR_H_

#include "data/dataset.h"

typedef struct berth_iterator berth_iterator_t;

// Makes an iterator of elements of |types| (copied).
BERTH_NODISCARD berth_code_t berth_iterator_create(
    const berth_dtype_t *types, const berth_dims_t *shapes, int width,
    berth_iterator_t **out_iterator, berth_error_t *err);

// Lets it go through |dataset| from the beginning. Fails as opening a cursor
// does.
BERTH_NODISCARD berth_code_t
berth_iterator_start(berth_iterator_t *iterator, const berth_dataset_t *dataset,
                     berth_error_t *err);

// Stores the next element: |width| tensors that the caller owns.
// BERTH_FAILED_PRECONDITION when it has no dataset.
BERTH_NODISCARD berth_code_t berth_iterator_next(berth_iterator_t *iterator,
                                                 berth_tensor_t **out,
                                                 bool *out_end,
                                                 berth_error_t *err);

// Stores where it is, a vector of int64: how many elements were taken, and the
// seeds that its cursors have drawn.
BERTH_NODISCARD berth_code_t berth_iterator_save(berth_iterator_t *iterator,
                                                 berth_tensor_t **out_state,
                                                 berth_error_t *err);

// Goes to where one of the same dataset was: the dataset begins anew with these
// seeds, and elements are passed.
BERTH_NODISCARD berth_code_t berth_iterator_restore(berth_iterator_t *iterator,
                                                    const berth_tensor_t *state,
                                                    berth_error_t *err);

// Ends what waits in it, and everything it does.
void berth_iterator_cancel(berth_iterator_t *iterator);

#endif  // BERTH_DATA_ITERATOR_H_
