// dnn_choice.c - Which of cuDNN's engines convolves.
#include "cuda/code/dnn_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/hash.h"
#include "base/thread.h"
#include "cuda/card/admit.h"
#include "cuda/card/driver.h"
#include "cuda/stream/device_internal.h"

enum {
  KNOWN = 1024,       // Choices that are remembered; the oldest are forgotten.
  ROUNDS = 3,         // Of runs, of which the shortest counts.
  MOST_RUNS = 16,     // Of a round,
  LONG_NS = 1000000,  // which takes about so long unless one run does.
  MAX_PATH = 4096,
  MAX_LINE = 256,
  // A later engine must be faster by so many percent: the library's order is
  // kept where there is little in it.
  MARGIN = 3,
};

// ---- What is known ----

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static struct {
  uint64_t key;  // 0: nothing.
  int chosen;
} known[KNOWN];
static unsigned known_next = 0;
static bool is_read = false;

// Lock held.
static void remember(uint64_t key, int chosen) {
  known[known_next].key = key;
  known[known_next].chosen = chosen;
  known_next = (known_next + 1) % KNOWN;
}

// Stores the path of the file, whose folder is made; false: nothing is kept.
static bool find_file(char *path) {
  char folder[MAX_PATH];
  const char *own = berth_env_get("BERTH_CACHE_DIR");
  const char *cache = berth_env_get("XDG_CACHE_HOME");
  const char *home = berth_env_get("HOME");
  int size = 0;
  if (own != NULL) {
    if (own[0] == '\0') return false;
    size = snprintf(folder, sizeof(folder), "%s", own);
  } else if (cache != NULL && cache[0] == '/') {
    size = snprintf(folder, sizeof(folder), "%s/berth", cache);
  } else if (home != NULL && home[0] == '/') {
    size = snprintf(folder, sizeof(folder), "%s/.cache", home);
    if (size < MAX_PATH) (void)mkdir(folder, 0700);
    size = snprintf(folder, sizeof(folder), "%s/.cache/berth", home);
  }
  if (size <= 0 || size >= MAX_PATH) return false;
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return false;
  size = snprintf(path, MAX_PATH, "%s/convolutions.txt", folder);
  return size < MAX_PATH;
}

// Lines that are no choices are passed over: a file may be damaged. Lock held.
static void read_file(void) {
  char path[MAX_PATH], line[MAX_LINE];
  is_read = true;
  FILE *file = find_file(path) ? fopen(path, "re") : NULL;
  if (file == NULL) return;
  while (fgets(line, sizeof(line), file) != NULL) {
    unsigned long long key = 0;
    int chosen = -1;
    if (sscanf(line, "%llx %d", &key, &chosen) == 2 && key != 0 &&
        chosen >= 0 && chosen < BERTH_DNN_TRIED) {
      remember(key, chosen);
    }
  }
  (void)fclose(file);
}

// Appends a line at once, so that processes do not mix theirs. What cannot be
// written is found out anew next time.
static void write_line(uint64_t key, int chosen, int count, double us) {
  char path[MAX_PATH], line[MAX_LINE];
  if (!find_file(path)) return;
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  int size = snprintf(line, sizeof(line), "%016llx %d of %d, %.1f us\n",
                      (unsigned long long)key, chosen, count, us);
  if (write(file, line, (size_t)size) < 0) errno = 0;
  (void)close(file);
}

// Returns the choice that was made for |key|; -1: none.
static int recall(uint64_t key) {
  int chosen = -1;
  berth_mutex_lock(&lock);
  if (!is_read) read_file();
  for (int i = 0; i < KNOWN; ++i) {
    if (known[i].key == key) chosen = known[i].chosen;
  }
  berth_mutex_unlock(&lock);
  return chosen;
}

int berth_dnn_choice_recall(uint64_t key, bool *out_is_tried) {
  *out_is_tried = berth_env_bool("TF_CUDNN_USE_AUTOTUNE", true) &&
                  !berth_env_bool("TF_DETERMINISTIC_OPS", false);
  return *out_is_tried ? recall(key) : -1;
}

