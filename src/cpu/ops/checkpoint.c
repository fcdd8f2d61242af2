// checkpoint.c - Kernels that save and restore checkpoints.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "io/checkpoint/checkpoint.h"
#include "op/checkpoint.h"
#include "tensor/string.h"

enum { WORK = 100000 };  // Nanoseconds, at least: files are opened.

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

static berth_code_t failed(const berth_call_t *call) {
  return call->err != NULL ? call->err->code : BERTH_UNKNOWN;
}

static const berth_string_t *text_at(const berth_call_t *call, int input,
                                     int64_t index) {
  return (const berth_string_t *)call->inputs[input]->data + index;
}

// ---- Saving ----

// Says which part of a tensor |saved| is, as |text| has it; none for "".
static berth_code_t set_spec(berth_saved_t *saved, const berth_string_t *text,
                             berth_call_t *call) {
  char shape[BERTH_DIMS_TEXT];
  size_t size = 0;
  const char *bytes = berth_string_get(text, &size);
  saved->spec = NULL;
  if (size == 0) return BERTH_OK;
  berth_extents_spec_t *spec = berth_alloc(sizeof(*spec));
  if (spec == NULL) return berth_error_no_memory(call->err, "a slice");
  saved->spec = spec;
  BERTH_TRY(berth_extents_parse(bytes, size, spec, call->err));
  berth_dims_t dims = berth_tensor_dims(saved->tensor);
  if (berth_dims_equal(berth_shape_dims(&spec->part), dims)) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Slice in shape_and_slice specification does not "
                         "match the shape of the tensor to  save: %.*s, "
                         "tensor: %s",
                         (int)size, bytes, berth_dims_text(dims, shape));
}

// Lists what is to be saved: the inputs from |first| on.
static berth_code_t list_saved(berth_saved_t *saved, int count, int first,
                               berth_call_t *call) {
  for (int i = 0; i < count; ++i) {
    saved[i].name = berth_string_get(text_at(call, 1, i), &saved[i].name_size);
    saved[i].tensor = call->inputs[first + i];
    if (first == 3) BERTH_TRY(set_spec(&saved[i], text_at(call, 2, i), call));
  }
  return BERTH_OK;
}

typedef berth_code_t (*write_fn)(const char *path, const berth_saved_t *saved,
                                 int count, berth_error_t *err);

static berth_code_t save(berth_call_t *call, int first, write_fn write) {
  int count = (int)call->inputs[1]->count;
  char *path = path_of(text_at(call, 0, 0), call);
  if (path == NULL) return failed(call);
  berth_saved_t *saved = berth_calloc((size_t)count + 1, sizeof(*saved));
  berth_code_t code = saved != NULL
                          ? list_saved(saved, count, first, call)
                          : berth_error_no_memory(call->err, "a checkpoint");
  if (code == BERTH_OK) code = write(path, saved, count, call->err);
  for (int i = 0; saved != NULL && i < count; ++i) {
    berth_free((void *)(uintptr_t)saved[i].spec);
  }
  berth_free(saved);
  berth_free(path);
  return code;
}

static berth_code_t run_save(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  return save(call, 3, berth_bundle_write);
}

static berth_code_t run_save_old(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  (void)args;
  bool has_slices = strcmp(call->node->op->name, "SaveSlices") == 0;
  return save(call, has_slices ? 3 : 2, berth_legacy_write);
}

// ---- Restoring ----

// What is wanted of a checkpoint.
typedef struct wanted {
  const char *name;
  size_t size;
  const berth_string_t *slice;  // NULL: all.
  berth_dtype_t dtype;
} wanted_t;

// Checks the type and the shape that are asked for, new format; |spec| may be
// NULL.
static berth_code_t check_new(const wanted_t *wanted,
                              const berth_stored_t *stored,
                              const berth_extents_spec_t *spec,
                              berth_error_t *err) {
  char asked[BERTH_DIMS_TEXT], there[BERTH_DIMS_TEXT];
  if (wanted->dtype != stored->dtype) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "tensor_name = %s; expected dtype %s does not equal original dtype %s",
        stored->name, berth_dtype_name(wanted->dtype),
        berth_dtype_name(stored->dtype));
  }
  if (spec == NULL) return BERTH_OK;
  berth_dims_t dims = berth_shape_dims(&spec->shape);
  if (berth_dims_equal(dims, stored->dims)) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "tensor_name = %s; shape in shape_and_slice spec %s "
                         "does not match the shape stored in checkpoint: %s",
                         stored->name, berth_dims_text(dims, asked),
                         berth_dims_text(stored->dims, there));
}

