// file.c - Datasets of what is in files: lines, records, records of one length;
// and of the names of files.
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/str.h"
#include "data/kernels.h"
#include "io/input.h"
#include "io/record.h"

typedef struct files {
  berth_dataset_t base;
  berth_tensor_t *names;
  berth_packing_t packing;
  int64_t head, size, tail;  // Of records of one length.
  berth_tensor_t *offsets;   // Where to begin in each; NULL: at the front.
} files_t;

typedef struct files_cursor {
  berth_cursor_t base;
  int64_t file;  // The next one to open.
  berth_input_t *input;
} files_cursor_t;

static void files_close(berth_cursor_t *base) {
  berth_input_close(((files_cursor_t *)base)->input);
}

static void files_drop(berth_dataset_t *dataset) {
  berth_tensor_release(((files_t *)dataset)->names);
  berth_tensor_release(((files_t *)dataset)->offsets);
}

// Returns the path of file |index|, to be freed.
static char *path_of(const files_t *files, int64_t index) {
  size_t size = 0;
  const char *text = berth_tensor_get_string(files->names, index, &size);
  return berth_strndup(text, size);
}

static berth_code_t fail_length(const files_t *files, int64_t index,
                                int64_t length, berth_error_t *err) {
  char *path = path_of(files, index);
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Excluding the header (%" PRId64 " bytes) and footer (%" PRId64
      " bytes), input file \"%s\" has body length %" PRId64
      " bytes, which is not an exact multiple of the record length (%" PRId64
      " bytes).",
      files->head, files->tail, path != NULL ? path : "",
      length - files->head - files->tail, files->size);
  berth_free(path);
  return code;
}

// Checks that a file holds whole records.
static berth_code_t check_length(const files_t *files, int64_t index,
                                 const char *path, berth_error_t *err) {
  struct stat status;
  if (files->size == 0 || files->packing != BERTH_PACKING_NONE ||
      stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
    return BERTH_OK;
  }
  int64_t body = (int64_t)status.st_size - files->head - files->tail;
  if (body >= 0 && body % files->size == 0) return BERTH_OK;
  return fail_length(files, index, (int64_t)status.st_size, err);
}

// Opens the next file and passes what stands before its records.
static berth_code_t open_next(files_cursor_t *cursor, berth_error_t *err) {
  const files_t *files = (const files_t *)cursor->base.dataset;
  int64_t index = cursor->file++;
  char *path = path_of(files, index);
  if (path == NULL) return berth_error_no_memory(err, "a path");
  berth_code_t code =
      berth_input_open(path, files->packing, &cursor->input, err);
  if (code == BERTH_OK) code = check_length(files, index, path, err);
  uint64_t before = (uint64_t)files->head, passed = 0;
  if (files->offsets != NULL) {
    before = (uint64_t)((const int64_t *)files->offsets->data)[index];
  }
  if (code == BERTH_OK && before > 0) {
    code = berth_input_skip(cursor->input, before, &passed, err);
  }
  if (code != BERTH_OK) {
    berth_input_close(cursor->input);
    cursor->input = NULL;
  }
  berth_free(path);
  return code;
}

static berth_code_t text_out(const char *bytes, size_t size,
                             berth_tensor_t **out, berth_error_t *err) {
  BERTH_TRY(berth_tensor_make(NULL, BERTH_STRING, 0, NULL, 1, out, err));
  berth_code_t code = berth_tensor_set_string(*out, 0, bytes, size, err);
  if (code != BERTH_OK) {
    berth_tensor_release(*out);
    *out = NULL;
  }
  return code;
}

// Finds the next piece of the open file; NULL at its end.
typedef berth_code_t (*piece_fn)(files_cursor_t *cursor, const char **out_bytes,
                                 size_t *out_size, berth_error_t *err);

static berth_code_t next_piece(berth_cursor_t *base, piece_fn find,
                               berth_tensor_t **out, bool *out_end,
                               berth_error_t *err) {
  files_cursor_t *cursor = (files_cursor_t *)base;
  const files_t *files = (const files_t *)base->dataset;
  for (;;) {
    if (cursor->input == NULL) {
      *out_end = cursor->file >= files->names->count;
      if (*out_end) return BERTH_OK;
      BERTH_TRY(open_next(cursor, err));
    }
    const char *bytes = NULL;
    size_t size = 0;
    berth_code_t code = find(cursor, &bytes, &size, err);
    if (code == BERTH_OK && bytes != NULL) {
      *out_end = false;
      return text_out(bytes, size, &out[0], err);
    }
    berth_input_close(cursor->input);
    cursor->input = NULL;
    if (code != BERTH_OK) return code;
  }
}

