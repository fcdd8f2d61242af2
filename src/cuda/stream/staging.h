// staging.h - Copies of pageable host memory, through pinned memory in pieces.
//
// While the card copies one piece the host fills or empties the next, with
// several threads, which is faster than what the driver does by itself.
//
// Threads: thread-safe; one copy at a time per stream.
#ifndef BERTH_CUDA_STREAM_STAGING_H_
#define BERTH_CUDA_STREAM_STAGING_H_

#include "cuda/stream/device_internal.h"

// Smaller copies are the driver's business.
#define BERTH_STAGING_LEAST ((size_t)64 << 10)

// Queues a copy of |size| bytes to the card. Done with |from| when it returns.
//
// BERTH_RESOURCE_EXHAUSTED, and nothing queued, when there is no pinned memory.
// BERTH_CANCELLED, and some of it queued, when the scope of the thread
// (base/parallel.h) says to stop.
BERTH_NODISCARD berth_code_t berth_staging_copy_in(berth_cuda_stream_t *stream,
                                                   void *to, const void *from,
                                                   size_t size,
                                                   berth_error_t *err);

// Copies |size| bytes to the host after what is queued on |stream|. Done when
// it returns. BERTH_RESOURCE_EXHAUSTED and BERTH_CANCELLED as above; |to| is
// the caller's again then.
BERTH_NODISCARD berth_code_t berth_staging_copy_out(berth_cuda_stream_t *stream,
                                                    void *to, const void *from,
                                                    size_t size,
                                                    berth_error_t *err);

// Frees what |stream| keeps for staging. Its work is done; the context is bound
// if |is_bound|, and otherwise gone.
void berth_staging_free(berth_cuda_stream_t *stream, bool is_bound);

#endif  // BERTH_CUDA_STREAM_STAGING_H_
