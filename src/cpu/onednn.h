// onednn.h - oneDNN, where it is installed.
//
// The library is opened when a heavy step first asks for it, and never needed:
// without it Berth's own loops do the work. It is looked for where the loader
// does, and where Python's package of it (onednn-cpu-gomp) is installed.
// Versions 2 and 3 are used through the functions that both have. BERTH_ONEDNN=0 in the environment leaves it
// unopened.
//
// oneDNN is called by one thread for each piece of work and must not start
// threads of its own; see docs/decisions/0003-onednn-one-thread-each.md. It is
// written in C++, and throws when memory is short: every call is guarded
// (base/guard.h), and where that cannot be done the library is not used. The
// code it makes for itself is made at once, while there is memory enough.
//
// Thread-safe.
#ifndef BERTH_CPU_ONEDNN_H_
#define BERTH_CPU_ONEDNN_H_

#include <stdbool.h>

#include "cpu/loops/gemm.h"

// True when oneDNN can be used; opens it at the first call, and says once on
// the topic "kernel" what came of it. Where memory is short it is tried again
// by the next call.
bool berth_onednn_ready(void);

// Returns the name of the file that was opened, or NULL. Never opens it.
const char *berth_onednn_name(void);

typedef enum berth_onednn_result {
  BERTH_ONEDNN_DONE,
  BERTH_ONEDNN_NO_MEMORY,
  BERTH_ONEDNN_REFUSED,  // It does not do this, or the process is about to end
                         // (base/visit.h): own loops can.
} berth_onednn_result_t;

// Computes |gemm| of floats, both of whose inputs have a stride of one, on the
// calling thread. Unless it is done |c| is unspecified. Fault point "onednn".
berth_onednn_result_t berth_onednn_sgemm(const berth_gemm_t *gemm,
                                         const float *a, const float *b,
                                         float *c);

#endif  // BERTH_CPU_ONEDNN_H_
