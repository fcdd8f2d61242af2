// remap.c - LoadAndRemapMatrix: a matrix of a checkpoint in another order.
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "berth/checkpoint.h"
#include "cpu/kernels.h"
#include "op/checkpoint.h"
#include "tensor/string.h"

enum { WORK = 100000 };  // Nanoseconds, at least: files are opened.

// Inputs.
enum { PATH, NAME, ROWS, COLUMNS, FILLING, INPUTS };

typedef struct plan {
  int64_t rows, columns;  // Of the output.
  int64_t filling;        // How many numbers there are for what is missing.
  bool turns;             // Columns have another order, too.
} plan_t;

// Fails where two of |count| new places have one old one.
static berth_code_t check_once(const int64_t *old, int64_t count,
                               berth_error_t *err) {
  berth_map_t seen = {0};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; i < count && code == BERTH_OK; ++i) {
    const char *key = (const char *)&old[i];
    if (old[i] < 0) continue;
    const int64_t *other = berth_map_find(&seen, key, sizeof(*old));
    if (other != NULL) {
      code = berth_error_set(err, BERTH_UNIMPLEMENTED,
                             "Old ID %lld is mapped to both new ID %lld and "
                             "%lld, which is not supported.",
                             (long long)old[i], (long long)*other,
                             (long long)i);
    } else if (!berth_map_set(&seen, key, sizeof(*old), i)) {
      code = berth_error_no_memory(err, "a map of rows");
    }
  }
  berth_map_clear(&seen);
  return code;
}

// ---- The checkpoint ----

static berth_code_t check_matrix(const plan_t *plan,
                                 const berth_checkpoint_t *checkpoint,
                                 int64_t index, const char *name,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  berth_dtype_t dtype = berth_checkpoint_dtype(checkpoint, index);
  berth_dims_t dims = berth_checkpoint_shape(checkpoint, index);
  (void)berth_dims_text(dims, text);
  if (dtype != BERTH_FLOAT) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Tensor %s has invalid type %s instead of expected type float", name,
        berth_dtype_name(dtype));
  }
  if (dims.rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Tensor %s has shape %s of invalid rank %d instead "
                           "of expected shape of rank 2.",
                           name, text, (int)dims.rank);
  }
  if (plan->turns || dims.dims[1] == plan->columns) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Tensor %s has shape %s, where the size of its 2nd "
                         "dimension is %lld instead of being equal to "
                         "num_cols=%lld",
                         name, text, (long long)dims.dims[1],
                         (long long)plan->columns);
}

// Reads the matrix called |name| of the checkpoint at |path|.
static berth_code_t read_matrix(const plan_t *plan, const char *path,
                                const char *name, berth_tensor_t **out,
                                berth_error_t *err) {
  berth_checkpoint_t *checkpoint = NULL;
  berth_code_t opened = berth_checkpoint_open(path, &checkpoint, err);
  if (opened == BERTH_NOT_FOUND) {  // Older checkpoints are not read here.
    berth_error_clear(err);
    return berth_error_set(err, opened, "%s.index; No such file or directory",
                           path);
  }
  if (opened != BERTH_OK) return opened;
  int64_t index = berth_checkpoint_find(checkpoint, name);
  berth_code_t code =
      index < 0 ? berth_error_set(err, BERTH_NOT_FOUND,
                                  "Key %s not found in checkpoint", name)
                : check_matrix(plan, checkpoint, index, name, err);
  if (code == BERTH_OK) {
    code = berth_checkpoint_read(checkpoint, index, out, err);
  }
  berth_checkpoint_close(checkpoint);
  return code;
}

// ---- The output ----

static berth_code_t fail_place(const berth_tensor_t *matrix, int dimension,
                               int64_t at, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  (void)berth_dims_text(berth_tensor_dims(matrix), text);
  return berth_error_set(err, BERTH_INTERNAL,
                         "Extent in dimension %d out of bounds: shape = %s, "
                         "slice = %s%lld,1%s",
                         dimension, text, dimension == 1 ? "-:" : "",
                         (long long)at, dimension == 0 ? ":-" : "");
}

// Fills the output from |matrix|, and in the order of its elements with the
// numbers for what that has not.
static berth_code_t fill(const plan_t *plan, const berth_tensor_t *matrix,
                         void *const *args, berth_error_t *err) {
  const int64_t *rows = args[ROWS], *columns = args[COLUMNS];
  const float *from = matrix->data, *filling = args[FILLING];
  float *out = args[INPUTS];
  int64_t width = matrix->dims[1], used = 0;
  for (int64_t i = 0; i < plan->rows * plan->columns; ++i) {
    int64_t row = rows[i / plan->columns], column = i % plan->columns;
    if (plan->turns) column = columns[column];
    if (row >= matrix->dims[0]) return fail_place(matrix, 0, row, err);
    if (column >= width) return fail_place(matrix, 1, column, err);
    if (row >= 0 && column >= 0) {
      out[i] = from[row * width + column];
    } else if (used < plan->filling) {
      out[i] = filling[used++];
    } else {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "initializing_values contained %lld elements, but "
                             "more missing values remain.",
                             (long long)plan->filling);
    }
  }
  if (used == plan->filling) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "initializing_values contained %lld elements, but "
                         "only %lld elements were used to fill in missing "
                         "values.",
                         (long long)plan->filling, (long long)used);
}

static berth_code_t run_remap(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  char *texts[2] = {NULL, NULL};
  BERTH_TRY(check_once(args[ROWS], plan->rows, call->err));
  if (plan->turns) {
    BERTH_TRY(check_once(args[COLUMNS], plan->columns, call->err));
  }
  for (int i = 0; i < 2; ++i) {
    size_t size = 0;
    const char *bytes = berth_string_get(args[i], &size);
    texts[i] = berth_strndup(bytes, size);
  }
  berth_tensor_t *matrix = NULL;
  berth_code_t code =
      texts[0] != NULL && texts[1] != NULL
          ? read_matrix(plan, texts[PATH], texts[NAME], &matrix, call->err)
          : berth_error_no_memory(call->err, "a path");
  berth_free(texts[PATH]);
  berth_free(texts[NAME]);
  if (code == BERTH_OK) code = fill(plan, matrix, args, call->err);
  berth_tensor_release(matrix);
  return code;
}

static berth_code_t prepare_remap(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_remap(&prepare->op, err));
  const berth_case_input_t *in = prepare->op.inputs;
  const int64_t *dims = prepare->op.outputs[0].dims;
  *plan = (plan_t){dims[0], dims[1], in[FILLING].count, in[COLUMNS].count > 0};
  prepare->run = run_remap;
  prepare->work = WORK;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_remap_kernels[] = {
    {.op = "LoadAndRemapMatrix", .prepare = prepare_remap},
    {.op = NULL},
};