// ---- Lines ----

static berth_code_t find_line(files_cursor_t *cursor, const char **out_bytes,
                              size_t *out_size, berth_error_t *err) {
  return berth_input_line(cursor->input, out_bytes, out_size, err);
}

static berth_code_t lines_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  return next_piece(base, find_line, out, out_end, err);
}

static const berth_dataset_kind_t lines_kind = {
    .name = "TextLineDataset",
    .size = sizeof(files_t),
    .cursor_size = sizeof(files_cursor_t),
    .next = lines_next,
    .close = files_close,
    .drop = files_drop,
};

// ---- Records ----

static berth_code_t find_record(files_cursor_t *cursor, const char **out_bytes,
                                size_t *out_size, berth_error_t *err) {
  return berth_record_next(cursor->input, out_bytes, out_size, err);
}

static berth_code_t records_next(berth_cursor_t *base, berth_tensor_t **out,
                                 bool *out_end, berth_error_t *err) {
  return next_piece(base, find_record, out, out_end, err);
}

static const berth_dataset_kind_t records_kind = {
    .name = "TFRecordDataset",
    .size = sizeof(files_t),
    .cursor_size = sizeof(files_cursor_t),
    .next = records_next,
    .close = files_close,
    .drop = files_drop,
};

// ---- Records of one length ----

static berth_code_t find_fixed(files_cursor_t *cursor, const char **out_bytes,
                               size_t *out_size, berth_error_t *err) {
  const files_t *files = (const files_t *)cursor->base.dataset;
  size_t size = (size_t)files->size, tail = (size_t)files->tail, found = 0;
  const char *bytes = NULL;
  BERTH_TRY(berth_input_peek(cursor->input, size + tail, &bytes, &found, err));
  if (found == size + tail || (tail == 0 && found == size)) {
    berth_input_pass(cursor->input, size);
    *out_bytes = bytes;
    *out_size = size;
    return BERTH_OK;
  }
  if (found == tail) return BERTH_OK;  // What is left stands behind the last.
  // A file that is packed shows its length only at the end.
  uint64_t end = berth_input_place(cursor->input) + found;
  return fail_length(files, cursor->file - 1, (int64_t)end, err);
}

static berth_code_t fixed_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  return next_piece(base, find_fixed, out, out_end, err);
}

static const berth_dataset_kind_t fixed_kind = {
    .name = "FixedLengthRecordDataset",
    .size = sizeof(files_t),
    .cursor_size = sizeof(files_cursor_t),
    .next = fixed_next,
    .close = files_close,
    .drop = files_drop,
};

// ---- Making ----

static berth_code_t read_packing(const berth_call_t *call, int index,
                                 berth_packing_t *out_packing) {
  size_t size = 0;
  const char *text = berth_tensor_get_string(call->inputs[index], 0, &size);
  char name[8] = "";
  if (size < sizeof(name)) memcpy(name, text, size);
  *out_packing = berth_packing_of(name);
  if (size == 0 || *out_packing != BERTH_PACKING_NONE) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Unsupported compression_type: %.*s.", (int)size,
                         text);
}

static berth_code_t make_files(const berth_dataset_kind_t *kind,
                               berth_call_t *call, int packing,
                               berth_dataset_t **out_dataset) {
  berth_packing_t found = BERTH_PACKING_NONE;
  if (call->inputs[0]->rank > 1) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`filenames` must be a scalar or a vector.");
  }
  if (packing > 0) BERTH_TRY(read_packing(call, packing, &found));
  BERTH_TRY(berth_dataset_make(kind, call, 0, out_dataset, call->err));
  files_t *files = (files_t *)*out_dataset;
  files->names = berth_tensor_retain(call->inputs[0]);
  files->packing = found;
  return BERTH_OK;
}

static berth_code_t make_lines(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  return make_files(&lines_kind, call, 1, out_dataset);
}

static berth_code_t make_records(berth_call_t *call,
                                 berth_dataset_t **out_dataset) {
  BERTH_TRY(make_files(&records_kind, call, 1, out_dataset));
  files_t *files = (files_t *)*out_dataset;
  if (call->node->input_count < 4 || call->inputs[3]->count == 0) {
    return BERTH_OK;
  }
  if (call->inputs[3]->count != files->names->count) {
    berth_dataset_release(*out_dataset);
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`byte_offsets` must be of same size as "
                           "`filenames`");
  }
  files->offsets = berth_tensor_retain(call->inputs[3]);
  return BERTH_OK;
}

