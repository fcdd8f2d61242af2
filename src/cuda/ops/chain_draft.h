// chain_draft.h - What the kernel of a group is written of.
//
// A group's steps as chain_text.h wants them. What the group reads in parts of a
// larger value is read where it lies: the input of a text is an argument, from
// some byte on. Functions between such a value and its parts are written once for
// each part that is read, of that part alone:
//
//   group        add = x + row      text     inputs  x from 0, row from 0,
//                p, q = parts of add                 x from 512, row from 512
//                y = p * q                   v0 = i0 + i1
//                                            v1 = i2 + i3
//                                            v2 = v0 * v1
//
// Pure functions.
#ifndef BERTH_CUDA_OPS_CHAIN_DRAFT_H_
#define BERTH_CUDA_OPS_CHAIN_DRAFT_H_

#include "cuda/ops/chain_internal.h"

typedef struct berth_chain_draft {
  berth_chain_text_step_t steps[BERTH_CHAIN_TEXT_STEPS];
  int32_t step_count;
  int32_t input_count;
  // By input.
  int32_t arguments[BERTH_CHAIN_TEXT_INPUTS];
  int64_t offsets[BERTH_CHAIN_TEXT_INPUTS];  // In bytes.
  uint8_t reach[BERTH_CHAIN_TEXT_INPUTS];
  berth_dtype_t dtypes[BERTH_CHAIN_TEXT_INPUTS];
  int32_t outputs[BERTH_CHAIN_TEXT_INPUTS];  // Steps.
  int64_t row;     // How long rows are, and runs of parts; 0: there are none.
  int64_t stride;  // Elements from one run to the next; 0: there are none.
} berth_chain_draft_t;

// Makes |draft|, which is zeroed, of |fusion|, of elements alone. False where no
// text can say it: rows or runs of several lengths, or too much of something.
bool berth_chain_draft_make(const berth_fusion_t *fusion,
                            berth_chain_draft_t *draft);

// True when |fusion| reads parts where they lie.
bool berth_chain_sees(const berth_fusion_t *fusion);

// Sets |is_whole| for the steps of |fusion| that are done for all elements of the
// group: those that views do not lead to, and views that are read.
void berth_chain_whole(const berth_fusion_t *fusion, bool *is_whole);

// Returns which of the first 32 arguments may be overwritten by the first output:
// those as large as that, of elements as large. All are read before anything is
// written, but for those that repeat, and those that are read in parts.
uint32_t berth_chain_overwritable(const berth_fusion_t *fusion);

#endif  // BERTH_CUDA_OPS_CHAIN_DRAFT_H_
