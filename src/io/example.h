// example.h - Records of training data: named lists of texts or numbers.
//
// A record is a serialised Example message. It is read where it lies: first
// where each feature is, then the features that are wanted.
//
//   Example { Features { "key" -> Feature { one list of values } ... } }
//
// Bytes are untrusted. Threads: no state.
#ifndef BERTH_IO_EXAMPLE_H_
#define BERTH_IO_EXAMPLE_H_

#include <stdbool.h>
#include <stddef.h>

#include "berth/types.h"

// Bytes of a message. Borrowed.
typedef struct berth_slice {
  const char *bytes;
  size_t size;
} berth_slice_t;

// One list of a record, which has been looked through: it can be copied.
typedef struct berth_feature {
  berth_dtype_t dtype;  // BERTH_STRING, BERTH_FLOAT, BERTH_INT64; 0: none.
  size_t count;         // Of values.
  berth_slice_t list;   // The message. Borrowed.
} berth_feature_t;

// Is told the name of a feature and its message; of several of one name the
// last counts.
typedef void (*berth_feature_fn)(void *arg, berth_slice_t key,
                                 berth_slice_t feature);

// Calls |found| for all features of a record; false when it is none.
bool berth_example_walk(berth_slice_t record, berth_feature_fn found,
                        void *arg);

// Calls |in_context| for the features of the context of a SequenceExample, and
// |in_lists| for its lists of features; false when it is none.
bool berth_sequence_walk(berth_slice_t record, berth_feature_fn in_context,
                         berth_feature_fn in_lists, void *arg);

// Takes the next Feature off a list of features; |*out_is_there| is false at its
// end. False when the list is none.
bool berth_feature_list_next(berth_slice_t *list, berth_slice_t *out_feature,
                             bool *out_is_there);

// Reads a feature; false when it is none. |out_feature| has its type then, too,
// if that could be seen.
bool berth_feature_read(berth_slice_t message, berth_feature_t *out_feature);

// Writes the values of |feature| to |out|, elements of its type that are
// zeroed. False when memory for texts is short.
bool berth_feature_copy(const berth_feature_t *feature, void *out);

#endif  // BERTH_IO_EXAMPLE_H_