static berth_code_t make_fixed(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int64_t head = 0, size = 0, tail = 0;
  BERTH_TRY(berth_data_int(call, 1, "header_bytes", &head));
  BERTH_TRY(berth_data_int(call, 2, "record_bytes", &size));
  BERTH_TRY(berth_data_int(call, 3, "footer_bytes", &tail));
  if (head < 0 || tail < 0 || size <= 0) {
    const char *name = head < 0 ? "header" : tail < 0 ? "footer" : "record";
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`%s_bytes` must be %s 0", name,
                           size <= 0 && head >= 0 && tail >= 0 ? ">" : ">=");
  }
  BERTH_TRY(make_files(&fixed_kind, call, call->node->input_count > 5 ? 5 : 0,
                       out_dataset));
  files_t *files = (files_t *)*out_dataset;
  files->head = head;
  files->size = size;
  files->tail = tail;
  return BERTH_OK;
}

// ---- Names of files ----

typedef struct names {
  berth_dataset_t base;
  berth_tensor_t *patterns;
} names_t;

typedef struct names_cursor {
  berth_cursor_t base;
  char **names;  // In order.
  size_t count, capacity, at;
} names_cursor_t;

static void names_close(berth_cursor_t *base) {
  names_cursor_t *cursor = (names_cursor_t *)base;
  for (size_t i = 0; i < cursor->count; ++i) berth_free(cursor->names[i]);
  berth_free(cursor->names);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool keep_name(names_cursor_t *cursor, const char *name) {
  char **names = berth_grow(cursor->names, cursor->count, &cursor->capacity,
                            sizeof(*names));
  if (names == NULL) return false;
  cursor->names = names;
  char *copy = berth_strdup(name);
  if (copy == NULL) return false;
  names[cursor->count++] = copy;
  return true;
}

static berth_code_t names_open(berth_cursor_t *base, berth_error_t *err) {
  names_cursor_t *cursor = (names_cursor_t *)base;
  const names_t *names = (const names_t *)base->dataset;
  bool ok = true;
  for (int64_t p = 0; ok && p < names->patterns->count; ++p) {
    size_t size = 0;
    const char *text = berth_tensor_get_string(names->patterns, p, &size);
    char *pattern = berth_strndup(text, size);
    glob_t found = {0};
    ok = pattern != NULL;
    if (ok && glob(pattern, 0, NULL, &found) == 0) {
      for (size_t i = 0; ok && i < found.gl_pathc; ++i) {
        ok = keep_name(cursor, found.gl_pathv[i]);
      }
    }
    if (ok) globfree(&found);
    berth_free(pattern);
  }
  if (!ok) return berth_error_no_memory(err, "names of files");
  if (cursor->count > 1) {
    qsort(cursor->names, cursor->count, sizeof(char *), compare_names);
  }
  return BERTH_OK;
}

static berth_code_t names_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  names_cursor_t *cursor = (names_cursor_t *)base;
  *out_end = cursor->at >= cursor->count;
  if (*out_end) return BERTH_OK;
  const char *name = cursor->names[cursor->at++];
  return text_out(name, strlen(name), &out[0], err);
}

static void names_drop(berth_dataset_t *dataset) {
  berth_tensor_release(((names_t *)dataset)->patterns);
}

static const berth_dataset_kind_t names_kind = {
    .name = "MatchingFilesDataset",
    .size = sizeof(names_t),
    .cursor_size = sizeof(names_cursor_t),
    .open = names_open,
    .next = names_next,
    .close = names_close,
    .drop = names_drop,
};

static berth_code_t make_names(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  BERTH_TRY(berth_dataset_make(&names_kind, call, 0, out_dataset, call->err));
  ((names_t *)*out_dataset)->patterns = berth_tensor_retain(call->inputs[0]);
  return BERTH_OK;
}

BERTH_DATASET(lines)
BERTH_DATASET(records)
BERTH_DATASET(fixed)
BERTH_DATASET(names)

const berth_kernel_t berth_data_file_kernels[] = {
    BERTH_DATA_OP("TextLineDataset", lines),
    BERTH_DATA_OP("TFRecordDataset", records),
    BERTH_DATA_OP("TFRecordDatasetV2", records),
    BERTH_DATA_OP("FixedLengthRecordDataset", fixed),
    BERTH_DATA_OP("FixedLengthRecordDatasetV2", fixed),
    BERTH_DATA_OP("MatchingFilesDataset", names),
    {.op = NULL},
};
