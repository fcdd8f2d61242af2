// reader.c - Readers: making them, files and records.
#include "state/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "io/record.h"
#include "state/reader_internal.h"

// ---- Making ----

static void reader_destroy(berth_resource_t *resource) {
  berth_reader_t *reader = (berth_reader_t *)resource;
  berth_input_close(reader->input);
  berth_mutex_deinit(&reader->lock);
  berth_free(reader->work);
  berth_free(reader->name);
  berth_free(reader);
}

static berth_code_t reader_create(void *arg, berth_resource_t **out_resource,
                                  berth_error_t *err) {
  const berth_reader_options_t *options = arg;
  berth_reader_t *reader = berth_calloc(1, sizeof(*reader));
  char *name = berth_strdup(options->name);
  if (reader == NULL || name == NULL) {
    berth_free(reader);
    berth_free(name);
    return berth_error_no_memory(err, "a reader");
  }
  reader->resource.kind = BERTH_RESOURCE_READER;
  reader->resource.refs = 1;
  reader->resource.destroy = reader_destroy;
  reader->options = *options;
  reader->options.name = reader->name = name;
  berth_mutex_init(&reader->lock);
  *out_resource = &reader->resource;
  return BERTH_OK;
}

berth_code_t berth_reader_get(berth_container_t *container,
                              const char *container_name, const char *key,
                              const berth_reader_options_t *options,
                              berth_reader_t **out_reader, berth_error_t *err) {
  berth_reader_options_t wanted = *options;
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_container_find_or_create(
      container, container_name, BERTH_RESOURCE_READER, key, reader_create,
      &wanted, &resource, err));
  *out_reader = (berth_reader_t *)resource;
  return BERTH_OK;
}

// ---- Files ----

bool berth_reader_has_work(const berth_reader_t *reader) {
  return reader->finished < reader->started;
}

void berth_reader_leave(berth_reader_t *reader) {
  berth_input_close(reader->input);
  reader->input = NULL;
  reader->finished = reader->started;
}

// Passes the lines at the top of a file; a file may have fewer.
static berth_code_t skip_lines(berth_reader_t *reader, berth_error_t *err) {
  const char *line = "";
  size_t size = 0;
  while (reader->index < reader->options.skipped_lines && line != NULL) {
    BERTH_TRY(berth_input_line(reader->input, &line, &size, err));
    if (line != NULL) ++reader->index;
  }
  return BERTH_OK;
}

// Passes the bytes before the first piece.
static berth_code_t skip_header(berth_reader_t *reader, berth_error_t *err) {
  uint64_t header = (uint64_t)reader->options.header, passed = 0;
  BERTH_TRY(berth_input_skip(reader->input, header, &passed, err));
  if (passed == header) return BERTH_OK;
  return berth_error_set(err, BERTH_OUT_OF_RANGE, "reached end of file");
}

static berth_code_t begin_file(berth_reader_t *reader, berth_error_t *err) {
  const berth_reader_options_t *options = &reader->options;
  reader->index = 0;
  if (options->kind == BERTH_READER_IDENTITY ||
      options->kind == BERTH_READER_WHOLE) {
    return BERTH_OK;
  }
  if (strlen(reader->work) != reader->work_size) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "a file's name cannot hold a NUL");
  }
  BERTH_TRY(
      berth_input_open(reader->work, options->packing, &reader->input, err));
  if (options->kind == BERTH_READER_LINES) return skip_lines(reader, err);
  if (options->kind == BERTH_READER_FIXED) return skip_header(reader, err);
  return BERTH_OK;
}

static berth_code_t check_name(const berth_tensor_t *name, berth_error_t *err) {
  if (name->dtype != BERTH_STRING) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected queue with single string component");
  }
  if (name->count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected to dequeue a one-element string tensor");
  }
  return BERTH_OK;
}

berth_code_t berth_reader_begin(berth_reader_t *reader,
                                const berth_tensor_t *name,
                                berth_error_t *err) {
  size_t size = 0;
  BERTH_TRY(check_name(name, err));
  const char *text = berth_string_get(name->data, &size);
  char *work = berth_alloc(size + 1);
  if (work == NULL) return berth_error_no_memory(err, "a path");
  memcpy(work, text, size);
  work[size] = '\0';
  berth_free(reader->work);
  reader->work = work;
  reader->work_size = size;
  berth_code_t code = begin_file(reader, err);
  if (code == BERTH_OK) {
    ++reader->started;
  } else {
    berth_input_close(reader->input);
    reader->input = NULL;
  }
  return code;
}

