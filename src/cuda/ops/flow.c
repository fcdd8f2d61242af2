// flow.c - Conditionals and loops over values in a card's memory.
//
// Nothing runs on the card: the walk of a program (exec/flow_run.c) hands
// tensors on wherever they are.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"

#define FLOW(name) \
  { .op = name, .prepare = berth_cuda_prepare_as_cpu }

const berth_kernel_t berth_cuda_flow_kernels[] = {
    FLOW("Switch"), FLOW("Merge"),         FLOW("Enter"),
    FLOW("Exit"),   FLOW("NextIteration"), {.op = NULL},
};
