// golden_test.c - Replays golden files: what TensorFlow did, Berth must do.
//
//   golden_test FILE...
//   golden_test --gpu FILE...  replays on a GPU: a simulated one, unless
//                              BERTH_TEST_GPU asks for a real one
//   golden_test --kernels      lists the ops that have CPU kernels
//
// A file is about one op, named as the file is. Each case in it is an eager
// call or a small graph with some runs; README.md explains the lines. What is
// known about all of them, tolerance.txt and gpu_differences.txt, lies beside.
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_replay.h"
#include "simulate.h"

enum { MAX_SKIPS = 128, MAX_PATH = 1024 };

// Makes the path of |name| in the folder of |path|.
static void path_beside(const char *path, const char *name,
                        char out[MAX_PATH]) {
  const char *slash = strrchr(path, '/');
  int size = slash != NULL ? (int)(slash + 1 - path) : 0;
  snprintf(out, MAX_PATH, "%.*s%s", size, path, name);
}

// ---- What differs on a GPU ----

// Reads lines of "OP TITLE REASON" into |skips|.
static bool read_skips(const char *path, golden_skip_t skips[MAX_SKIPS]) {
  FILE *file = fopen(path, "r");
  char line[512];
  int count = 0;
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    golden_skip_t *skip = &skips[count];
    if (line[0] == '#' || count == MAX_SKIPS - 1) continue;
    count += sscanf(line, "%31s %63s", skip->op, skip->title) == 2;
  }
  skips[count].op[0] = '\0';
  if (file != NULL) fclose(file);
  return file != NULL;
}

// True when |title|, "case T=int64 zero", of |op| is one of |skips|.
static bool is_skipped(const golden_skip_t *skips, const char *op,
                       const char *title) {
  for (; skips != NULL && skips->op[0] != '\0'; ++skips) {
    if (fnmatch(skips->op, op, 0) == 0 &&
        fnmatch(skips->title, title, 0) == 0) {
      return true;
    }
  }
  return false;
}

// ---- Replaying ----

// Goes on to the next case.
static void skip_case(golden_file_t *file) {
  for (++file->at; file->at < file->line_count; ++file->at) {
    if (golden_begins_case(file->lines[file->at])) return;
  }
}

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
    if (is_skipped(replay->skips, replay->op, title)) {
      skip_case(file);
      continue;
    }
    bool is_call = golden_word(&line)[0] == 'c';
    if (is_call) {
      golden_replay_call(replay, golden_word(&line));
    } else {
      golden_replay_graph(replay);
    }
    file->title = "";
  }
}

// Replays on |device|, without |skips|; both may be NULL.
static int replay_file(const char *path, const char *device,
                       const golden_skip_t *skips) {
  golden_replay_t replay = {
      .device = device, .skips = skips, .config = BERTH_CONFIG_INIT};
  // What has no kernel there runs on the CPU.
  replay.config.allow_soft_placement = device != NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  char tolerance_path[MAX_PATH];
  op_of_path(path, replay.op, sizeof(replay.op));
  path_beside(path, "tolerance.txt", tolerance_path);
  bool ok = golden_read_tolerances(tolerance_path, replay.tolerances) &&
            golden_open(&replay.file, path);
  if (ok &&
      berth_context_create(&replay.config, &replay.context, &err) != BERTH_OK) {
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

// Replays files on a GPU, which is simulated unless a real one is asked for.
static int replay_on_gpu(char **paths, int count) {
  static golden_skip_t skips[MAX_SKIPS];
  int failures = 0;
  char skip_path[MAX_PATH];
  if (getenv("BERTH_TEST_GPU") == NULL) simulate_cards("H100");
  setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);  // Only errors.
  // What was recorded has all the digits of a float.
  berth_process_set_tf32(false);
  path_beside(paths[0], "gpu_differences.txt", skip_path);
  if (!read_skips(skip_path, skips)) {
    fprintf(stderr, "cannot read %s\n", skip_path);
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    failures += replay_file(paths[i], "/device:GPU:0", skips);
  }
  simulate_forget();
  return failures;
}

int main(int argc, char **argv) {
  int failures = 0;
  if (argc == 2 && strcmp(argv[1], "--kernels") == 0) return list_kernels();
  if (argc > 2 && strcmp(argv[1], "--gpu") == 0) {
    return replay_on_gpu(argv + 2, argc - 2) == 0 ? 0 : 1;
  }
  for (int i = 1; i < argc; ++i) failures += replay_file(argv[i], NULL, NULL);
  return argc > 1 && failures == 0 ? 0 : 1;
}
