// reader_wait.c - Reads, at once and parked.
//
// A read goes on until it has its records, fails, or needs the next name:
//
//   berth_read_start ──> go_on ──> records ──> finished
//                         │  ^
//                         v  │ the queue gave a name, at once or later
//                       fetch, as the reader's fetcher
//
// While one fetches, others are listed behind it; whoever ends a fetch serves
// them, until one of them fetches in its turn. The list only grows while
// somebody fetches, so that serving comes to an end.
//
// I1. Of |waiter| nothing is touched between a fetch that parked and its end,
//     but by a cancel that saw |is_parked| under the lock. A read that is
//     cancelled fetches no more, so that the waiter is not used anew meanwhile.
#include "base/alloc.h"
#include "state/reader_internal.h"

static void fetched(berth_queue_waiter_t *waiter, berth_code_t code,
                    const char *text, berth_tensor_t **outputs);

// ---- Reads ----

void berth_read_release(berth_read_t *read) {
  if (read == NULL || atomic_fetch_sub(&read->refs, 1) != 1) return;
  for (int64_t i = 0; i < read->count; ++i) {
    berth_string_clear(&read->keys[i]);
    berth_string_clear(&read->values[i]);
  }
  berth_free(read->keys);
  berth_free(read->values);
  berth_resource_release((berth_resource_t *)read->queue);
  berth_resource_release((berth_resource_t *)read->reader);
  berth_free(read);
}

berth_code_t berth_read_create(berth_reader_t *reader, berth_queue_t *queue,
                               int64_t wanted, berth_read_fn done, void *arg,
                               berth_read_t **out_read, berth_error_t *err) {
  berth_read_t *read = berth_calloc(1, sizeof(*read));
  if (read == NULL) return berth_error_no_memory(err, "a read");
  atomic_init(&read->refs, 1);
  (void)berth_resource_retain((berth_resource_t *)reader);
  (void)berth_resource_retain((berth_resource_t *)queue);
  read->reader = reader;
  read->queue = queue;
  read->done = done;
  read->arg = arg;
  read->is_one = wanted < 0;
  read->wanted = wanted < 0 ? 1 : wanted;
  *out_read = read;
  return BERTH_OK;
}

// Makes room for one more record; false when memory is short.
static bool read_reserve(berth_read_t *read) {
  if (read->count < read->room) return true;
  int64_t room = read->room > 0 ? 2 * read->room : 1;
  berth_string_t *keys = berth_realloc(read->keys, (size_t)room, sizeof(*keys));
  if (keys != NULL) read->keys = keys;
  berth_string_t *values =
      berth_realloc(read->values, (size_t)room, sizeof(*values));
  if (values != NULL) read->values = values;
  if (keys == NULL || values == NULL) return false;
  read->room = room;
  return true;
}

// Makes a tensor of texts, which it takes over.
static berth_code_t give_texts(const berth_read_t *read, berth_string_t *texts,
                               berth_tensor_t **out, berth_error_t *err) {
  BERTH_TRY(berth_tensor_make(NULL, BERTH_STRING, read->is_one ? 0 : 1,
                              &read->count, read->count, out, err));
  berth_string_t *to = (*out)->data;
  for (int64_t i = 0; i < read->count; ++i) {
    to[i] = texts[i];
    texts[i] = (berth_string_t){0};
  }
  return BERTH_OK;
}

static berth_code_t give(berth_read_t *read, berth_tensor_t **outputs,
                         berth_error_t *err) {
  BERTH_TRY(give_texts(read, read->keys, &outputs[0], err));
  berth_code_t code = give_texts(read, read->values, &outputs[1], err);
  if (code != BERTH_OK) berth_tensor_release(outputs[0]);
  return code;
}

// ---- Records; the reader's lock is held ----