// ---- Records ----

// Sets a key: the name of the file and a place in it.
static bool set_key(const berth_reader_t *reader, uint64_t place,
                    berth_string_t *key) {
  berth_str_t str = {0};
  berth_str_put(&str, reader->work, reader->work_size);
  berth_str_printf(&str, ":%llu", (unsigned long long)place);
  bool is_set = berth_str_ok(&str) && berth_string_set(key, str.text, str.size);
  berth_str_clear(&str);
  return is_set;
}

// A record while it is read.
typedef struct record {
  const char *bytes;  // NULL: there is none.
  size_t size;
  uint64_t place;
} record_t;

static berth_code_t next_line(berth_reader_t *reader, record_t *record,
                              berth_error_t *err) {
  BERTH_TRY(
      berth_input_line(reader->input, &record->bytes, &record->size, err));
  if (record->bytes != NULL) record->place = (uint64_t)++reader->index;
  return BERTH_OK;
}

static berth_code_t next_record(berth_reader_t *reader, record_t *record,
                                berth_error_t *err) {
  record->place = berth_input_place(reader->input);
  return berth_record_next(reader->input, &record->bytes, &record->size, err);
}

// A piece is one when the footer still fits behind it.
static berth_code_t next_piece(berth_reader_t *reader, record_t *record,
                               berth_error_t *err) {
  const berth_reader_options_t *options = &reader->options;
  size_t size = (size_t)options->record, got = 0;
  size_t whole = size + (size_t)options->footer;
  uint64_t hop = options->hop > 0 ? (uint64_t)options->hop : size;
  const char *bytes = NULL;
  if (reader->index > 0) {
    uint64_t passed = 0;
    BERTH_TRY(berth_input_skip(reader->input, hop, &passed, err));
    if (passed < hop) return BERTH_OK;
  }
  BERTH_TRY(berth_input_peek(reader->input, whole, &bytes, &got, err));
  if (got < whole) return BERTH_OK;
  *record = (record_t){bytes, size, (uint64_t)reader->index++};
  return BERTH_OK;
}

// Reads a whole file, or gives its name.
static berth_code_t produce_file(berth_reader_t *reader, berth_string_t *key,
                                 berth_string_t *value, berth_error_t *err) {
  berth_input_t *input = NULL;
  const char *bytes = reader->work;
  size_t size = reader->work_size;
  if (reader->options.kind == BERTH_READER_WHOLE) {
    BERTH_TRY(berth_input_open(reader->work, BERTH_PACKING_NONE, &input, err));
    berth_code_t code = berth_input_peek(input, SIZE_MAX, &bytes, &size, err);
    if (code != BERTH_OK) {
      berth_input_close(input);
      return code;
    }
  }
  bool is_set = berth_string_set(key, reader->work, reader->work_size) &&
                berth_string_set(value, bytes, size);
  berth_input_close(input);
  return is_set ? BERTH_OK : berth_error_no_memory(err, "a file");
}

berth_code_t berth_reader_produce(berth_reader_t *reader, berth_string_t *key,
                                  berth_string_t *value, bool *out_produced,
                                  bool *out_at_end, berth_error_t *err) {
  record_t record = {0};
  *out_produced = *out_at_end = false;
  switch (reader->options.kind) {
    case BERTH_READER_LINES:
      BERTH_TRY(next_line(reader, &record, err));
      break;
    case BERTH_READER_RECORDS:
      BERTH_TRY(next_record(reader, &record, err));
      break;
    case BERTH_READER_FIXED:
      BERTH_TRY(next_piece(reader, &record, err));
      break;
    default:
      BERTH_TRY(produce_file(reader, key, value, err));
      *out_produced = *out_at_end = true;
      return BERTH_OK;
  }
  *out_produced = record.bytes != NULL;
  *out_at_end = !*out_produced;
  if (*out_at_end) return BERTH_OK;
  if (!set_key(reader, record.place, key) ||
      !berth_string_set(value, record.bytes, record.size)) {
    return berth_error_no_memory(err, "a record");
  }
  return BERTH_OK;
}
