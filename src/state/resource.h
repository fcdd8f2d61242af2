// resource.h - What a handle can lead to.
//
// A resource is counted and begins with berth_resource_t (tensor/handle.h).
// Its kind says what it is, so that a handle of the wrong sort is an error and
// not a crash.
#ifndef BERTH_STATE_RESOURCE_H_
#define BERTH_STATE_RESOURCE_H_

#include "tensor/handle.h"

typedef enum berth_resource_kind {
  BERTH_RESOURCE_VARIABLE = 1,
  BERTH_RESOURCE_GENERATOR,
  BERTH_RESOURCE_QUEUE,
  BERTH_RESOURCE_TABLE,
  BERTH_RESOURCE_LIST,         // Of tensors, as a value: behind variants.
  BERTH_RESOURCE_ARRAY,        // A TensorArray of one run.
  BERTH_RESOURCE_STACK,        // A stack of one run.
  BERTH_RESOURCE_READER,       // Of records in files.
  BERTH_RESOURCE_ROUTINE,      // A function that kernels call.
  BERTH_RESOURCE_DATASET,      // Behind variants.
  BERTH_RESOURCE_OPTIONAL,     // Tensors or nothing: behind variants.
  BERTH_RESOURCE_ITERATOR,     // What goes through a dataset.
  BERTH_RESOURCE_EVENTS,       // A file that TensorBoard reads.
  BERTH_RESOURCE_ACCUMULATOR,  // Sums of gradients.
  BERTH_RESOURCE_SPARSE_MAP,   // Sparse tensors under numbers.
  BERTH_RESOURCE_RAGGED,       // A ragged tensor, as a value: behind variants.
  BERTH_RESOURCE_KEPT,         // A tensor that a session keeps under a text.
  BERTH_RESOURCE_LOCK,         // A mutex that is held: behind variants.
  BERTH_RESOURCE_STAGING_MAP,  // Tuples under keys.
  BERTH_RESOURCE_BARRIER,      // Tuples whose parts come one by one.
} berth_resource_kind_t;

#endif  // BERTH_STATE_RESOURCE_H_
