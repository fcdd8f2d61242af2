// collective.c - Values of several cards put together by NCCL.
#include "cuda/stream/collective.h"

#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "cuda/card/admit.h"
#include "cuda/card/nccl.h"
#include "cuda/stream/device_internal.h"

enum { MOST_CARDS = 64 };

// The cards that work together, in this order.
typedef struct communicator {
  int count;
  struct {
    berth_cuda_card_t *card;
    uint64_t generation;  // Of the card when it was made.
    ncclComm_t comm;
  } ranks[MOST_CARDS];
  struct communicator *next;
} communicator_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows. I1
BERTH_FORK_HOLDS(lock, BERTH_FORK_HANDLE)
static communicator_t *communicators = NULL;
static berth_cuda_stream_t *channels[MOST_CARDS];  // By card; never freed.

static berth_cuda_card_t *card_of(const berth_cuda_rank_t *rank) {
  return ((berth_cuda_device_t *)rank->device)->card;
}

bool berth_cuda_collective_is_direct(const berth_cuda_rank_t *ranks,
                                     int count) {
  for (int i = 0; i < count; ++i) {
    if (card_of(&ranks[i])->index >= MOST_CARDS) return false;
    for (int k = 0; k < i; ++k) {
      if (card_of(&ranks[k]) == card_of(&ranks[i])) return false;
    }
  }
  return count <= MOST_CARDS && berth_nccl_open(NULL) == BERTH_OK;
}

// ---- Communicators; the lock is held ----

static bool is_of(const communicator_t *c, const berth_cuda_rank_t *ranks,
                  int count) {
  if (c->count != count) return false;
  for (int i = 0; i < count; ++i) {
    if (c->ranks[i].card != card_of(&ranks[i]) ||
        c->ranks[i].generation != atomic_load(&c->ranks[i].card->live)) {
      return false;
    }
  }
  return true;
}

static void communicator_free(communicator_t *c) {
  for (int i = 0; i < c->count; ++i) {
    if (c->ranks[i].comm == NULL) continue;
    (void)BERTH_NCCL(ncclCommAbort, c->ranks[i].comm);
  }
  berth_free(c);
}

// The library takes memory of every card.
static berth_code_t communicator_open(communicator_t *c, berth_error_t *err) {
  int devices[MOST_CARDS];
  ncclComm_t comms[MOST_CARDS] = {NULL};
  berth_cuda_act_t acts[MOST_CARDS];
  int admitted = 0;
  berth_code_t code = BERTH_OK;
  for (; code == BERTH_OK && admitted < c->count; ++admitted) {
    devices[admitted] = c->ranks[admitted].card->index;
    code = berth_cuda_admit(c->ranks[admitted].card, BERTH_COST_LIBRARY,
                            &acts[admitted], err);
    if (code != BERTH_OK) break;
  }
  if (code == BERTH_OK) {
    code = berth_nccl_check(
        err, BERTH_NCCL(ncclCommInitAll, comms, c->count, devices),
        "ncclCommInitAll");
  }
  while (admitted > 0) berth_cuda_admitted(&acts[--admitted]);
  for (int i = 0; i < c->count; ++i) c->ranks[i].comm = comms[i];
  return code;
}

static berth_code_t communicator_get(const berth_cuda_rank_t *ranks, int count,
                                     communicator_t **out_communicator,
                                     berth_error_t *err) {
  for (communicator_t *c = communicators; c != NULL; c = c->next) {
    if (!is_of(c, ranks, count)) continue;
    *out_communicator = c;
    return BERTH_OK;
  }
  communicator_t *made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return berth_error_no_memory(err, "a communicator");
  made->count = count;
  for (int i = 0; i < count; ++i) {
    made->ranks[i].card = card_of(&ranks[i]);
    made->ranks[i].generation = atomic_load(&made->ranks[i].card->live);
  }
  berth_code_t code = communicator_open(made, err);
  if (code != BERTH_OK) {
    berth_free(made);
    return code;
  }
  made->next = communicators;
  communicators = made;
  *out_communicator = made;
  return BERTH_OK;
}

// ---- Streams; the lock is held ----

