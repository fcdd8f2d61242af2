// choice.h - How a node runs on a type of device: which kernel, on what memory.
//
// What TensorFlow registers for a GPU says which arguments live in host memory.
// Where all of them do (most int32 arithmetic) the node is placed on the GPU
// and run by the CPU's kernel; so is one that looks at shapes alone, and one
// that TensorFlow registers for any device where Berth has no kernel for this
// one (a queue, a placeholder).
//
// Pure functions over the registry of kernels.
#ifndef BERTH_KERNEL_CHOICE_H_
#define BERTH_KERNEL_CHOICE_H_

#include "kernel/kernel.h"

// How one node runs. Plain data; what it points to is constant.
typedef struct berth_choice {
  const berth_kernel_t *kernel;  // NULL: there is none.
  bool on_host;      // It runs in the calling thread, on host memory.
  bool shapes_only;  // It never looks at what its inputs hold.
  // On a device with memory of its own; else NULL. Borrowed.
  const berth_registration_t *registration;
} berth_choice_t;

// Chooses for |node| of |graph| on devices of |backend|; the reason goes to
// |why| (which may be NULL) when there is no kernel. Never fails: |kernel| is
// NULL then, and who runs the node says so.
berth_choice_t berth_kernel_choose(const berth_backend_t *backend,
                                   const berth_graph_t *graph,
                                   const berth_node_t *node, berth_str_t *why);

// True when input or output |index| of |node| lives in host memory: where the
// whole step does, for types that cannot leave it, and where TensorFlow
// registers the argument so.
bool berth_choice_input_on_host(const berth_choice_t *choice,
                                const berth_graph_t *graph,
                                const berth_node_t *node, int index);
bool berth_choice_output_on_host(const berth_choice_t *choice,
                                 const berth_node_t *node, int index);

#endif  // BERTH_KERNEL_CHOICE_H_
