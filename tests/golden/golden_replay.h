// golden_replay.h - What the parts of the replay share: tensors and results.
//
// Threads: caller serialises.
#ifndef BERTH_TESTS_GOLDEN_GOLDEN_REPLAY_H_
#define BERTH_TESTS_GOLDEN_GOLDEN_REPLAY_H_

#include "golden_compare.h"

enum { GOLDEN_MAX_TENSORS = 32 };

// A list of tensors, each owned.
typedef struct golden_tensors {
  berth_tensor_t *items[GOLDEN_MAX_TENSORS];
  int count;
} golden_tensors_t;

// What is to come of a call or a run.
typedef struct golden_result {
  golden_tensors_t outputs;
  int code;
  const char *message;  // Into the file.
  const char *said;     // To stderr. NULL: whatever it says.
} golden_result_t;

// Cases that are not replayed on a GPU.
typedef struct golden_skip {
  char op[32], title[64];  // Patterns; an empty op ends a list.
} golden_skip_t;

typedef struct golden_replay {
  golden_file_t file;
  golden_tolerance_t tolerances[BERTH_DTYPE_COUNT];
  char op[64];
  const char *device;  // Where it is replayed; NULL: wherever it is best.
  const golden_skip_t *skips;
  berth_config_t config;
  berth_context_t *context;
  int case_count;
} golden_replay_t;

// Adds the tensor that |text| describes.
bool golden_tensors_add(golden_file_t *file, char *text,
                        golden_tensors_t *tensors);
void golden_tensors_clear(golden_tensors_t *tensors);

// Reads an "out", "error" or "said" line into |result|; false when |word| is
// none of them.
bool golden_result_line(golden_file_t *file, const char *word, char *rest,
                        golden_result_t *result);

// Complains unless |code|, |err| and the outputs |got| are what was |expected|.
// |suffix| is what comes behind the expected message.
void golden_check(golden_replay_t *replay, const golden_result_t *expected,
                  const char *suffix, berth_code_t code,
                  const berth_error_t *err, const golden_tensors_t *got);

// True for a line that begins another case.
bool golden_begins_case(const char *line);

// Makes the call at the current line, whose types are in |label|, in both ways,
// and goes on to the next case.
void golden_replay_call(golden_replay_t *replay, char *label);

// Builds the graph at the current line and does its runs, up to the next case.
void golden_replay_graph(golden_replay_t *replay);

#endif  // BERTH_TESTS_GOLDEN_GOLDEN_REPLAY_H_
