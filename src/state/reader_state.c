// reader_state.c - What readers have counted: asked for, saved, restored.
//
// The state is a message of four fields: files begun, files read, records, and
// the name of the current file.
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "state/reader_internal.h"

void berth_reader_query(berth_reader_t *reader, int64_t *out_records,
                        int64_t *out_files) {
  berth_mutex_lock(&reader->lock);
  *out_records = reader->produced;
  *out_files = reader->finished;
  berth_mutex_unlock(&reader->lock);
}

// Forgets everything; the lock is held.
static void forget(berth_reader_t *reader) {
  berth_reader_leave(reader);
  reader->started = reader->finished = reader->produced = 0;
  reader->work_size = 0;
  if (reader->work != NULL) reader->work[0] = '\0';
}

void berth_reader_reset(berth_reader_t *reader) {
  berth_mutex_lock(&reader->lock);
  forget(reader);
  berth_mutex_unlock(&reader->lock);
}

static bool has_state(const berth_reader_t *reader) {
  return reader->options.kind == BERTH_READER_IDENTITY ||
         reader->options.kind == BERTH_READER_WHOLE;
}

// ---- Saving ----

static void put_number(berth_str_t *str, uint64_t value) {
  for (; value > 127; value >>= 7) {
    berth_str_putc(str, (char)(value % 128 + 128));
  }
  berth_str_putc(str, (char)value);
}

// Appends field |tag| unless it is 0, as the format does.
static void put_field(berth_str_t *str, int tag, int64_t value) {
  if (value == 0) return;
  berth_str_putc(str, (char)(tag << 3));
  put_number(str, (uint64_t)value);
}

static void put_state(const berth_reader_t *reader, berth_str_t *str) {
  put_field(str, 1, reader->started);
  put_field(str, 2, reader->finished);
  put_field(str, 3, reader->produced);
  if (!berth_reader_has_work(reader) || reader->work_size == 0) return;
  berth_str_putc(str, 4 << 3 | 2);
  put_number(str, reader->work_size);
  berth_str_put(str, reader->work, reader->work_size);
}

berth_code_t berth_reader_save(berth_reader_t *reader,
                               berth_string_t *out_state, berth_error_t *err) {
  berth_str_t str = {0};
  if (!has_state(reader)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED, "Reader SerializeState");
  }
  berth_mutex_lock(&reader->lock);
  put_state(reader, &str);
  berth_mutex_unlock(&reader->lock);
  bool is_set = berth_str_ok(&str) &&
                berth_string_set(out_state, berth_str_get(&str), str.size);
  berth_str_clear(&str);
  return is_set ? BERTH_OK : berth_error_no_memory(err, "a reader's state");
}

// ---- Restoring ----

typedef struct saved {
  int64_t numbers[4];  // Fields 1 to 3.
  const char *work;
  size_t work_size;
} saved_t;

static bool take_number(const char **at, const char *end, uint64_t *out_value) {
  uint64_t value = 0;
  for (int shift = 0; *at < end && shift < 64; shift += 7) {
    unsigned char byte = (unsigned char)*(*at)++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) {
      *out_value = value;
      return true;
    }
  }
  return false;
}

static bool take_field(const char **at, const char *end, saved_t *saved) {
  uint64_t tag = 0, value = 0;
  if (!take_number(at, end, &tag) || !take_number(at, end, &value)) {
    return false;
  }
  if (tag == 8 || tag == 16 || tag == 24) {
    saved->numbers[tag / 8] = (int64_t)value;
    return true;
  }
  if (tag != 34 || value > (uint64_t)(end - *at)) return false;
  saved->work = *at;
  saved->work_size = (size_t)value;
  *at += value;
  return true;
}

// Appends what was saved as text, for messages.
static void print_saved(const saved_t *saved, berth_str_t *str) {
  static const char *const names[] = {NULL, "work_started", "work_finished",
                                      "num_records_produced"};
  const char *space = "";
  for (int i = 1; i < 4; ++i) {
    if (saved->numbers[i] == 0) continue;
    berth_str_printf(str, "%s%s: %lld", space, names[i],
                     (long long)saved->numbers[i]);
    space = " ";
  }
  if (saved->work_size == 0) return;
  berth_str_printf(str, "%scurrent_work: \"%.*s\"", space,
                   (int)saved->work_size, saved->work);
}

static berth_code_t refuse(const berth_reader_t *reader, const char *what,
                           const char *detail, size_t size,
                           berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s %s '%s': %.*s", what,
                         reader->options.kind_name, reader->name, (int)size,
                         detail);
}

// Returns what is wrong with numbers, or NULL. A reader inside a file is not
// restored by TensorFlow either.
static const char *fault_of(const saved_t *saved) {
  for (int i = 1; i < 4; ++i) {
    if (saved->numbers[i] < 0) {
      return "Unexpected negative value when restoring in";
    }
  }
  return saved->numbers[1] > saved->numbers[2]
             ? "Inconsistent work started vs. finished when restoring in"
             : NULL;
}

static berth_code_t check_saved(const berth_reader_t *reader,
                                const saved_t *saved, berth_error_t *err) {
  const char *fault = fault_of(saved);
  if (fault == NULL) return BERTH_OK;
  berth_str_t str = {0};
  print_saved(saved, &str);
  berth_code_t code = refuse(reader, fault, berth_str_get(&str), str.size, err);
  berth_str_clear(&str);
  return code;
}

// Takes over what was saved; the lock is held.
static berth_code_t take_over(berth_reader_t *reader, const saved_t *saved,
                              berth_error_t *err) {
  char *work =
      berth_strndup(saved->work_size > 0 ? saved->work : "", saved->work_size);
  if (work == NULL) return berth_error_no_memory(err, "a path");
  reader->started = saved->numbers[1];
  reader->finished = saved->numbers[2];
  reader->produced = saved->numbers[3];
  berth_free(reader->work);
  reader->work = work;
  reader->work_size = saved->work_size;
  return BERTH_OK;
}

berth_code_t berth_reader_restore(berth_reader_t *reader, const char *state,
                                  size_t size, berth_error_t *err) {
  saved_t saved = {0};
  if (!has_state(reader)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED, "Reader RestoreState");
  }
  const char *at = state, *end = state + size;
  bool is_sound = true;
  while (is_sound && at < end) is_sound = take_field(&at, end, &saved);
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&reader->lock);
  forget(reader);
  code = is_sound
             ? check_saved(reader, &saved, err)
             : refuse(reader, "Could not parse state for", state, size, err);
  if (code == BERTH_OK) code = take_over(reader, &saved, err);
  berth_mutex_unlock(&reader->lock);
  return code;
}