// Finds the stream of the collectives of |rank|'s card, or makes it.
static berth_code_t channel_get(const berth_cuda_rank_t *rank,
                                berth_cuda_stream_t **out_channel,
                                berth_error_t *err) {
  berth_cuda_card_t *card = card_of(rank);
  berth_cuda_stream_t **channel = &channels[card->index];
  if (*channel == NULL) {
    *channel = berth_calloc(1, sizeof(**channel));
    if (*channel == NULL) return berth_error_no_memory(err, "a stream");
    berth_cuda_stream_init(*channel, card);
  }
  (*channel)->base.device = rank->device;
  *out_channel = *channel;
  if (atomic_load(&(*channel)->generation) == atomic_load(&card->live) &&
      atomic_load(&card->live) != 0) {
    return BERTH_OK;
  }
  BERTH_TRY(berth_cuda_bind(card, err));
  return berth_cuda_stream_open(*channel, 0, err);
}

// ---- Queueing; the lock is held ----

static ncclDataType_t type_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_HALF:
      return ncclFloat16;
    case BERTH_BFLOAT16:
      return ncclBfloat16;
    case BERTH_DOUBLE:
      return ncclFloat64;
    case BERTH_INT32:
      return ncclInt32;
    case BERTH_INT64:
      return ncclInt64;
    default:
      return ncclFloat32;
  }
}

static ncclResult_t queue_one(const berth_cuda_collective_t *what,
                              const berth_cuda_rank_t *rank, ncclComm_t comm,
                              CUstream stream) {
  static const ncclRedOp_t ops[] = {ncclSum, ncclProd, ncclMax, ncclMin};
  ncclDataType_t type = type_of(what->dtype);
  size_t count = (size_t)what->count;
  switch (what->kind) {
    case BERTH_CUDA_BROADCAST:
      return BERTH_NCCL(ncclBroadcast, rank->from, rank->to, count, type,
                        what->root, comm, stream);
    case BERTH_CUDA_GATHER:
      return BERTH_NCCL(ncclAllGather, rank->from, rank->to, count, type, comm,
                        stream);
    default:
      return BERTH_NCCL(ncclAllReduce, rank->from, rank->to, count, type,
                        ops[what->how], comm, stream);
  }
}

// Queues the calls of all ranks as one. The library may leave another context
// current than it found.
static berth_code_t queue_group(const berth_cuda_collective_t *what,
                                const berth_cuda_rank_t *ranks,
                                const communicator_t *c, berth_error_t *err) {
  CUcontext current = NULL;
  (void)BERTH_CU(cuCtxGetCurrent, &current);
  const char *call = "ncclGroupStart";
  ncclResult_t result = BERTH_NCCL(ncclGroupStart, );
  if (result == ncclSuccess) {
    for (int i = 0; result == ncclSuccess && i < c->count; ++i) {
      call = "a collective";
      result = queue_one(what, &ranks[i], c->ranks[i].comm,
                         channels[c->ranks[i].card->index]->native);
    }
    ncclResult_t ended = berth_nccl_api.ncclGroupEnd();
    if (result == ncclSuccess) {
      call = "ncclGroupEnd";
      result = ended;
    }
  }
  (void)BERTH_CU(cuCtxSetCurrent, current);
  return berth_nccl_check(err, result, call);
}

static berth_code_t queue(const berth_cuda_collective_t *what,
                          berth_cuda_rank_t *ranks, int count,
                          berth_error_t *err) {
  communicator_t *c = NULL;
  berth_cuda_stream_t *channel = NULL;
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(channel_get(&ranks[i], &channel, err));
    BERTH_TRY(berth_cuda_event_wait(&channel->base, ranks[i].ready, err));
  }
  BERTH_TRY(communicator_get(ranks, count, &c, err));
  BERTH_TRY(queue_group(what, ranks, c, err));
  for (int i = 0; i < count; ++i) {
    channel = channels[card_of(&ranks[i])->index];
    BERTH_TRY(berth_cuda_event_record(&channel->base, ranks[i].over, err));
  }
  return BERTH_OK;
}

berth_code_t berth_cuda_collective_queue(const berth_cuda_collective_t *what,
                                         berth_cuda_rank_t *ranks, int count,
                                         berth_error_t *err) {
  berth_mutex_lock(&lock);  // I1
  berth_code_t code = queue(what, ranks, count, err);
  berth_mutex_unlock(&lock);
  return code;
}

void berth_cuda_collective_forget(berth_cuda_card_t *card) {
  berth_mutex_lock(&lock);
  communicator_t **link = &communicators;
  while (*link != NULL) {
    communicator_t *c = *link;
    bool has = false;
    for (int i = 0; i < c->count; ++i) has |= c->ranks[i].card == card;
    if (!has) {
      link = &c->next;
      continue;
    }
    *link = c->next;
    communicator_free(c);
  }
  if (card->index < MOST_CARDS && channels[card->index] != NULL) {
    berth_cuda_stream_close(channels[card->index]);
  }
  berth_mutex_unlock(&lock);
}