static berth_code_t check_old(const wanted_t *wanted,
                              const berth_stored_t *stored,
                              const berth_extents_spec_t *spec,
                              berth_error_t *err) {
  char asked[BERTH_DIMS_TEXT], there[BERTH_DIMS_TEXT];
  if (wanted->dtype != stored->dtype) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected to restore a tensor of type %s, got a "
                           "tensor of type %s instead: tensor_name = %s",
                           berth_dtype_name(wanted->dtype),
                           berth_dtype_name(stored->dtype), stored->name);
  }
  if (spec == NULL) return BERTH_OK;
  berth_dims_t dims = berth_shape_dims(&spec->shape);
  if (berth_dims_equal(dims, stored->dims)) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Shape in shape_and_slice spec does not match the "
                         "shape in the save file: %s, save file shape: %s",
                         berth_dims_text(dims, asked),
                         berth_dims_text(stored->dims, there));
}

static berth_code_t fail_missing(const berth_checkpoint_t *checkpoint,
                                 const wanted_t *wanted, berth_error_t *err) {
  if (checkpoint->is_old) {
    return berth_error_set(err, BERTH_NOT_FOUND,
                           "Tensor name \"%.*s\" not found in checkpoint files "
                           "%s",
                           (int)wanted->size, wanted->name, checkpoint->prefix);
  }
  return berth_error_set(err, BERTH_NOT_FOUND,
                         "Key %.*s not found in checkpoint", (int)wanted->size,
                         wanted->name);
}

static berth_code_t read_wanted(berth_checkpoint_t *checkpoint,
                                const wanted_t *wanted,
                                const berth_extents_spec_t *spec,
                                berth_call_t *call, berth_tensor_t **out) {
  const berth_stored_t *stored =
      berth_stored_find(checkpoint, wanted->name, wanted->size);
  if (stored == NULL) return fail_missing(checkpoint, wanted, call->err);
  BERTH_TRY(checkpoint->is_old ? check_old(wanted, stored, spec, call->err)
                               : check_new(wanted, stored, spec, call->err));
  if (berth_cpu_has_ended(call)) return berth_cpu_ended(call);
  return berth_stored_read(checkpoint, stored,
                           spec != NULL ? &spec->slice : NULL, call->allocator,
                           out, call->err);
}

static berth_code_t restore_one(berth_checkpoint_t *checkpoint,
                                const wanted_t *wanted, berth_call_t *call,
                                berth_tensor_t **out) {
  size_t size = 0;
  const char *text =
      wanted->slice != NULL ? berth_string_get(wanted->slice, &size) : "";
  if (size == 0) return read_wanted(checkpoint, wanted, NULL, call, out);
  berth_extents_spec_t *spec = berth_alloc(sizeof(*spec));
  if (spec == NULL) return berth_error_no_memory(call->err, "a slice");
  berth_code_t code = berth_extents_parse(text, size, spec, call->err);
  if (code == BERTH_OK) {
    code = read_wanted(checkpoint, wanted, spec, call, out);
  }
  berth_free(spec);
  return code;
}

// Fails for the first of the names that the checkpoint lacks, before any other
// is read.
static berth_code_t check_names(const berth_checkpoint_t *checkpoint,
                                berth_call_t *call) {
  for (int64_t i = 0; i < call->inputs[1]->count; ++i) {
    wanted_t wanted = {0};
    wanted.name = berth_string_get(text_at(call, 1, i), &wanted.size);
    if (berth_stored_find(checkpoint, wanted.name, wanted.size) == NULL) {
      return fail_missing(checkpoint, &wanted, call->err);
    }
  }
  return BERTH_OK;
}

static berth_code_t restore_all(berth_checkpoint_t *checkpoint,
                                berth_call_t *call) {
  int64_t count = call->inputs[1]->count;
  BERTH_TRY(check_names(checkpoint, call));
  for (int64_t i = 0; i < count; ++i) {
    wanted_t wanted = {.slice = text_at(call, 2, i),
                       .dtype = call->node->output_types[i]};
    wanted.name = berth_string_get(text_at(call, 1, i), &wanted.size);
    BERTH_TRY(restore_one(checkpoint, &wanted, call, &call->outputs[i]));
  }
  return BERTH_OK;
}

static berth_code_t run_restore(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_checkpoint_t *checkpoint = NULL;
  char *path = path_of(text_at(call, 0, 0), call);
  if (path == NULL) return failed(call);
  berth_code_t code = berth_checkpoint_open(path, &checkpoint, call->err);
  berth_free(path);
  if (code == BERTH_OK) code = restore_all(checkpoint, call);
  berth_checkpoint_close(checkpoint);
  return code;
}