// Reads one record of the current file; |*out_is_over| when it was the last.
static berth_code_t read_record(berth_read_t *read, bool *out_is_over,
                                berth_error_t *err) {
  berth_reader_t *reader = read->reader;
  bool produced = false;
  if (!read_reserve(read)) return berth_error_no_memory(err, "records");
  berth_string_t *key = &read->keys[read->count];
  berth_string_t *value = &read->values[read->count];
  *key = *value = (berth_string_t){0};
  berth_code_t code =
      berth_reader_produce(reader, key, value, &produced, out_is_over, err);
  if (code != BERTH_OK) {
    berth_string_clear(key);
    berth_string_clear(value);
    return code;
  }
  read->count += produced;
  reader->produced += produced;
  if (*out_is_over) berth_reader_leave(reader);
  return BERTH_OK;
}

// Reads until there is enough, a file ends after some, or a name is needed.
static berth_code_t read_records(berth_read_t *read, bool *out_needs_name,
                                 berth_error_t *err) {
  *out_needs_name = false;
  while (read->count < read->wanted) {
    bool is_over = false;
    *out_needs_name = !berth_reader_has_work(read->reader);
    if (*out_needs_name) return BERTH_OK;
    BERTH_TRY(read_record(read, &is_over, err));
    if (is_over && read->count > 0) break;
  }
  return BERTH_OK;
}

// ---- Fetching names ----

static void list_append(berth_read_t *read) {
  berth_reader_t *reader = read->reader;
  read->is_listed = true;
  read->next = NULL;
  read->previous = reader->last;
  if (reader->last != NULL) {
    reader->last->next = read;
  } else {
    reader->first = read;
  }
  reader->last = read;
}

static void list_remove(berth_read_t *read) {
  berth_reader_t *reader = read->reader;
  *(read->previous != NULL ? &read->previous->next : &reader->first) =
      read->next;
  *(read->next != NULL ? &read->next->previous : &reader->last) =
      read->previous;
  read->is_listed = false;
}

// Begins with the file that a fetch gave, and ends the fetch.
static berth_code_t take_name(berth_read_t *read, berth_code_t code,
                              berth_tensor_t *name, berth_error_t *err) {
  berth_reader_t *reader = read->reader;
  berth_mutex_lock(&reader->lock);
  if (code == BERTH_OK) code = berth_reader_begin(reader, name, err);
  reader->fetcher = NULL;
  read->is_parked = false;
  read->is_fetched = true;
  berth_mutex_unlock(&reader->lock);
  if (name != NULL) berth_tensor_release(name);
  return code;
}

// Tells whoever cancels that |read| is in the queue, or does what was asked
// before it was.
static void note_parked(berth_read_t *read, int64_t turn) {
  berth_mutex_lock(&read->reader->lock);
  // It may be over by now, and the next one under way.
  read->is_parked |= read->turn == turn && !read->is_fetched;
  bool is_late = read->is_parked && read->is_cancelled;
  berth_mutex_unlock(&read->reader->lock);
  if (is_late) berth_queue_cancel(&read->waiter);
}

// Asks the queue for a name, as the fetcher, for the time |turn|.
static berth_code_t fetch(berth_read_t *read, int64_t turn, bool *out_parked,
                          berth_error_t *err) {
  berth_tensor_t *name = NULL;
  read->waiter = (berth_queue_waiter_t){.done = fetched, .arg = read};
  atomic_fetch_add(&read->refs, 1);
  berth_code_t code = berth_queue_component_count(read->queue) != 1
                          ? berth_error_set(err, BERTH_INVALID_ARGUMENT,
                                            "Expected single component queue")
                          : berth_queue_dequeue(read->queue, &read->waiter,
                                                &name, out_parked, err);
  if (*out_parked) {
    note_parked(read, turn);
  } else {
    code = take_name(read, code, name, err);
  }
  berth_read_release(read);
  return code;
}

// ---- Going on ----