void berth_dnn_choice_keep(uint64_t key, int chosen, int count, double us) {
  berth_mutex_lock(&lock);
  remember(key, chosen);
  berth_mutex_unlock(&lock);
  write_line(key, chosen, count, us);
}

// ---- Making ----

// Field by field: between them anything may lie.
static uint64_t key_of(const berth_conv_t *conv, const char *card,
                       bool is_exact, uint64_t room) {
  const berth_window_t *window = &conv->window;
  const int64_t facts[] = {conv->goal,
                           conv->dtype,
                           is_exact,
                           (int64_t)room,
                           (int64_t)berth_cudnn_api.cudnnGetVersion(),
                           window->batch,
                           window->channels,
                           window->out_channels,
                           window->layout.axes,
                           window->layout.channels_first,
                           conv->groups};
  uint64_t hash = berth_hash(card, strlen(card), 1);
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &window->axes[i];
    const int64_t of_axis[] = {axis->in,     axis->out,    axis->window,
                               axis->stride, axis->before, axis->dilation};
    hash = berth_hash(of_axis, sizeof(of_axis), hash);
  }
  return berth_hash(facts, sizeof(facts), hash) | 1;
}

berth_code_t berth_dnn_choice_init(berth_dnn_choice_t *choice,
                                   const berth_conv_t *conv, const char *card,
                                   cudnnHandle_t handle, bool is_exact,
                                   uint64_t room, berth_error_t *err) {
  BERTH_TRY(berth_dnn_graphs_make(conv, handle, is_exact, room, BERTH_DNN_TRIED,
                                  choice->graphs, &choice->count, err));
  choice->key = key_of(conv, card, is_exact, room);
  for (int i = 0; i < choice->count; ++i) {
    uint64_t size = choice->graphs[i].workspace;
    if (size > choice->workspace) choice->workspace = size;
  }
  bool is_tried = false;
  choice->chosen = berth_dnn_choice_recall(choice->key, &is_tried);
  if (!is_tried) choice->chosen = 0;
  if (choice->chosen >= choice->count) choice->chosen = -1;
  return BERTH_OK;
}

void berth_dnn_choice_deinit(berth_dnn_choice_t *choice) {
  for (int i = 0; i < choice->count; ++i) {
    berth_dnn_graph_deinit(&choice->graphs[i]);
  }
  *choice = (berth_dnn_choice_t){0};
}

// ---- Running ----

// One engine, and what it is given.
typedef struct trial {
  const berth_dnn_choice_t *choice;
  int which;
  cudnnHandle_t handle;
  const berth_dnn_addresses_t *at;
} trial_t;

static berth_code_t run_one(const berth_dnn_choice_t *choice, int which,
                            cudnnHandle_t handle,
                            const berth_dnn_addresses_t *at,
                            berth_error_t *err) {
  return berth_dnn_graph_run(&choice->graphs[which], handle, at->image,
                             at->filter, at->output, at->workspace, err);
}

static berth_code_t run_trial(void *arg, berth_call_t *call) {
  const trial_t *trial = arg;
  CUstream stream = ((berth_cuda_stream_t *)call->stream)->native;
  BERTH_DNN_TRY(call->err, cudnnSetStream, trial->handle, stream);
  return run_one(trial->choice, trial->which, trial->handle, trial->at,
                 call->err);
}

// Queues what was recorded, or without a recording what |run| does.
static berth_code_t queue_timed(berth_dnn_timed_fn run, void *arg,
                                berth_recording_t *recording,
                                berth_call_t *call) {
  const berth_stream_ops_t *ops = call->stream->device->backend->streams;
  return recording != NULL
             ? ops->replay(call->stream, recording, NULL, 0, call->err)
             : run(arg, call);
}

