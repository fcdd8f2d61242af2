// dnn.h - Convolutions by cuDNN: planned once, then queued.
//
// The library's filters are [out, taps..., in] beside images whose channels are
// last, [out, in, taps...] beside those whose channels are first; TensorFlow's
// are [taps..., in, out]. Whoever calls this brings the filter into order, and
// makes the padding the same at both ends of each axis.
//
// Only algorithms that give the same bits in every run are used. TF32 may be
// turned on and off between runs: there is a way for either.
//
// Threads: thread-safe. A plan is immutable, but for its choice, which a lock
// guards: several runs may use it at once.
#ifndef BERTH_CUDA_CODE_DNN_H_
#define BERTH_CUDA_CODE_DNN_H_

#include "cuda/card/context.h"
#include "cuda/card/cudnn.h"
#include "cuda/code/dnn_choice.h"
#include "kernel/kernel.h"
#include "op/conv.h"

// Exact, and with floats rounded to TF32; 16-bit numbers have one way.
enum { BERTH_DNN_WAYS = 2 };

// The library's description of a convolution: objects on the host, which belong
// to no context.
typedef struct berth_dnn_objects {
  cudnnTensorDescriptor_t image, output;
  cudnnFilterDescriptor_t filter;
  cudnnConvolutionDescriptor_t ways[BERTH_DNN_WAYS];
  // Of outputs of floats, to finish them; else NULL.
  cudnnTensorDescriptor_t bias;
  cudnnActivationDescriptor_t plain, relu;
} berth_dnn_objects_t;

// How the library computes a convolution. Outlives resets of the card, but for
// its choice.
typedef struct berth_dnn_plan {
  berth_cuda_card_t *card;  // Borrowed; lives as long as the process.
  berth_conv_goal_t goal;
  bool has_tf32;                   // It makes a difference here.
  berth_dnn_objects_t objects;     // Owned by the arena of the kernel's plan.
  int algorithms[BERTH_DNN_WAYS];  // -1: there is none.
  uint64_t workspaces[BERTH_DNN_WAYS];
  // Of the precision |choice_way|, used before algorithms; belongs to the
  // context of this generation. NULL: there is none.
  berth_dnn_choice_t *choice;
  int choice_way;
  uint64_t generation;
} berth_dnn_plan_t;

// What is convolved. The one that |goal| names is written.
typedef struct berth_dnn_operands {
  void *image, *filter, *output;
  void *workspace;
  // What is added to the output: a number for each channel, and as many as it
  // has, or NULL. Without |bias| it stays as it is.
  const void *bias, *added;
  bool is_relu;  // What is below zero then becomes zero; a NaN stays.
} berth_dnn_operands_t;

// What addresses must be multiples of, and the workspace's.
enum { BERTH_DNN_ALIGNMENT = 16, BERTH_DNN_ROOM_ALIGNMENT = 256 };

// Plans in |*out_plan|, which lies in the plan of |prepare|, how |conv| is
// computed on its device; it has something to sum up, and is padded evenly.
// Starts the device, and opens the library, where that was not done.
//
// Fails with BERTH_UNAVAILABLE without the library and BERTH_UNIMPLEMENTED when
// it has nothing for this convolution: then another kernel has to do it.
BERTH_NODISCARD berth_code_t berth_dnn_prepare(berth_prepare_t *prepare,
                                               const berth_conv_t *conv,
                                               berth_dnn_plan_t *out_plan,
                                               berth_error_t *err);

// Returns the bytes of workspace that |plan| may need.
uint64_t berth_dnn_room(const berth_dnn_plan_t *plan);

// True when |plan| has a way for the precision that is wanted now.
bool berth_dnn_is_ready(const berth_dnn_plan_t *plan);

// True when it can finish outputs: operands may have a |bias|.
bool berth_dnn_can_finish(const berth_dnn_plan_t *plan);

// Queues the convolution on the stream of |call|; |plan| is ready and addresses
// are aligned. Fails as the library does, with |call->err| described, and as
// berth_cuda_bind() does.
BERTH_NODISCARD berth_code_t berth_dnn_run(const berth_dnn_plan_t *plan,
                                           const berth_dnn_operands_t *at,
                                           berth_call_t *call);

// Destroys the handle of |card|, whose context is bound and about to be closed.
// The next convolution makes another.
void berth_dnn_forget(const berth_cuda_card_t *card);

#endif  // BERTH_CUDA_CODE_DNN_H_
