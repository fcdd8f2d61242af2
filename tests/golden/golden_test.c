// golden_test.c - Replays golden files: what TensorFlow did, Berth must do.
//
//   golden_test FILE...
//   golden_test --kernels      lists the ops that have CPU kernels
//
// A file is about one op, named as the file is. Each case in it is an eager
// call or a small graph with some runs; README.md explains the lines.
#include <stdio.h>
#include <string.h>

#include "golden_replay.h"

#define TOLERANCE_PATH BERTH_SOURCE_DIR "/tests/golden/tolerance.txt"

// ---- Eager calls ----

// Makes the description of the call with the types of "T=float,Tidx=int32".
static berth_op_t *op_of_label(golden_replay_t *replay, char *label) {
  berth_op_t *op = berth_op_begin(NULL, replay->op, NULL);
  if (strcmp(label, "-") == 0) return op;
  while (label != NULL) {
    char *end = strchr(label, ',');
    if (end != NULL) *end = '\0';
    (void)golden_attr_type(&replay->file, label, op);
    label = end != NULL ? end + 1 : NULL;
  }
  return op;
}

static void call_and_check(golden_replay_t *replay, berth_op_t *op,
                           golden_tensors_t *inputs,
                           const golden_result_t *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  golden_tensors_t outputs = {.count = 0};
  int count = GOLDEN_MAX_TENSORS;
  berth_code_t code =
      berth_eager_call_op(replay->context, op, NULL, inputs->items,
                          inputs->count, outputs.items, &count, &err);
  golden_check_error(&replay->file, expected, code, &err);
  if (code == BERTH_OK) {
    outputs.count = count;
    if (expected->code == BERTH_OK)
      golden_check_outputs(replay, expected, &outputs);
  }
  golden_tensors_clear(&outputs);
  berth_error_clear(&err);
}

static void replay_call(golden_replay_t *replay, char *label) {
  golden_file_t *file = &replay->file;
  int first = file->at++;
  golden_result_t expected = {.code = BERTH_OK};
  golden_tensors_t inputs = {.count = 0};
  berth_op_t *op = op_of_label(replay, label);
  bool ok = true;
  for (; ok && file->at < file->line_count; ++file->at) {
    char *rest = file->lines[file->at];
    if (golden_begins_case(rest)) break;
    const char *word = golden_word(&rest);
    if (strcmp(word, "in") == 0) {
      ok = golden_tensors_add(file, rest, &inputs);
    } else if (strcmp(word, "attr") == 0) {
      ok = golden_attr(file, rest, op);
    } else {
      ok = golden_result_line(file, word, rest, &expected);
    }
  }
  int end = file->at;
  file->at = first;
  if (ok) call_and_check(replay, op, &inputs, &expected);
  file->at = end;
  berth_op_abandon(op);
  golden_tensors_clear(&inputs);
  golden_tensors_clear(&expected.outputs);
}

// ---- Files ----

// The file's name without its folder and ending.
static void op_of_path(const char *path, char *op, size_t size) {
  const char *slash = strrchr(path, '/');
  snprintf(op, size, "%s", slash != NULL ? slash + 1 : path);
  char *dot = strrchr(op, '.');
  if (dot != NULL) *dot = '\0';
}

static void replay_cases(golden_replay_t *replay) {
  golden_file_t *file = &replay->file;
  while (file->at < file->line_count) {
    char *line = file->lines[file->at];
    if (!golden_begins_case(line)) {
      ++file->at;  // A comment.
      continue;
    }
    char title[128];
    snprintf(title, sizeof(title), "%s", line);
    file->title = title;
    ++replay->case_count;
    bool is_call = golden_word(&line)[0] == 'c';
    if (is_call) {
      replay_call(replay, golden_word(&line));
    } else {
      golden_replay_graph(replay);
    }
    file->title = "";
  }
}

static int replay_file(const char *path) {
  golden_replay_t replay = {.case_count = 0};
  berth_error_t err = BERTH_ERROR_INIT;
  op_of_path(path, replay.op, sizeof(replay.op));
  bool ok = golden_read_tolerances(TOLERANCE_PATH, replay.tolerances) &&
            golden_open(&replay.file, path);
  if (ok && berth_context_create(NULL, &replay.context, &err) != BERTH_OK) {
    ok = golden_complain(&replay.file, "%s", berth_error_message(&err));
  }
  if (ok) replay_cases(&replay);
  berth_context_destroy(replay.context);
  golden_close(&replay.file);
  printf("%s: %d cases, %d failures\n", replay.op, replay.case_count,
         replay.file.failures);
  return ok && replay.case_count > 0 ? replay.file.failures : 1;
}

// Prints the ops that have a kernel for a CPU, one on a line.
static int list_kernels(void) {
  for (int i = 0; i < berth_op_count(); ++i) {
    const char *op = berth_op_name(i);
    if (berth_op_has_kernel(op, "CPU")) puts(op);
  }
  return 0;
}

int main(int argc, char **argv) {
  int failures = 0;
  if (argc == 2 && strcmp(argv[1], "--kernels") == 0) return list_kernels();
  for (int i = 1; i < argc; ++i) failures += replay_file(argv[i]);
  return argc > 1 && failures == 0 ? 0 : 1;
}