static berth_code_t run_restore_old(const void *plan, void *const *args,
                                    berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_checkpoint_t *checkpoint = NULL;
  bool has_slice = strcmp(call->node->op->name, "RestoreSlice") == 0;
  wanted_t wanted = {.slice = has_slice ? text_at(call, 2, 0) : NULL,
                     .dtype = call->node->output_types[0]};
  char *path = path_of(text_at(call, 0, 0), call);
  if (path == NULL) return failed(call);
  wanted.name = berth_string_get(text_at(call, 1, 0), &wanted.size);
  berth_code_t code = berth_checkpoint_open_old(path, &checkpoint, call->err);
  berth_free(path);
  if (code == BERTH_OK) {
    code = restore_one(checkpoint, &wanted, call, &call->outputs[0]);
  }
  berth_checkpoint_close(checkpoint);
  return code;
}

// ---- Merging ----

// Removes the folders that |prefixes| are in, those that are empty.
static void remove_folders(char *const *prefixes, int count) {
  for (int i = 0; i < count; ++i) {
    char *slash = strrchr(prefixes[i], '/');
    if (slash == NULL || slash == prefixes[i]) continue;
    *slash = '\0';
    (void)rmdir(prefixes[i]);
  }
}

static berth_code_t merge(berth_call_t *call, char **prefixes, int count) {
  bool deletes = berth_node_attr_bool(call->node, "delete_old_dirs", true);
  bool allows = berth_node_attr_bool(call->node, "allow_missing_files", false);
  char *target = path_of(text_at(call, 1, 0), call);
  if (target == NULL) return failed(call);
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    prefixes[i] = path_of(text_at(call, 0, i), call);
    if (prefixes[i] == NULL) code = failed(call);
  }
  if (code == BERTH_OK) {
    code = berth_bundle_merge((const char *const *)prefixes, count, target,
                              allows, call->err);
  }
  if (code == BERTH_OK && deletes) remove_folders(prefixes, count);
  berth_free(target);
  return code;
}

static berth_code_t run_merge(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  int count = (int)call->inputs[0]->count;
  char **prefixes = berth_calloc((size_t)count + 1, sizeof(*prefixes));
  if (prefixes == NULL) return berth_error_no_memory(call->err, "paths");
  berth_code_t code = merge(call, prefixes, count);
  for (int i = 0; i < count; ++i) berth_free(prefixes[i]);
  berth_free(prefixes);
  return code;
}

// ---- Names ----

static berth_code_t put_name(berth_str_t *str, berth_string_t *out,
                             berth_call_t *call) {
  bool is_set =
      berth_str_ok(str) && berth_string_set(out, berth_str_get(str), str->size);
  berth_str_clear(str);
  return is_set ? BERTH_OK : berth_error_no_memory(call->err, "a name");
}

static berth_code_t run_filename(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  size_t size = 0;
  const char *base = berth_string_get(args[0], &size);
  berth_str_t str = {0};
  berth_str_put(&str, base, size);
  berth_str_printf(&str, "-%05d-of-%05d", *(const int32_t *)args[1],
                   *(const int32_t *)args[2]);
  return put_name(&str, args[3], call);
}

static berth_code_t run_filespec(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  size_t size = 0;
  const char *base = berth_string_get(args[0], &size);
  berth_str_t str = {0};
  berth_str_put(&str, base, size);
  berth_str_printf(&str, "-\?\?\?\?\?-of-%05d", *(const int32_t *)args[1]);
  return put_name(&str, args[2], call);
}

// ---- Preparing ----

#define PREPARE(name, family, function, cost)                  \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    BERTH_TRY(berth_op_##family(&prepare->op, err));           \
    prepare->run = function;                                   \
    prepare->work = cost;                                      \
    return BERTH_OK;                                           \
  }

PREPARE(save, save, run_save, WORK)
PREPARE(restore, restore, run_restore, WORK)
PREPARE(save_old, save_old, run_save_old, WORK)
PREPARE(restore_old, restore_old, run_restore_old, WORK)
PREPARE(merge, merge_checkpoints, run_merge, WORK)
PREPARE(filename, sharded_name, run_filename, 100)
PREPARE(filespec, sharded_name, run_filespec, 100)

const berth_kernel_t berth_cpu_checkpoint_kernels[] = {
    {.op = "MergeV2Checkpoints", .prepare = prepare_merge},
    {.op = "Restore", .prepare = prepare_restore_old},
    {.op = "RestoreSlice", .prepare = prepare_restore_old},
    {.op = "RestoreV2", .prepare = prepare_restore},
    {.op = "Save", .prepare = prepare_save_old},
    {.op = "SaveSlices", .prepare = prepare_save_old},
    {.op = "SaveV2", .prepare = prepare_save},
    {.op = "ShardedFilename", .prepare = prepare_filename},
    {.op = "ShardedFilespec", .prepare = prepare_filespec},
    {.op = NULL},
};
