// reader.c - Kernels on readers of records.
//
// A read that has to wait for the name of a file is parked (state/reader.h):
// the run returns BERTH_PENDING, and whoever fills the queue finishes it.
#include "state/reader.h"

#include <string.h>

#include "cpu/kernels.h"
#include "kernel/handle.h"
#include "op/resource.h"

// ---- Making ----

static berth_code_t run_reader(const void *plan, void *const *args,
                               berth_call_t *call) {
  berth_reader_t *reader = NULL;
  BERTH_TRY(berth_reader_get(
      call->container, berth_node_attr_string(call->node, "container", ""),
      berth_handle_key(call->node), plan, &reader, call->err));
  berth_handle_set(args[0], (berth_resource_t *)reader);
  berth_resource_release((berth_resource_t *)reader);
  return BERTH_OK;
}

// Reads a number of the node that must not be negative.
static berth_code_t read_size(const berth_node_t *node, const char *name,
                              int64_t *out_size, berth_error_t *err) {
  *out_size = berth_node_attr_int(node, name, 0);
  if (*out_size >= 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be >= 0 not %lld", name,
                         (long long)*out_size);
}

static berth_code_t read_options(const berth_node_t *node,
                                 berth_reader_options_t *options,
                                 berth_error_t *err) {
  BERTH_TRY(read_size(node, "header_bytes", &options->header, err));
  BERTH_TRY(read_size(node, "record_bytes", &options->record, err));
  BERTH_TRY(read_size(node, "footer_bytes", &options->footer, err));
  BERTH_TRY(read_size(node, "hop_bytes", &options->hop, err));
  BERTH_TRY(read_size(node, "skip_header_lines", &options->skipped_lines, err));
  options->name = node->name;
  options->packing = berth_packing_of(berth_node_attr_string(
      node,
      options->kind == BERTH_READER_FIXED ? "encoding" : "compression_type",
      ""));
  return BERTH_OK;
}

static berth_code_t prepare_reader(berth_prepare_t *prepare,
                                   berth_reader_kind_t kind,
                                   const char *kind_name, berth_error_t *err) {
  BERTH_TRY(berth_op_handle(&prepare->op, err));
  berth_reader_options_t *options =
      berth_prepare_plan(prepare, sizeof(*options));
  if (options == NULL) return berth_error_no_memory(err, "a plan");
  options->kind = kind;
  options->kind_name = kind_name;
  prepare->run = run_reader;
  return read_options(prepare->op.node, options, err);
}

// Defines prepare_<name>().
#define READER(name, kind, kind_name)                          \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return prepare_reader(prepare, kind, kind_name, err);      \
  }

READER(identity, BERTH_READER_IDENTITY, "IdentityReader")
READER(whole, BERTH_READER_WHOLE, "WholeFileReader")
READER(lines, BERTH_READER_LINES, "TextLineReader")
READER(fixed, BERTH_READER_FIXED, "FixedLengthRecordReader")
READER(records, BERTH_READER_RECORDS, "TFRecordReader")

static berth_code_t get_reader(const void *handle, berth_reader_t **out_reader,
                               berth_error_t *err) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(handle, BERTH_RESOURCE_READER, &resource, err));
  *out_reader = (berth_reader_t *)resource;
  return BERTH_OK;
}

// ---- Reading ----

// Where the completion of a read keeps it.
static berth_read_t **read_of(berth_completion_t *completion) {
  return (berth_read_t **)(void *)completion->storage;
}

static void read_done(void *arg, berth_code_t code, const char *text,
                      berth_tensor_t **outputs) {
  berth_completion_t *completion = arg;
  completion->done(completion, code, text, outputs);
}

static void read_cancel(berth_completion_t *completion) {
  berth_read_cancel(*read_of(completion));
}

static void read_cleanup(berth_completion_t *completion) {
  berth_read_release(*read_of(completion));
}

