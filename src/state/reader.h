// reader.h - Readers: records of the files whose names come out of a queue.
//
//   queue of names -> [ current file ] -> key and value of the next record
//
// A read that needs the next name and finds the queue empty is parked there, and
// whoever fills the queue goes on with it (state/queue.h); reads that come
// meanwhile stand behind it, in order. Nothing here blocks a thread but the
// reading of a file.
//
// What a reader does at the end of a file, after an error and when it is reset
// is what TensorFlow does, and so are texts of errors.
//
// Threads: thread-safe. |done| is called without any lock held.
#ifndef BERTH_STATE_READER_H_
#define BERTH_STATE_READER_H_

#include "io/input.h"
#include "state/container.h"
#include "state/queue.h"
#include "tensor/string.h"

typedef struct berth_reader berth_reader_t;
typedef struct berth_read berth_read_t;

typedef enum berth_reader_kind {
  BERTH_READER_IDENTITY = 0,  // The names themselves.
  BERTH_READER_WHOLE,         // Files as they are.
  BERTH_READER_LINES,
  BERTH_READER_FIXED,    // Pieces of one size.
  BERTH_READER_RECORDS,  // io/record.h
} berth_reader_kind_t;

typedef struct berth_reader_options {
  berth_reader_kind_t kind;
  const char *kind_name;  // In messages. Constant.
  const char *name;       // In messages: that of the node. Copied.
  berth_packing_t packing;
  int64_t skipped_lines;
  // Of pieces: bytes before and behind all, of one, and from one to the next
  // (0: as many).
  int64_t header, footer, record, hop;
} berth_reader_options_t;

// Finds or makes the reader called |key| in |container_name|. The caller owns
// one reference.
BERTH_NODISCARD berth_code_t
berth_reader_get(berth_container_t *container, const char *container_name,
                 const char *key, const berth_reader_options_t *options,
                 berth_reader_t **out_reader, berth_error_t *err);

// Stores how many records, and how many files, have been read to their end.
void berth_reader_query(berth_reader_t *reader, int64_t *out_records,
                        int64_t *out_files);

// Forgets the current file, and what was counted.
void berth_reader_reset(berth_reader_t *reader);

// Store what a reader has counted, as TensorFlow's ReaderBaseState, and go on
// from there. BERTH_UNIMPLEMENTED for readers that stand inside a file.
BERTH_NODISCARD berth_code_t berth_reader_save(berth_reader_t *reader,
                                               berth_string_t *out_state,
                                               berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_reader_restore(berth_reader_t *reader,
                                                  const char *state,
                                                  size_t size,
                                                  berth_error_t *err);

// ---- Reading ----

// Finishes a read that was parked; as berth_queue_waiter_fn. |outputs| are keys
// and values.
typedef void (*berth_read_fn)(void *arg, berth_code_t code, const char *text,
                              berth_tensor_t **outputs);

// Makes a read of up to |wanted| records of one file; negative: of one, as
// scalars. The caller owns one reference, and keeps it while it may cancel.
BERTH_NODISCARD berth_code_t berth_read_create(
    berth_reader_t *reader, berth_queue_t *queue, int64_t wanted,
    berth_read_fn done, void *arg, berth_read_t **out_read, berth_error_t *err);
void berth_read_release(berth_read_t *read);

// Does the read, once. When |*out_parked| is false the result is in the return
// value, |outputs| and |err|. When it is true (and the value BERTH_OK), |done|
// tells it later, or has told it already on another thread.
BERTH_NODISCARD berth_code_t berth_read_start(berth_read_t *read,
                                              berth_tensor_t **outputs,
                                              bool *out_parked,
                                              berth_error_t *err);

// Gives a parked read up: |done| is called with BERTH_CANCELLED soon. Does
// nothing when it is finished already.
void berth_read_cancel(berth_read_t *read);

#endif  // BERTH_STATE_READER_H_
