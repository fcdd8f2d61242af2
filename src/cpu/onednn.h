// onednn.h - oneDNN, where it is installed.
//
// The library is opened when a heavy step first asks for it, and never needed:
// without it Berth's own loops do the work. Versions 2 and 3 are used through
// the functions that both have. BERTH_ONEDNN=0 in the environment leaves it
// unopened.
//
// oneDNN is called by one thread for each piece of work and must not start
// threads of its own; see docs/decisions/0003-onednn-one-thread-each.md.
//
// Thread-safe.
#ifndef BERTH_CPU_ONEDNN_H_
#define BERTH_CPU_ONEDNN_H_

#include <stdbool.h>

#include "cpu/gemm.h"

// True when oneDNN can be used; opens it at the first call, and says once on
// the topic "kernel" what came of it.
bool berth_onednn_ready(void);

// Returns the name of the file that was opened, or NULL. Never opens it.
const char *berth_onednn_name(void);

// Computes |gemm| of floats, both of whose inputs have a stride of one, on the
// calling thread. False when oneDNN refuses, and when the process is about to
// end (base/visit.h); |c| is then unspecified.
bool berth_onednn_sgemm(const berth_gemm_t *gemm, const float *a,
                        const float *b, float *c);

#endif  // BERTH_CPU_ONEDNN_H_