// Stores the shortest of several rounds.
static berth_code_t time_rounds(berth_dnn_timed_fn run, void *arg,
                                berth_recording_t *recording,
                                berth_call_t *call, int64_t *out_ns) {
  const berth_stream_ops_t *ops = call->stream->device->backend->streams;
  int64_t least = INT64_MAX, runs = 1;
  for (int i = 0; i <= ROUNDS; ++i) {
    BERTH_TRY(ops->sync(call->stream, call->err));
    int64_t begin = berth_now_ns();
    for (int64_t k = 0; k < runs; ++k) {
      BERTH_TRY(queue_timed(run, arg, recording, call));
    }
    BERTH_TRY(ops->sync(call->stream, call->err));
    int64_t took = (berth_now_ns() - begin) / runs;
    if (i > 0 && took < least) least = took;
    runs = LONG_NS / (took + 1);
    if (runs > MOST_RUNS) runs = MOST_RUNS;
    if (runs < 1) runs = 1;
  }
  *out_ns = least;
  return BERTH_OK;
}

// Returns what |run| queues as a recording; NULL: it cannot be recorded.
static berth_recording_t *record(berth_dnn_timed_fn run, void *arg,
                                 berth_call_t *call) {
  berth_device_t *device = call->stream->device;
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_recording_t *recording = NULL;
  berth_call_t recorded = {.err = NULL};
  if (ops->record_begin(device, &recorded.stream, NULL) != BERTH_OK) {
    return NULL;
  }
  bool ok = run(arg, &recorded) == BERTH_OK;
  if (ops->record_end(recorded.stream, ok ? &recording : NULL, NULL) !=
      BERTH_OK) {
    return NULL;
  }
  return recording;
}

berth_code_t berth_dnn_time(berth_dnn_timed_fn run, void *arg,
                            berth_call_t *call, int64_t *out_ns) {
  BERTH_TRY(run(arg, call));
  berth_recording_t *recording = record(run, arg, call);
  berth_code_t code = time_rounds(run, arg, recording, call, out_ns);
  call->stream->device->backend->streams->recording_destroy(recording);
  return code;
}

// True when the code of one more engine fits into the budget.
static bool has_room(berth_cuda_card_t *card) {
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = berth_cuda_expect(card, BERTH_COST_PLAN, &reason);
  berth_error_clear(&reason);
  return code == BERTH_OK;
}

// All write the same result, so that it does not matter which is the last.
static berth_code_t try_all(berth_dnn_choice_t *choice, berth_cuda_card_t *card,
                            cudnnHandle_t handle,
                            const berth_dnn_addresses_t *at,
                            berth_call_t *call) {
  int64_t best = 0;
  int chosen = 0;
  for (int i = 0; i < choice->count; ++i) {
    int64_t took = 0;
    if (i > 0 && !has_room(card)) break;
    trial_t trial = {choice, i, handle, at};
    BERTH_TRY(berth_dnn_time(run_trial, &trial, call, &took));
    if (i > 0 && took * 100 >= best * (100 - MARGIN)) continue;
    best = took;
    chosen = i;
  }
  choice->chosen = chosen;
  berth_dnn_choice_keep(choice->key, chosen, choice->count, (double)best / 1e3);
  return BERTH_OK;
}

berth_code_t berth_dnn_choice_run(berth_dnn_choice_t *choice,
                                  berth_cuda_card_t *card, cudnnHandle_t handle,
                                  const berth_dnn_addresses_t *at,
                                  bool may_wait, berth_call_t *call) {
  if (choice->chosen < 0 && choice->count > 1 && may_wait) {
    CUstream stream = ((berth_cuda_stream_t *)call->stream)->native;
    berth_code_t code = try_all(choice, card, handle, at, call);
    // What was recorded had a stream of its own.
    BERTH_DNN_TRY(call->err, cudnnSetStream, handle, stream);
    BERTH_TRY(code);
  }
  int which = choice->chosen < 0 ? 0 : choice->chosen;
  return run_one(choice, which, handle, at, call->err);
}
