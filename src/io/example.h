// example.h - Records of training data: named lists of texts or numbers.
//
// A record is a serialised Example message. Immutable once read; lives in an
// arena.
#ifndef BERTH_IO_EXAMPLE_H_
#define BERTH_IO_EXAMPLE_H_

#include "base/arena.h"
#include "base/error.h"
#include "berth/types.h"

typedef struct berth_example berth_example_t;

// One list of a record.
typedef struct berth_feature {
  berth_dtype_t dtype;  // BERTH_STRING, BERTH_FLOAT, BERTH_INT64; 0: none.
  size_t count;         // Of values.
  const void *feature;  // The message. Borrowed.
} berth_feature_t;

// Reads a record from untrusted bytes into |arena|. Fails with
// BERTH_INVALID_ARGUMENT for what is none, and BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_example_read(const void *bytes, size_t size, berth_arena_t *arena,
                   const berth_example_t **out_example, berth_error_t *err);

// Returns the list of that name; without a type when there is none.
berth_feature_t berth_example_find(const berth_example_t *example,
                                   const char *name, size_t size);

// Writes the values of |feature| to |out|, elements of its type. False when
// memory for texts is short.
bool berth_feature_copy(const berth_feature_t *feature, void *out);

#endif  // BERTH_IO_EXAMPLE_H_
