// file.c - Kernels of files: ReadFile, WriteFile, MatchingFiles.
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "io/folder.h"
#include "op/text.h"
#include "tensor/string.h"

// Describes the failure |number| (an errno) of |path|, in TensorFlow's words.
static berth_code_t fail_file(berth_call_t *call, const char *path,
                              int number) {
  berth_code_t code = BERTH_UNKNOWN;
  if (number == ENOENT) code = BERTH_NOT_FOUND;
  if (number == EACCES || number == EPERM) code = BERTH_PERMISSION_DENIED;
  if (number == EISDIR || number == ENOTDIR) code = BERTH_FAILED_PRECONDITION;
  if (number == ENOSPC || number == EMFILE || number == ENOMEM) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  return berth_error_set(call->err, code, "%s; %s", path, strerror(number));
}

// Returns a text as a path, to be freed; NULL, with an error, when it is none.
static char *path_of(const berth_string_t *text, berth_call_t *call) {
  size_t size = 0;
  const char *bytes = berth_string_get(text, &size);
  if (memchr(bytes, '\0', size) != NULL) {
    (void)berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                          "a file's name cannot hold a NUL");
    return NULL;
  }
  char *path = berth_strndup(bytes, size);
  if (path == NULL) (void)berth_error_no_memory(call->err, "a path");
  return path;
}

// ---- Reading ----

static berth_code_t read_all(const char *path, berth_str_t *str,
                             berth_call_t *call) {
  char piece[1 << 14];
  struct stat status;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return fail_file(call, path, errno);
  int number =
      fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode) ? EISDIR : 0;
  while (number == 0) {
    size_t size = fread(piece, 1, sizeof(piece), file);
    berth_str_put(str, piece, size);
    if (ferror(file)) number = errno != 0 ? errno : EIO;
    if (size < sizeof(piece) || berth_cpu_has_ended(call)) break;
  }
  (void)fclose(file);
  return number == 0 ? BERTH_OK : fail_file(call, path, number);
}

static berth_code_t run_read(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  berth_str_t str = {0};
  char *path = path_of(args[0], call);
  if (path == NULL) return call->err != NULL ? call->err->code : BERTH_UNKNOWN;
  berth_code_t code = read_all(path, &str, call);
  if (code == BERTH_OK &&
      !(berth_str_ok(&str) &&
        berth_string_set(args[1], berth_str_get(&str), str.size))) {
    code = berth_error_no_memory(call->err, "a file");
  }
  berth_str_clear(&str);
  berth_free(path);
  return code;
}

static berth_code_t prepare_read(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_op_read_file(&prepare->op, err));
  prepare->run = run_read;
  prepare->work = 50000;
  return BERTH_OK;
}

// ---- Constants ----

// Reads |size| bytes from |file|, which has |length|, to |to|.
static berth_code_t read_constant(FILE *file, size_t length, size_t size,
                                  void *to, berth_call_t *call) {
  if (call->node->output_types[0] == BERTH_STRING) {
    return berth_error_set(call->err, BERTH_UNIMPLEMENTED,
                           "Sorry, DT_STRING is not currently supported for "
                           "ImmutableConstOp.");
  }
  if (length < size) {
    return berth_error_set(call->err, BERTH_INTERNAL,
                           "Readonly memory region has wrong length (%zu) when "
                           "allocating %zu",
                           length, size);
  }
  if (size == 0 || fread(to, 1, size, file) == size) return BERTH_OK;
  return berth_error_set(call->err, BERTH_DATA_LOSS,
                         "A file became shorter while it was read");
}

// TensorFlow maps the file, which goes for nothing but files that have bytes.
static berth_code_t run_constant(const void *plan, void *const *args,
                                 berth_call_t *call) {
  const size_t *size = plan;
  const char *path =
      berth_node_attr_string(call->node, "memory_region_name", "");
  struct stat status = {0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) return fail_file(call, path, errno);
  berth_code_t code;
  if (fstat(fileno(file), &status) != 0) {
    code = fail_file(call, path, errno);
  } else if (!S_ISREG(status.st_mode)) {
    code = berth_error_set(call->err, BERTH_NOT_FOUND, "%s; %s", path,
                           strerror(ENODEV));
  } else if (status.st_size == 0) {
    code = berth_error_set(call->err, BERTH_INVALID_ARGUMENT, "%s; %s", path,
                           strerror(EINVAL));
  } else {
    code = read_constant(file, (size_t)status.st_size, *size, args[0], call);
  }
  (void)fclose(file);
  return code;
}

