// collective.h - Values of several cards put together by NCCL.
//
// A communicator joins a set of cards; it is made when that set first works
// together, and kept. Collectives have a stream of their own on each card, so
// that kernels go on meanwhile; events are all that leads from and to other
// streams:
//
//   card 0  compute     ──[ kernels ]─ ready ──[ kernels ]────── over ──[ … ]
//   card 0  collectives ────────────────└─[ all-reduce ]───────────┘
//   card 1  collectives ────────────────┌─[ all-reduce ]───────────┐
//   card 1  compute     ──[ kernels ]─ ready ──[ kernels ]────── over ──[ … ]
//
//   I1  One lock is held while a collective is queued on all of its cards, and
//       for nothing else are these streams used. So all cards get all
//       collectives in one order, whichever communicators and threads they
//       come from, and none waits for another that waits for it.
//   I2  What a collective waits for was queued before it.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_STREAM_COLLECTIVE_H_
#define BERTH_CUDA_STREAM_COLLECTIVE_H_

#include "device/stream.h"
#include "kernel/unite.h"

typedef struct berth_cuda_card berth_cuda_card_t;

typedef enum berth_cuda_collective_kind {
  BERTH_CUDA_REDUCE = 0,  // Everybody gets what all have, put together.
  BERTH_CUDA_BROADCAST,   // Everybody gets what |root| has.
  BERTH_CUDA_GATHER       // Everybody gets what all have, in their order.
} berth_cuda_collective_kind_t;

typedef struct berth_cuda_collective {
  berth_cuda_collective_kind_t kind;
  berth_unite_t how;
  int root;
  berth_dtype_t dtype;
  int64_t count;  // Elements that each one gives.
} berth_cuda_collective_t;

// What one card has to do with it.
typedef struct berth_cuda_rank {
  berth_device_t *device;
  const void *from;
  void *to;
  berth_event_t *ready;  // Recorded: |from| is there, |to| may be written.
  berth_event_t *over;   // Recorded here: behind all that.
} berth_cuda_rank_t;

// True when NCCL can do it: every one of |ranks| is on a card of its own, and
// the library is there. Otherwise it goes through the host.
bool berth_cuda_collective_is_direct(const berth_cuda_rank_t *ranks, int count);

// Queues |what| on the cards of |ranks|, at most 64 and in the order of their
// values, which are started and held. BERTH_INTERNAL with what NCCL says; else
// as stream operations fail.
BERTH_NODISCARD berth_code_t berth_cuda_collective_queue(
    const berth_cuda_collective_t *what, berth_cuda_rank_t *ranks, int count,
    berth_error_t *err);

// Gives up every communicator that |card| is part of, and its stream: the
// context is about to go, and nobody uses the card.
void berth_cuda_collective_forget(berth_cuda_card_t *card);

#endif  // BERTH_CUDA_STREAM_COLLECTIVE_H_
