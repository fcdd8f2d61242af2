// nccl.c - NCCL's collectives between the cards of one process.
//
// A gang is what ncclCommInitAll() makes: a communicator for each card. The
// n-th call of each of them is one round, whatever thread it comes from, and
// its work in one stream waits for the work of all the others:
//
//   stream 0   arrive ── wait for all ── compute ── read ── wait ── write
//   stream 1   arrive ── wait for all ── compute ── read ── wait ── write
//
// So calls that come in different orders hold streams up for ever, as they do
// on cards. Nobody writes before everybody has read: a call may be in place.
// Sums go over the ranks in order, so that results are always the same.
#include "softgpu/nccl.h"

#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "softgpu/capture.h"
#include "softgpu/context.h"
#include "softgpu/exports.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"

enum { NCCL_VERSION = 22705, MOST_RANKS = 64, MOST_CALLS = 256 };

// One call of each rank.
typedef struct round {
  berth_soft_collective_t what;
  uint32_t number;  // How many came before.
  int joined;       // Ranks whose call has come.
  atomic_int references;
  berth_soft_mark_t *marks[2 * MOST_RANKS];  // Arrived; have read.
  struct round *next;
} round_t;

typedef struct gang {
  int size;
  atomic_int references;
  berth_mutex_t lock;  // Guards what follows.
  round_t *open;       // Rounds that some rank has not joined yet.
} gang_t;

struct ncclComm {
  gang_t *gang;
  int rank;
  CUcontext context;
  unsigned generation;  // Of the context.
  uint32_t calls;       // So far.
};

// ---- Rounds ----

static void round_release(round_t *round) {
  if (atomic_fetch_sub(&round->references, 1) > 1) return;
  for (int i = 0; i < 2 * MOST_RANKS; ++i) {
    if (round->marks[i] != NULL) berth_soft_mark_release(round->marks[i]);
  }
  berth_free(round);
}

// Returns a round of |what|, with a reference for each rank; NULL: no memory.
static round_t *round_create(const berth_soft_collective_t *what,
                             uint32_t number) {
  round_t *round = berth_calloc(1, sizeof(*round));
  if (round == NULL) return NULL;
  round->what = *what;
  round->number = number;
  atomic_store(&round->references, 1);
  for (int i = 0; i < what->ranks; ++i) {
    round->marks[i] = berth_soft_mark_create();
    round->marks[MOST_RANKS + i] = berth_soft_mark_create();
    if (round->marks[i] == NULL || round->marks[MOST_RANKS + i] == NULL) {
      round_release(round);
      return NULL;
    }
  }
  atomic_store(&round->references, what->ranks);
  return round;
}

// Reaches the mark of |rank| among |marks| and waits for those of all others.
static void meet(CUstream stream, berth_soft_mark_t **marks, int ranks,
                 int rank) {
  berth_soft_mark_reach(marks[rank]);
  berth_soft_stream_hold(stream, true);
  for (int i = 0; i < ranks; ++i) berth_soft_mark_wait(marks[i]);
  berth_soft_stream_hold(stream, false);
}

typedef struct round_payload {
  round_t *round;
  int rank;
} round_payload_t;

static void run_round(CUstream stream, const void *payload) {
  const round_payload_t *own = payload;
  round_t *round = own->round;
  bool is_faulty = atomic_load_explicit(&stream->object.context->fault,
                                        memory_order_relaxed) != CUDA_SUCCESS;
  size_t size = berth_soft_collective_size(&round->what);
  void *result = is_faulty ? NULL : berth_alloc(size + 1);
  meet(stream, round->marks, round->what.ranks, own->rank);
  if (result != NULL) berth_soft_collective_run(&round->what, result);
  meet(stream, round->marks + MOST_RANKS, round->what.ranks, own->rank);
  if (result != NULL) memcpy(round->what.to[own->rank], result, size);
  if (result == NULL && !is_faulty) berth_soft_trap(CUDA_ERROR_LAUNCH_FAILED);
  berth_free(result);
}

static void drop_round(const void *payload) {
  round_release(((const round_payload_t *)payload)->round);
}

// After a fault it is done without touching memory: the others go on.
static const berth_soft_work_kind_t round_kind = {"collective", run_round,
                                                  drop_round, true};

// ---- Communicators ----

const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
#define X(name, number, text) \
  case name:                  \
    return text;
    BERTH_NCCL_RESULTS(X)
#undef X
  }
  return "unknown result code";
}

