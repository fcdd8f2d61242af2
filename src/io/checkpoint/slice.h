// slice.h - Slices of tensors, as checkpoints speak of them.
//
// A slice has a start and a length in each dimension, or all of it:
//
//   "6 4 0,3:-"   of a tensor of shape [6,4] the first three rows
//
// Threads: plain values; the caller serialises.
#ifndef BERTH_IO_CHECKPOINT_SLICE_H_
#define BERTH_IO_CHECKPOINT_SLICE_H_

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "tensor/shape.h"
#include "wire/checkpoint.pb-c.h"

#define BERTH_SLICE_ALL (-1)

typedef struct berth_extents {
  int32_t rank;
  int64_t *start;   // 0 where all is meant.
  int64_t *length;  // BERTH_SLICE_ALL: all.
} berth_extents_t;

// What a "shape_and_slice" of a user says.
typedef struct berth_extents_spec {
  berth_shape_t shape;  // Of the whole tensor.
  berth_shape_t part;   // Of the slice.
  berth_extents_t slice;
  int64_t numbers[2 * BERTH_MAX_RANK];  // Where |slice| has its own.
} berth_extents_spec_t;

// Reads |text|. Fails with BERTH_INVALID_ARGUMENT or BERTH_INTERNAL in
// TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_extents_parse(const char *text, size_t size,
                                                 berth_extents_spec_t *out_spec,
                                                 berth_error_t *err);

// Makes |out_slice| all of a tensor of |rank| dimensions, in |arena|; false when
// memory is short.
bool berth_extents_make(berth_arena_t *arena, int32_t rank,
                        berth_extents_t *out_slice);

// Reads a slice from a message, in |arena|. BERTH_DATA_LOSS for one that a
// tensor of |rank| dimensions cannot have.
BERTH_NODISCARD berth_code_t berth_extents_from_message(
    const Berth__Wire__TensorSliceProto *message, int32_t rank,
    berth_arena_t *arena, berth_extents_t *out_slice, berth_error_t *err);

// Makes a message of |slice|, in |arena|; NULL when memory is short.
Berth__Wire__TensorSliceProto *berth_extents_to_message(
    const berth_extents_t *slice, berth_arena_t *arena);

// Stores the shape that |slice| has in a tensor of shape |dims|. False when it
// reaches beyond.
bool berth_extents_shape(const berth_extents_t *slice, berth_dims_t dims,
                         berth_shape_t *out_shape);

// Appends as messages print it: "0,3:-".
void berth_extents_print(const berth_extents_t *slice, berth_str_t *str);

// Appends the key under which tables have slice |slice| of the tensor |name|.
void berth_extents_key(const char *name, size_t size,
                       const berth_extents_t *slice, berth_str_t *str);

#endif  // BERTH_IO_CHECKPOINT_SLICE_H_
