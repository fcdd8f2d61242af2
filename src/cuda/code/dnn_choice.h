// dnn_choice.h - Which of cuDNN's engines convolves.
//
// The library's own guess is often half again as slow as the best it has. So a
// convolution's first run tries those that it thinks best, on the addresses of
// that run, and the fastest is kept: for the process, and in a file for later
// ones, so that a program computes the same bits in every run.
//
//   $XDG_CACHE_HOME/berth/convolutions.txt, else ~/.cache/berth/…
//
// has a line for each, and may be deleted. BERTH_CACHE_DIR names another folder;
// empty, nothing is kept on disk. TF_CUDNN_USE_AUTOTUNE=0 and
// TF_DETERMINISTIC_OPS=1 have the first of them used, as in TensorFlow.
//
// Threads: a choice is used under the lock of its handle (dnn.c).
#ifndef BERTH_CUDA_CODE_DNN_CHOICE_H_
#define BERTH_CUDA_CODE_DNN_CHOICE_H_

#include "cuda/card/context.h"
#include "cuda/code/dnn_graph.h"
#include "kernel/kernel.h"

enum { BERTH_DNN_TRIED = 8 };

// The engines for one convolution in one precision.
typedef struct berth_dnn_choice {
  berth_dnn_graph_t graphs[BERTH_DNN_TRIED];
  int count;
  int chosen;          // -1: that is not known yet.
  uint64_t workspace;  // What the largest of them needs.
  uint64_t key;        // Of the convolution, card and version.
} berth_dnn_choice_t;

// What was chosen for |key|, here or by an earlier process; -1: nothing, or
// nothing is to be tried: then |*out_is_tried| is false.
int berth_dnn_choice_recall(uint64_t key, bool *out_is_tried);

// Queues something on the stream of |call|.
typedef berth_code_t (*berth_dnn_timed_fn)(void *arg, berth_call_t *call);

// Stores how long what |run| queues takes at least, in nanoseconds, after one run
// that does not count. It is recorded, as it will be, and several are queued at a
// time where they are short: launching it would take longer than it does.
BERTH_NODISCARD berth_code_t berth_dnn_time(berth_dnn_timed_fn run, void *arg,
                                            berth_call_t *call,
                                            int64_t *out_ns);

// Keeps what was |chosen| for |key| of |count| ways, which takes |us|.
void berth_dnn_choice_keep(uint64_t key, int chosen, int count, double us);

// The addresses of one run.
typedef struct berth_dnn_addresses {
  void *image, *filter, *output, *workspace;
} berth_dnn_addresses_t;

// Fills |choice|, which is zeros, for |conv| on the card that is called |card|;
// as berth_dnn_graphs_make().
BERTH_NODISCARD berth_code_t berth_dnn_choice_init(
    berth_dnn_choice_t *choice, const berth_conv_t *conv, const char *card,
    cudnnHandle_t handle, bool is_exact, uint64_t room, berth_error_t *err);

// Frees what it has.
void berth_dnn_choice_deinit(berth_dnn_choice_t *choice);

// Queues the convolution on the stream of |call|, which is |handle|'s; tries all
// that there are first where that was not done and |may_wait|, but for those
// whose code the budget of |card| has no room for.
BERTH_NODISCARD berth_code_t berth_dnn_choice_run(
    berth_dnn_choice_t *choice, berth_cuda_card_t *card, cudnnHandle_t handle,
    const berth_dnn_addresses_t *at, bool may_wait, berth_call_t *call);

#endif  // BERTH_CUDA_CODE_DNN_CHOICE_H_
