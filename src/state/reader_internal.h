// reader_internal.h - Readers from the inside.
//
//   reader.c        making them, files and records
//   reader_state.c  what they have counted, saved and restored
//   reader_wait.c   reads, at once and parked
#ifndef BERTH_STATE_READER_INTERNAL_H_
#define BERTH_STATE_READER_INTERNAL_H_

#include "base/thread.h"
#include "state/reader.h"

struct berth_reader {
  berth_resource_t resource;  // First.

  // Never change.
  berth_reader_options_t options;
  char *name;

  // Guards everything below, and the private fields of reads. Files are read
  // under it; no callback.
  berth_mutex_t lock;
  int64_t started, finished;  // Files.
  int64_t produced;           // Records.
  char *work;                 // The current file's name, not only a text.
  size_t work_size;
  berth_input_t *input;  // NULL when nothing is open.
  int64_t index;         // Of the next record in it.

  berth_read_t *fetcher;       // Who waits for the next name, or is about to.
  berth_read_t *first, *last;  // Who waits behind it.
};

// One read. Lives while the caller, the queue or this room works with it.
struct berth_read {
  atomic_int refs;
  berth_reader_t *reader;  // Owned.
  berth_queue_t *queue;    // Owned.
  berth_read_fn done;
  void *arg;
  int64_t wanted;
  bool is_one;
  // Guarded by the reader's lock.
  berth_read_t *next, *previous;
  bool is_listed;     // In the list of the reader.
  bool is_parked;     // In the queue: |waiter| can be cancelled.
  bool is_cancelled;  // No name is asked for any more.
  bool is_fetched;    // The queue has told what it was asked.
  int64_t turn;       // How often it was asked.
  berth_queue_waiter_t waiter;
  berth_string_t *keys, *values;
  int64_t count, room;
};

// ---- reader.c; the lock is held ----

// True while there is a current file.
bool berth_reader_has_work(const berth_reader_t *reader);

// Begins with the file of |name|, which the queue gave.
BERTH_NODISCARD berth_code_t berth_reader_begin(berth_reader_t *reader,
                                                const berth_tensor_t *name,
                                                berth_error_t *err);

// Reads the next record into |key| and |value|, which are empty, and tells
// whether there was one, and whether the file ends.
BERTH_NODISCARD berth_code_t berth_reader_produce(
    berth_reader_t *reader, berth_string_t *key, berth_string_t *value,
    bool *out_produced, bool *out_at_end, berth_error_t *err);

// Lets go of the current file.
void berth_reader_leave(berth_reader_t *reader);

#endif  // BERTH_STATE_READER_INTERNAL_H_
