// report.c - Kernels that say something about tensors: Print, PrintV2, Assert,
// StringFormat.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/log.h"
#include "cpu/kernels.h"
#include "graph/attr_print.h"
#include "io/file_error.h"
#include "io/hold.h"
#include "op/text.h"
#include "state/counter.h"
#include "tensor/string.h"

// Makes the plan of a kernel that says what |describe| does.
static berth_code_t report_prepare(
    berth_prepare_t *prepare,
    berth_code_t (*describe)(berth_case_t *op, berth_report_t *out_report,
                             berth_error_t *err),
    berth_run_fn run, berth_error_t *err) {
  berth_report_t *report = berth_prepare_plan(prepare, sizeof(*report));
  if (report == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run;
  return describe(&prepare->op, report, err);
}

// Returns a tensor to look at, not to keep, for input |i| of the report, whose
// elements are at |data|: it owns nothing. Freed by berth_free(); NULL when
// memory is short.
static berth_tensor_t *report_tensor(const berth_report_t *report, int32_t i,
                                     void *data) {
  const berth_case_input_t *input = &report->inputs[i];
  size_t size = (size_t)input->rank * sizeof(int64_t);
  berth_tensor_t *shown = berth_calloc(1, sizeof(*shown) + size);
  if (shown == NULL) return NULL;
  shown->dtype = input->dtype;
  shown->rank = input->rank;
  shown->count = input->count;
  shown->data = data;
  for (int32_t d = 0; d < input->rank; ++d) shown->dims[d] = input->dims[d];
  return shown;
}

// Appends "[1 2 3...]" for input |i| of the report.
static void report_value(const berth_report_t *report, int32_t i, void *data,
                         berth_str_t *str) {
  berth_tensor_t *shown = report_tensor(report, i, data);
  if (shown == NULL) return;
  berth_str_putc(str, '[');
  berth_tensor_summarize(shown, report->limit, str);
  berth_str_putc(str, ']');
  berth_free(shown);
}

// ---- Assert ----

static berth_code_t run_assert(const void *plan, void *const *args,
                               berth_call_t *call) {
  if (*(const bool *)args[0]) return BERTH_OK;
  const berth_report_t *report = plan;
  berth_str_t text = {0};
  berth_str_puts(&text, "assertion failed: ");
  for (int32_t i = 0; i < report->count; ++i) {
    if (i > 0) berth_str_putc(&text, ' ');
    report_value(report, i, args[report->first + i], &text);
  }
  berth_error_set_text(call->err, BERTH_INVALID_ARGUMENT, berth_str_get(&text));
  berth_str_clear(&text);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t prepare_assert(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  return report_prepare(prepare, berth_op_assert, run_assert, err);
}

// ---- Print ----

// True when a Print that speaks |most| times at most may speak once more.
static bool may_speak(berth_counter_t *counter, int64_t most) {
  if (most < 0) return true;
  return berth_counter_next(counter) < most;
}

static berth_code_t run_print(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_report_t *report = plan;
  if (!may_speak((berth_counter_t *)call->resource, report->most)) {
    return BERTH_OK;
  }
  berth_str_t text = {0};
  berth_str_puts(&text, report->text);
  for (int32_t i = 0; i < report->count; ++i) {
    report_value(report, i, args[report->first + i], &text);
  }
  berth_str_putc(&text, '\n');
  // One write, so that lines of several threads do not mix.
  fputs(berth_str_get(&text), stderr);
  berth_str_clear(&text);
  return BERTH_OK;
}

static berth_code_t prepare_print(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  return report_prepare(prepare, berth_op_print, run_print, err);
}

// ---- PrintV2 ----

// Appends |text| to what the file holds: it is written in place.
static berth_code_t append_to_file(const char *path, const char *text,
                                   size_t size, berth_error_t *err) {
  FILE *file = fopen(path, "ae");
  int number = errno;
  berth_file_hold_t hold;
  bool is_written = false;
  if (file != NULL) {
    // Beyond a limit of file sizes writing fails, and ends no process.
    berth_file_hold_begin(&hold, false);
    is_written = fwrite(text, 1, size, file) == size && fflush(file) == 0;
    number = errno;
    if (fclose(file) != 0 && is_written) {
      number = errno;
      is_written = false;
    }
    berth_file_hold_end(&hold);
  }
  if (is_written) return BERTH_OK;
  berth_code_t code = berth_file_error(
      err, number, file == NULL ? "it cannot be opened" : "writing failed");
  berth_error_prepend(err, "Cannot write '%s': ", path);
  return code;
}

// Sends |text| to the stream called |name|.
static berth_code_t send(const char *name, const berth_str_t *text,
                         berth_error_t *err) {
  const char *all = berth_str_get(text);
  if (berth_has_prefix(name, "file://")) {
    return append_to_file(name + strlen("file://"), all, text->size, err);
  }
  if (strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0) {
    FILE *file = strcmp(name, "stdout") == 0 ? stdout : stderr;
    fwrite(all, 1, text->size, file);
    fflush(file);
    return BERTH_OK;
  }
  if (strcmp(name, "log(info)") == 0) {
    berth_log(BERTH_LOG_INFO, "logging_ops.cc", 0, "%s", all);
  } else if (strcmp(name, "log(warning)") == 0) {
    berth_log(BERTH_LOG_WARNING, "logging_ops.cc", 0, "%s", all);
  } else if (strcmp(name, "log(error)") == 0) {
    berth_log(BERTH_LOG_ERROR, "logging_ops.cc", 0, "%s", all);
  } else {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Unknown output stream: %s, must be one of: "
                           "stdout, stderr, log(info), log(warning), "
                           "log(error), or file://<path>",
                           name);
  }
  return BERTH_OK;
}

static berth_code_t run_print_v2(const void *plan, void *const *args,
                                 berth_call_t *call) {
  const berth_speech_t *speech = plan;
  size_t size = 0;
  const char *said = berth_string_get(args[0], &size);
  berth_str_t text = {0};
  berth_str_put(&text, said, size);
  berth_str_puts(&text, speech->end);
  berth_code_t code = send(speech->stream, &text, call->err);
  berth_str_clear(&text);
  return code;
}

static berth_code_t prepare_print_v2(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_speech_t *speech = berth_prepare_plan(prepare, sizeof(*speech));
  if (speech == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_print_v2;
  return berth_op_print_v2(&prepare->op, speech, err);
}

// ---- StringFormat ----

static berth_code_t run_format(const void *plan, void *const *args,
                               berth_call_t *call) {
  const berth_report_t *report = plan;
  const char *rest = report->text, *mark = report->mark;
  berth_str_t str = {0};
  bool ok = true;
  for (int32_t i = 0; ok && i < report->count; ++i) {
    const char *at = strstr(rest, mark);
    berth_tensor_t *shown = report_tensor(report, i, args[i]);
    ok = shown != NULL;
    berth_str_put(&str, rest, (size_t)(at - rest));
    if (ok) berth_tensor_print_ends(shown, report->limit, &str);
    berth_free(shown);
    rest = at + strlen(mark);
  }
  berth_str_puts(&str, rest);
  ok = ok && berth_str_ok(&str) &&
       berth_string_set(args[report->count], berth_str_get(&str), str.size);
  berth_str_clear(&str);
  return ok ? BERTH_OK : berth_error_no_memory(call->err, "a string");
}

static berth_code_t prepare_format(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  return report_prepare(prepare, berth_op_string_format, run_format, err);
}

const berth_kernel_t berth_cpu_report_kernels[] = {
    {.op = "Assert", .prepare = prepare_assert},
    {.op = "Print", .prepare = prepare_print},
    {.op = "PrintV2", .prepare = prepare_print_v2},
    {.op = "StringFormat", .prepare = prepare_format},
    {.op = NULL},
};