ncclResult_t ncclGetVersion(int *version) {
  if (version == NULL) return ncclInvalidArgument;
  *version = NCCL_VERSION;
  return ncclSuccess;
}

static void gang_release(gang_t *gang) {
  if (atomic_fetch_sub(&gang->references, 1) > 1) return;
  while (gang->open != NULL) {
    round_t *round = gang->open;
    gang->open = round->next;
    // Ranks that never came hold no reference of their own.
    int missing = round->what.ranks - round->joined;
    atomic_fetch_sub(&round->references, missing - 1);
    round_release(round);
  }
  berth_mutex_deinit(&gang->lock);
  berth_free(gang);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (comm == NULL) return ncclSuccess;
  gang_release(comm->gang);
  berth_free(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) { return ncclCommDestroy(comm); }

static ncclComm_t comm_create(gang_t *gang, int rank, CUcontext context) {
  ncclComm_t comm = berth_calloc(1, sizeof(*comm));
  if (comm == NULL) return NULL;
  atomic_fetch_add(&gang->references, 1);
  *comm = (struct ncclComm){.gang = gang,
                            .rank = rank,
                            .context = context,
                            .generation = atomic_load(&context->generation)};
  return comm;
}

// Finds the contexts of |devices|: open, and no card twice.
static ncclResult_t find_contexts(int count, const int *devices,
                                  CUcontext *contexts) {
  for (int i = 0; i < count; ++i) {
    int device = devices != NULL ? devices[i] : i;
    if (berth_soft_context_of(device, &contexts[i]) != CUDA_SUCCESS) {
      return ncclInvalidArgument;
    }
    if (berth_soft_context_check(contexts[i]) != CUDA_SUCCESS) {
      return ncclUnhandledCudaError;
    }
    for (int k = 0; k < i; ++k) {
      if (contexts[k] == contexts[i]) return ncclInvalidUsage;
    }
  }
  return ncclSuccess;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices) {
  CUcontext contexts[MOST_RANKS];
  if (comms == NULL || count < 1 || count > MOST_RANKS) {
    return ncclInvalidArgument;
  }
  ncclResult_t result = find_contexts(count, devices, contexts);
  if (result != ncclSuccess) return result;
  gang_t *gang = berth_calloc(1, sizeof(*gang));
  if (gang == NULL) return ncclSystemError;
  gang->size = count;
  atomic_store(&gang->references, 1);
  berth_mutex_init(&gang->lock);
  for (int i = 0; i < count; ++i) {
    comms[i] = comm_create(gang, i, contexts[i]);
    if (comms[i] == NULL) result = ncclSystemError;
  }
  for (int i = 0; result != ncclSuccess && i < count; ++i) {
    (void)ncclCommDestroy(comms[i]);
    comms[i] = NULL;
  }
  gang_release(gang);
  return result;
}

// ---- Groups ----

// A call that waits for the end of its group.
typedef struct call {
  berth_soft_collective_t what;  // Of its rank alone: |from[0]|, |to[0]|.
  ncclComm_t comm;
  CUstream stream;
} call_t;

static BERTH_THREAD_LOCAL int depth = 0;
static BERTH_THREAD_LOCAL int call_count = 0;
static BERTH_THREAD_LOCAL call_t *calls = NULL;  // Freed with the group.

static bool are_alike(const berth_soft_collective_t *a,
                      const berth_soft_collective_t *b) {
  return a->kind == b->kind && a->type == b->type && a->op == b->op &&
         a->count == b->count && a->root == b->root;
}

// Finds the round that the next call of |comm| belongs to, or makes it; the
// gang's lock is held.
static ncclResult_t round_find(ncclComm_t comm,
                               const berth_soft_collective_t *what,
                               round_t **out_round) {
  gang_t *gang = comm->gang;
  round_t **link = &gang->open;
  while (*link != NULL && (*link)->number != comm->calls) link = &(*link)->next;
  if (*link == NULL) *link = round_create(what, comm->calls);
  if (*link == NULL) return ncclSystemError;
  // A real one would hang, or mix values up.
  if (!are_alike(&(*link)->what, what)) return ncclInvalidUsage;
  *out_round = *link;
  return ncclSuccess;
}

// Takes |round|, which all ranks have joined, off the list; lock held.
static void round_close(gang_t *gang, round_t *round) {
  round_t **link = &gang->open;
  while (*link != round) link = &(*link)->next;
  *link = round->next;
}

static ncclResult_t submit(const call_t *call) {
  ncclComm_t comm = call->comm;
  round_payload_t own = {NULL, comm->rank};
  berth_mutex_lock(&comm->gang->lock);
  ncclResult_t result = round_find(comm, &call->what, &own.round);
  if (result == ncclSuccess) {
    own.round->what.from[comm->rank] = call->what.from[0];
    own.round->what.to[comm->rank] = call->what.to[0];
    ++comm->calls;
    if (++own.round->joined == comm->gang->size) {
      round_close(comm->gang, own.round);
    }
  }
  berth_mutex_unlock(&comm->gang->lock);
  if (result != ncclSuccess) return result;
  if (berth_soft_submit(call->stream, &round_kind, &own, sizeof(own)) ==
      CUDA_SUCCESS) {
    return ncclSuccess;
  }
  // The others do not wait for what will never come.
  berth_soft_mark_reach(own.round->marks[own.rank]);
  berth_soft_mark_reach(own.round->marks[MOST_RANKS + own.rank]);
  round_release(own.round);
  return ncclUnhandledCudaError;
}

ncclResult_t ncclGroupStart(void) {
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
  if (depth == 0) return ncclInvalidUsage;
  if (--depth > 0) return ncclSuccess;
  ncclResult_t result = ncclSuccess;
  for (int i = 0; i < call_count && result == ncclSuccess; ++i) {
    result = submit(&calls[i]);
  }
  berth_free(calls);
  calls = NULL;
  call_count = 0;
  return result;
}

// True when |comm| was made from a context that is still open.
static bool is_live(ncclComm_t comm) {
  return berth_soft_context_check(comm->context) == CUDA_SUCCESS &&
         atomic_load(&comm->context->generation) == comm->generation;
}

static bool is_reachable(const void *memory, size_t size) {
  return size == 0 ||
         berth_soft_space_covers((uintptr_t)memory, size, BERTH_SOFT_ANY);
}

// Keeps a call until its group ends. One thread that works for several cards
// and leaves the group out would wait for ever: that is an error here.
static ncclResult_t call_add(const berth_soft_collective_t *what,
                             ncclComm_t comm, CUstream stream) {
  if (comm == NULL || what->type < ncclInt8 || what->type > ncclBfloat16) {
    return ncclInvalidArgument;
  }
  call_t call = {.what = *what, .comm = comm};
  call.what.ranks = comm->gang->size;
  size_t sent = call.what.count * berth_soft_nccl_size(what->type);
  if (depth == 0 || !is_live(comm)) return ncclInvalidUsage;
  if (berth_soft_stream_find(stream, &call.stream) != CUDA_SUCCESS ||
      call.stream->object.context != comm->context ||
      berth_soft_capture_status(call.stream) != CU_STREAM_CAPTURE_STATUS_NONE) {
    return ncclInvalidUsage;
  }
  if (!is_reachable(what->from[0], sent) ||
      !is_reachable(what->to[0], berth_soft_collective_size(&call.what))) {
    return ncclInvalidArgument;
  }
  if (calls == NULL) calls = berth_calloc(MOST_CALLS, sizeof(*calls));
  if (calls == NULL || call_count == MOST_CALLS) return ncclSystemError;
  calls[call_count++] = call;
  return ncclSuccess;
}

// ---- Calls ----

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           CUstream stream) {
  if (op < ncclSum || op > ncclAvg) return ncclInvalidArgument;
  berth_soft_collective_t what = {.kind = BERTH_SOFT_ALL_REDUCE,
                                  .type = type,
                                  .op = op,
                                  .count = count,
                                  .from = {from},
                                  .to = {to}};
  return call_add(&what, comm, stream);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           CUstream stream) {
  if (comm == NULL || root < 0 || root >= comm->gang->size) {
    return ncclInvalidArgument;
  }
  // Only the root's memory is read.
  berth_soft_collective_t what = {.kind = BERTH_SOFT_BROADCAST,
                                  .type = type,
                                  .root = root,
                                  .count = count,
                                  .from = {comm->rank == root ? from : to},
                                  .to = {to}};
  return call_add(&what, comm, stream);
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           CUstream stream) {
  berth_soft_collective_t what = {.kind = BERTH_SOFT_ALL_GATHER,
                                  .type = type,
                                  .count = count,
                                  .from = {from},
                                  .to = {to}};
  return call_add(&what, comm, stream);
}