static berth_code_t run_read(void *const *args, int64_t wanted,
                             berth_call_t *call) {
  berth_reader_t *reader = NULL;
  berth_resource_t *queue = NULL;
  berth_read_t *read = NULL;
  bool parked = false;
  BERTH_TRY(get_reader(args[0], &reader, call->err));
  BERTH_TRY(berth_handle_get(args[1], BERTH_RESOURCE_QUEUE, &queue, call->err));
  if (call->completion == NULL) {
    return berth_error_set(call->err, BERTH_INTERNAL,
                           "%s was run without a completion", call->node->name);
  }
  BERTH_TRY(berth_read_create(reader, (berth_queue_t *)queue, wanted, read_done,
                              call->completion, &read, call->err));
  *read_of(call->completion) = read;
  call->completion->cancel = read_cancel;
  call->completion->cleanup = read_cleanup;
  berth_code_t code = berth_read_start(read, call->outputs, &parked, call->err);
  if (parked) return BERTH_PENDING;
  call->completion->cleanup = NULL;
  berth_read_release(read);
  return code;
}

static berth_code_t run_read_one(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  return run_read(args, -1, call);
}

static berth_code_t run_read_up_to(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  int64_t wanted = *(const int64_t *)args[2];
  // TensorFlow ends the process then.
  if (wanted < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "num_records must be >= 0 not %lld",
                           (long long)wanted);
  }
  return run_read(args, wanted, call);
}

static berth_code_t prepare_read_one(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  prepare->run = run_read_one;
  return berth_op_queue(&prepare->op, err);
}

static berth_code_t prepare_read_up_to(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  prepare->run = run_read_up_to;
  if (prepare->op.inputs[2].count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_records must be a scalar");
  }
  return berth_op_queue(&prepare->op, err);
}

// ---- Counts and states ----

static berth_code_t run_count(const void *plan, void *const *args,
                              berth_call_t *call) {
  const bool *counts_files = plan;
  berth_reader_t *reader = NULL;
  int64_t counts[2];
  BERTH_TRY(get_reader(args[0], &reader, call->err));
  berth_reader_query(reader, &counts[0], &counts[1]);
  *(int64_t *)args[1] = counts[*counts_files];
  return BERTH_OK;
}

static berth_code_t prepare_count(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  bool *counts_files = berth_prepare_plan(prepare, sizeof(*counts_files));
  if (counts_files == NULL) return berth_error_no_memory(err, "a plan");
  *counts_files = strstr(prepare->op.node->op->name, "WorkUnits") != NULL;
  prepare->run = run_count;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t run_reset(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_reader_t *reader = NULL;
  BERTH_TRY(get_reader(args[0], &reader, call->err));
  berth_reader_reset(reader);
  return BERTH_OK;
}

static berth_code_t run_save(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  berth_reader_t *reader = NULL;
  BERTH_TRY(get_reader(args[0], &reader, call->err));
  return berth_reader_save(reader, args[1], call->err);
}

static berth_code_t run_restore(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  berth_reader_t *reader = NULL;
  size_t size = 0;
  BERTH_TRY(get_reader(args[0], &reader, call->err));
  const char *state = berth_string_get(args[1], &size);
  return berth_reader_restore(reader, state, size, call->err);
}

static berth_code_t prepare_reset(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  (void)err;
  prepare->run = run_reset;
  return BERTH_OK;
}

static berth_code_t prepare_save(berth_prepare_t *prepare, berth_error_t *err) {
  prepare->run = run_save;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t prepare_restore(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  prepare->run = run_restore;
  if (prepare->op.inputs[1].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Reader state must be scalar");
}

// Also of ops whose handles are resources (op/name.h).
const berth_kernel_t berth_cpu_reader_kernels[] = {
    {.op = "IdentityReader", .prepare = prepare_identity},
    {.op = "WholeFileReader", .prepare = prepare_whole},
    {.op = "TextLineReader", .prepare = prepare_lines},
    {.op = "FixedLengthRecordReader", .prepare = prepare_fixed},
    {.op = "TFRecordReader", .prepare = prepare_records},
    {.op = "ReaderRead", .prepare = prepare_read_one},
    {.op = "ReaderReadUpTo", .prepare = prepare_read_up_to},
    {.op = "ReaderNumRecordsProduced", .prepare = prepare_count},
    {.op = "ReaderNumWorkUnitsCompleted", .prepare = prepare_count},
    {.op = "ReaderReset", .prepare = prepare_reset},
    {.op = "ReaderSerializeState", .prepare = prepare_save},
    {.op = "ReaderRestoreState", .prepare = prepare_restore},
    {.op = NULL},
};
