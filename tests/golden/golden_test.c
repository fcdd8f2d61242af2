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
      golden_replay_call(replay, golden_word(&line));
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