static berth_code_t prepare_constant(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  size_t *size = berth_prepare_plan(prepare, sizeof(*size));
  if (size == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_file_constant(&prepare->op, err));
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  *size = (size_t)count * berth_dtype_size(prepare->op.node->output_types[0]);
  prepare->run = run_constant;
  prepare->work = 50000;
  return BERTH_OK;
}

// ---- Writing ----

static berth_code_t write_all(const char *path, const char *text, size_t size,
                              berth_call_t *call) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) return fail_file(call, path, errno);
  bool is_whole = fwrite(text, 1, size, file) == size;
  int number = is_whole ? 0 : errno;
  if (fclose(file) != 0 && number == 0) number = errno;
  return is_whole && number == 0 ? BERTH_OK : fail_file(call, path, number);
}

static berth_code_t run_write(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  size_t size = 0;
  const char *text = berth_string_get(args[1], &size);
  char *path = path_of(args[0], call);
  if (path == NULL) return call->err != NULL ? call->err->code : BERTH_UNKNOWN;
  berth_code_t code = BERTH_OK;
  int failed = berth_folders_make(path);
  if (failed != 0) code = fail_file(call, path, failed);
  if (code == BERTH_OK) code = write_all(path, text, size, call);
  berth_free(path);
  return code;
}

static berth_code_t prepare_write(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_op_write_file(&prepare->op, err));
  prepare->run = run_write;
  prepare->work = 50000;
  return BERTH_OK;
}

// ---- Matching ----

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Adds what |pattern| matches; one without a folder is of this one.
static berth_code_t add_matches(const berth_string_t *text, glob_t *found,
                                bool is_first, berth_call_t *call) {
  berth_str_t str = {0};
  char *pattern = path_of(text, call);
  if (pattern == NULL) {
    return call->err != NULL ? call->err->code : BERTH_UNKNOWN;
  }
  if (strchr(pattern, '/') == NULL && pattern[0] != '\0') {
    berth_str_puts(&str, "./");
  }
  berth_str_puts(&str, pattern);
  int result =
      glob(berth_str_get(&str), is_first ? 0 : GLOB_APPEND, NULL, found);
  berth_str_clear(&str);
  berth_free(pattern);
  if (result == GLOB_NOSPACE) return berth_error_no_memory(call->err, "paths");
  return BERTH_OK;
}

static berth_code_t give_matches(glob_t *found, berth_call_t *call) {
  int64_t count = (int64_t)found->gl_pathc;
  berth_tensor_t *names = NULL;
  if (count > 0) {
    qsort(found->gl_pathv, found->gl_pathc, sizeof(char *), compare_paths);
  }
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_STRING, 1, &count, count,
                              &names, call->err));
  for (int64_t i = 0; i < count; ++i) {
    const char *path = found->gl_pathv[i];
    if (!berth_string_set((berth_string_t *)names->data + i, path,
                          strlen(path))) {
      berth_tensor_release(names);
      return berth_error_no_memory(call->err, "a path");
    }
  }
  call->outputs[0] = names;
  return BERTH_OK;
}

static berth_code_t run_match(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *patterns = call->inputs[0];
  glob_t found = {0};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < patterns->count; ++i) {
    code = add_matches((const berth_string_t *)patterns->data + i, &found,
                       i == 0, call);
  }
  if (code == BERTH_OK) code = give_matches(&found, call);
  if (patterns->count > 0) globfree(&found);
  return code;
}

static berth_code_t prepare_match(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_op_matching_files(&prepare->op, err));
  prepare->run = run_match;
  prepare->work = 50000;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_file_kernels[] = {
    {.op = "ImmutableConst", .prepare = prepare_constant},
    {.op = "MatchingFiles", .prepare = prepare_match},
    {.op = "ReadFile", .prepare = prepare_read},
    {.op = "WriteFile", .prepare = prepare_write},
    {.op = NULL},
};