// Reads until it is finished or parked. The reader's lock is held, and is not
// any more when this returns.
static berth_code_t go_on(berth_read_t *read, bool *out_parked,
                          berth_error_t *err) {
  berth_reader_t *reader = read->reader;
  bool needs_name = false;
  *out_parked = false;
  for (;;) {
    berth_code_t code = read_records(read, &needs_name, err);
    if (code == BERTH_OK && needs_name && read->is_cancelled) {
      code = berth_error_set(err, BERTH_CANCELLED,
                             "Dequeue operation was cancelled");
    }
    // Somebody else may have begun to fetch since this one had its name: of two
    // files that are begun at once one would be lost.
    if (code == BERTH_OK && needs_name && reader->fetcher != NULL) {
      list_append(read);
      *out_parked = true;
      berth_mutex_unlock(&reader->lock);
      return BERTH_OK;
    }
    if (code == BERTH_OK && needs_name) {
      reader->fetcher = read;
      read->is_fetched = false;
      ++read->turn;
    }
    int64_t turn = read->turn;
    berth_mutex_unlock(&reader->lock);
    if (code != BERTH_OK || !needs_name) return code;
    code = fetch(read, turn, out_parked, err);
    if (code != BERTH_OK || *out_parked) return code;
    berth_mutex_lock(&reader->lock);
  }
}

// Tells who parked |read| how it ended, and drops the reference of the list or
// the queue.
static void finish(berth_read_t *read, berth_code_t code, berth_error_t *err) {
  berth_tensor_t *outputs[2] = {NULL, NULL};
  if (code == BERTH_OK) code = give(read, outputs, err);
  read->done(read->arg, code,
             code == BERTH_OK ? NULL : berth_error_message(err),
             code == BERTH_OK ? outputs : NULL);
  berth_read_release(read);
}

// Goes on with those that stood behind a fetch that has ended.
static void serve(berth_reader_t *reader) {
  for (;;) {
    bool parked = false;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_mutex_lock(&reader->lock);
    berth_read_t *read = reader->fetcher == NULL ? reader->first : NULL;
    if (read == NULL) {
      berth_mutex_unlock(&reader->lock);
      return;
    }
    list_remove(read);
    berth_code_t code = go_on(read, &parked, &err);
    if (!parked) finish(read, code, &err);
    berth_error_clear(&err);
  }
}

// The queue has given a name, or will not.
static void fetched(berth_queue_waiter_t *waiter, berth_code_t code,
                    const char *text, berth_tensor_t **outputs) {
  berth_read_t *read = waiter->arg;
  berth_reader_t *reader = read->reader;
  berth_error_t err = BERTH_ERROR_INIT;
  bool parked = false;
  (void)berth_resource_retain((berth_resource_t *)reader);
  if (code != BERTH_OK) berth_error_set_text(&err, code, text);
  code = take_name(read, code, code == BERTH_OK ? outputs[0] : NULL, &err);
  if (code == BERTH_OK) {
    berth_mutex_lock(&reader->lock);
    code = go_on(read, &parked, &err);
  }
  if (!parked) finish(read, code, &err);
  serve(reader);
  berth_error_clear(&err);
  berth_resource_release((berth_resource_t *)reader);
}

berth_code_t berth_read_start(berth_read_t *read, berth_tensor_t **outputs,
                              bool *out_parked, berth_error_t *err) {
  berth_reader_t *reader = read->reader;
  berth_code_t code = BERTH_OK;
  // One reference is the caller's, one that of whoever finishes it.
  atomic_fetch_add(&read->refs, 1);
  *out_parked = false;
  berth_mutex_lock(&reader->lock);
  if (reader->fetcher != NULL) {
    list_append(read);
    *out_parked = true;
    berth_mutex_unlock(&reader->lock);
    return BERTH_OK;
  }
  code = go_on(read, out_parked, err);
  serve(reader);
  if (*out_parked) return BERTH_OK;
  if (code == BERTH_OK) code = give(read, outputs, err);
  berth_read_release(read);
  return code;
}

void berth_read_cancel(berth_read_t *read) {
  berth_reader_t *reader = read->reader;
  berth_mutex_lock(&reader->lock);
  read->is_cancelled = true;
  bool is_listed = read->is_listed;
  bool is_parked = read->is_parked;
  if (is_listed) list_remove(read);
  berth_mutex_unlock(&reader->lock);
  if (is_parked) berth_queue_cancel(&read->waiter);
  if (!is_listed) return;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code =
      berth_error_set(&err, BERTH_CANCELLED, "Dequeue operation was cancelled");
  finish(read, code, &err);
  berth_error_clear(&err);
}
