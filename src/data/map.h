// map.h - What datasets that call a function for each element share.
#ifndef BERTH_DATA_MAP_H_
#define BERTH_DATA_MAP_H_

#include "data/dataset.h"

// A dataset with an input and a function.
typedef struct berth_mapped {
  berth_dataset_t base;  // First.
  berth_closure_t closure;
  bool preserves;  // There are as many elements as in the input.
} berth_mapped_t;

// A cursor that has an element of the input.
typedef struct berth_mapped_cursor {
  berth_cursor_t base;  // First.
  berth_routine_t *routine;
  berth_tensor_t **element;
  berth_tensor_t *few[BERTH_ELEMENT_FEW];
  bool is_over;
} berth_mapped_cursor_t;

// Makes a dataset of |kind|, whose struct begins with berth_mapped_t, with the
// function in |attr|.
BERTH_NODISCARD berth_code_t berth_mapped_make(const berth_dataset_kind_t *kind,
                                               berth_call_t *call,
                                               const char *attr,
                                               berth_dataset_t **out_dataset);

// What their kinds do.
void berth_mapped_drop(berth_dataset_t *dataset);
berth_code_t berth_mapped_open(berth_cursor_t *base, berth_error_t *err);
void berth_mapped_close(berth_cursor_t *base);
int64_t berth_mapped_count(const berth_dataset_t *dataset);

// Returns what a dataset fails with whose function has failed with |code|: the
// end that a function met is not the dataset's.
berth_code_t berth_mapped_fail(berth_code_t code, berth_error_t *err);

// Makes a dataset that calls a function on several threads.
BERTH_NODISCARD berth_code_t berth_wide_make(berth_call_t *call,
                                             berth_dataset_t **out_dataset);

// Stores how many datasets are gone through by turns, and how many elements of
// each are taken in a turn.
BERTH_NODISCARD berth_code_t berth_weave_read(const berth_call_t *call,
                                              int64_t *out_cycle,
                                              int64_t *out_block);

#endif  // BERTH_DATA_MAP_H_
