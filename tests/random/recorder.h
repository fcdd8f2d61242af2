// recorder.h - Checks that streams are ordered wherever they use one memory.
//
// The recorder stands between Berth and the driver, in the tables of symbols,
// and between pools and those who ask them for memory (the linker's --wrap). It
// sees everything that any door queues: launches, copies, fills, products,
// recordings, events, waits; and every buffer that comes and goes. Nothing has
// to go wrong for a missing order to be found: it is worked out with clocks.
//
//   actors    every stream; all threads of the host as one
//   clocks    what an actor knows: a number of works for each stream
//
//   queue     the stream learns what the host knows, and counts one work
//   record    the event gets the stream's clock; a wait gives it on
//   sync      the host learns the clock of the stream or event; so does a
//             query that says "done"
//
// What is checked:
//
//   reuse     a buffer gets the bytes of one that was dropped: whoever uses the
//             new one knows every work that used the old one
//   writing   a copy or fill writes bytes: it knows whoever used them last, and
//             whoever uses them next knows it
//
// A launch uses the buffers that its arguments point into, at these addresses;
// how many bytes from there on is not known. What is first used in a buffer of
// a card by a launch is taken for written by it: there was nothing to read.
// Later launches within one buffer are not compared with each other: gpu/order
// does that for layouts. The host as one actor means that an order between
// threads is taken for granted: that is what the thread sanitizer is for, and
// under it there is no recorder, whose lock would order everything.
//
// A wait, by a stream or by the host, may be left out of the clocks (not of the
// program): where it was needed, that must show as a race.
#ifndef BERTH_TESTS_RANDOM_RECORDER_H_
#define BERTH_TESTS_RANDOM_RECORDER_H_

#include <pthread.h>
#include <stdint.h>

#include "cuda/card/cublaslt.h"
#include "cuda/card/driver.h"
#include "harness.h"
#include "memory/pool.h"

enum {
  MOST_ACTORS = 64,  // Streams of all cards, those of recordings included.
  MOST_EVENTS = 1 << 16,
  MOST_SPANS = 1 << 15,
  MOST_GRAPHS = 4096,
  MOST_USES = 96,    // Of one work.
  MOST_MADE = 12,    // Uses that are remembered of one buffer.
  MOST_PLACES = 64,  // Addresses in one buffer that were used.
  MOST_ZONES = 256,
  NOT_LEFT_OUT = -1,
};

typedef struct tally {
  uint32_t works[MOST_ACTORS];
} tally_t;

typedef enum use_kind { USE_TOUCH, USE_READ, USE_WRITE } use_kind_t;

typedef struct use {
  uintptr_t begin, end;
  use_kind_t kind;
  const void *node;  // Of a recording, where it is known by one; or NULL.
} use_t;

// A use that was made: work |stamp| of |actor|.
typedef struct made {
  use_t use;
  int actor;
  uint32_t stamp;
} made_t;

// A buffer, or one that was.
typedef struct span {
  uintptr_t begin, end;
  bool is_live;
  tally_t before;  // What used the memory when others had it.
  tally_t last;    // What has used it.
  made_t made[MOST_MADE];
  int made_count;
  bool is_device;
  uintptr_t places[MOST_PLACES];  // Where it was used.
  int place_count;
} span_t;

typedef struct stream_of {
  CUstream handle;
  tally_t clock;
  struct work_list *list;  // While it records.
} stream_of_t;

typedef struct event_of {
  CUevent handle;
  tally_t clock;
} event_of_t;

// What a recording does.
typedef struct work_list {
  const void *owner;  // A graph, or what was made of one.
  use_t *uses;
  int count, room;
  int last;  // Where those of the last work begin.
} work_list_t;

static struct {
  pthread_mutex_t lock;
  berth_cuda_api_t driver;  // The real ones.
  berth_cublaslt_api_t lt;
  tally_t host;
  stream_of_t streams[MOST_ACTORS];
  int stream_count;
  event_of_t *events;
  int event_count;
  span_t *spans;
  int span_count;
  use_t zones[MOST_ZONES];  // Addresses of cards.
  int zone_count;
  work_list_t graphs[MOST_GRAPHS];
  int graph_count;
  int64_t works, orders, reuses, writes;  // How much was seen.
  int64_t races;
  int64_t left_out;  // This order does not count; NOT_LEFT_OUT: all do.
  bool is_quiet, is_on;
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER, .left_out = NOT_LEFT_OUT};

// ---- Clocks ----

static inline void tally_join(tally_t *to, const tally_t *from) {
  for (int i = 0; i < recorder.stream_count; ++i) {
    if (from->works[i] > to->works[i]) to->works[i] = from->works[i];
  }
}

static inline int actor_of(CUstream handle) {
  int gone = -1;
  for (int i = 0; i < recorder.stream_count; ++i) {
    if (recorder.streams[i].handle == handle) return i;
    if (recorder.streams[i].handle == NULL) gone = i;
  }
  if (gone >= 0) {  // It goes on where the one before has ended.
    recorder.streams[gone].handle = handle;
    return gone;
  }
  if (recorder.stream_count == MOST_ACTORS) {
    HARNESS_FAIL("too many streams for the recorder");
    exit(1);
  }
  recorder.streams[recorder.stream_count] = (stream_of_t){.handle = handle};
  return recorder.stream_count++;
}

static inline event_of_t *event_of(CUevent handle) {
  for (int i = 0; i < recorder.event_count; ++i) {
    if (recorder.events[i].handle == handle) return &recorder.events[i];
  }
  if (recorder.event_count == MOST_EVENTS) {
    HARNESS_FAIL("too many events for the recorder");
    exit(1);
  }
  event_of_t *event = &recorder.events[recorder.event_count++];
  *event = (event_of_t){.handle = handle};
  return event;
}

// ---- Memory ----

static inline span_t *span_at(uintptr_t address) {
  for (int i = recorder.span_count - 1; i >= 0; --i) {
    span_t *span = &recorder.spans[i];
    if (span->is_live && address >= span->begin && address < span->end) {
      return span;
    }
  }
  return NULL;
}

static inline void race(const char *what, const span_t *span, int actor,
                        int other) {
  ++recorder.races;
  if (recorder.is_quiet || recorder.races > 5) return;
  HARNESS_FAIL("%s: stream %d does not wait for stream %d, %zu bytes at %p",
               what, actor, other, (size_t)(span->end - span->begin),
               (void *)span->begin);
}

// Forgets buffers that were and that nobody can meet any more.
static inline void spans_tidy(void) {
  int kept = 0;
  for (int i = 0; i < recorder.span_count; ++i) {
    const span_t *span = &recorder.spans[i];
    bool is_known = !span->is_live;
    for (int a = 0; is_known && a < recorder.stream_count; ++a) {
      is_known = span->last.works[a] <= recorder.host.works[a] &&
                 span->before.works[a] <= recorder.host.works[a];
    }
    if (!is_known) recorder.spans[kept++] = *span;
  }
  recorder.span_count = kept;
}

static inline bool is_device(uintptr_t address) {
  for (int i = 0; i < recorder.zone_count; ++i) {
    const use_t *zone = &recorder.zones[i];
    if (address >= zone->begin && address < zone->end) return true;
  }
  return false;
}

static inline void span_add(uintptr_t begin, size_t size) {
  if (recorder.span_count % 512 == 511) spans_tidy();
  if (recorder.span_count == MOST_SPANS) {
    HARNESS_FAIL("too many buffers for the recorder");
    exit(1);
  }
  span_t added = {.begin = begin,
                  .end = begin + size,
                  .is_live = true,
                  .is_device = is_device(begin)};
  for (int i = 0; i < recorder.span_count; ++i) {
    span_t *old = &recorder.spans[i];
    if (old->begin >= added.end || added.begin >= old->end) continue;
    tally_join(&added.before, &old->last);
    tally_join(&added.before, &old->before);
    if (!old->is_live) ++recorder.reuses;
  }
  recorder.spans[recorder.span_count++] = added;
}

static inline void span_drop(uintptr_t begin) {
  for (int i = recorder.span_count - 1; i >= 0; --i) {
    span_t *span = &recorder.spans[i];
    if (span->is_live && span->begin == begin) {
      span->is_live = false;
      return;
    }
  }
}

// True when the two uses of one buffer have to be ordered.
static inline bool is_conflict(const use_t *a, const use_t *b) {
  if (a->kind != USE_WRITE && b->kind != USE_WRITE) return false;
  return a->begin < b->end && b->begin < a->end;
}

// Notes that |address| is used; true when it is for the first time.
static inline bool span_is_new(span_t *span, uintptr_t address) {
  for (int i = 0; i < span->place_count; ++i) {
    if (span->places[i] == address) return false;
  }
  if (span->place_count == MOST_PLACES) return false;
  span->places[span->place_count++] = address;
  return true;
}

static inline void span_use(span_t *span, const use_t *given, int actor) {
  const tally_t *clock = &recorder.streams[actor].clock;
  use_t own = *given, *use = &own;
  if (span_is_new(span, use->begin) && use->kind == USE_TOUCH &&
      span->is_device) {
    use->kind = USE_WRITE;
  }
  for (int a = 0; a < recorder.stream_count; ++a) {
    if (a != actor && span->before.works[a] > clock->works[a]) {
      race("memory that was dropped", span, actor, a);
      span->before.works[a] = 0;  // Once is enough.
    }
  }
  for (int i = 0; i < span->made_count; ++i) {
    const made_t *made = &span->made[i];
    if (made->actor == actor || !is_conflict(&made->use, use)) continue;
    if (made->stamp > clock->works[made->actor]) {
      race(use->kind == USE_WRITE ? "what is in use is written"
                                  : "what is being written is used",
           span, actor, made->actor);
    }
  }
  span->last.works[actor] = clock->works[actor];
  recorder.writes += use->kind == USE_WRITE;
  // The oldest is forgotten; of one actor and place the latest counts.
  int at = span->made_count;
  for (int i = 0; i < span->made_count; ++i) {
    if (span->made[i].actor == actor && span->made[i].use.kind == use->kind &&
        span->made[i].use.begin == use->begin) {
      at = i;
    }
  }
  if (at == MOST_MADE) {
    memmove(span->made, span->made + 1, sizeof(made_t) * (size_t)(at - 1));
    --at;
    --span->made_count;
  }
  if (at == span->made_count) ++span->made_count;
  span->made[at] = (made_t){*use, actor, clock->works[actor]};
}

// ---- Work ----

static inline void list_add(work_list_t *list, const use_t *uses, int count) {
  if (list->count + count > list->room) {
    list->room = 2 * (list->count + count);
    list->uses = realloc(list->uses, sizeof(use_t) * (size_t)list->room);
  }
  memcpy(list->uses + list->count, uses, sizeof(use_t) * (size_t)count);
  list->last = list->count;
  list->count += count;
}

// A work is queued that makes these uses.
static inline void work_queue(CUstream handle, const use_t *uses, int count) {
  int actor = actor_of(handle);
  stream_of_t *stream = &recorder.streams[actor];
  if (stream->list != NULL) {
    list_add(stream->list, uses, count);
    return;
  }
  ++recorder.works;
  tally_join(&stream->clock, &recorder.host);
  ++stream->clock.works[actor];
  for (int i = 0; i < count; ++i) {
    span_t *span = span_at(uses[i].begin);
    if (span != NULL) span_use(span, &uses[i], actor);
  }
}

static inline void recorder_lock(void) { pthread_mutex_lock(&recorder.lock); }
static inline void recorder_unlock(void) {
  pthread_mutex_unlock(&recorder.lock);
}

static inline void work_do(CUstream handle, const use_t *uses, int count) {
  recorder_lock();
  work_queue(handle, uses, count);
  recorder_unlock();
}

static inline use_t use_of(const void *address, size_t size, use_kind_t kind) {
  uintptr_t begin = (uintptr_t)address;
  return (use_t){begin, begin + (size > 0 ? size : 1), kind, NULL};
}

// ---- The driver's functions ----

#define AS_PTR(address) ((const void *)(uintptr_t)(address))

// Finds what a kernel that is told |extra| uses: whatever address of a buffer is
// among it. The lock is held.
static inline int uses_find(void **extra, use_t *uses) {
  int count = 0;
  const char *bytes = extra != NULL ? extra[1] : NULL;
  size_t size = extra != NULL ? *(const size_t *)extra[3] : 0;
  for (size_t at = 0; at + 8 <= size && count < MOST_USES; at += 8) {
    uintptr_t word;
    memcpy(&word, bytes + at, sizeof(word));
    if (word > 4096 && span_at(word) != NULL) {
      uses[count++] = (use_t){word, word + 1, USE_TOUCH, NULL};
    }
  }
  return count;
}

static CUresult seen_launch(CUfunction function, unsigned gx, unsigned gy,
                            unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared, CUstream stream, void **params,
                            void **extra) {
  use_t uses[MOST_USES];
  recorder_lock();
  int count = uses_find(extra, uses);
  work_queue(stream, uses, count);
  recorder_unlock();
  return recorder.driver.cuLaunchKernel(function, gx, gy, gz, bx, by, bz,
                                        shared, stream, params, extra);
}

static CUresult seen_in(CUdeviceptr to, const void *from, size_t size,
                        CUstream stream) {
  use_t uses[] = {use_of(AS_PTR(to), size, USE_WRITE),
                  use_of(from, size, USE_READ)};
  work_do(stream, uses, 2);
  return recorder.driver.cuMemcpyHtoDAsync_v2(to, from, size, stream);
}

static CUresult seen_out(void *to, CUdeviceptr from, size_t size,
                         CUstream stream) {
  use_t uses[] = {use_of(to, size, USE_WRITE),
                  use_of(AS_PTR(from), size, USE_READ)};
  work_do(stream, uses, 2);
  return recorder.driver.cuMemcpyDtoHAsync_v2(to, from, size, stream);
}

static CUresult seen_across(CUdeviceptr to, CUdeviceptr from, size_t size,
                            CUstream stream) {
  use_t uses[] = {use_of(AS_PTR(to), size, USE_WRITE),
                  use_of(AS_PTR(from), size, USE_READ)};
  work_do(stream, uses, 2);
  return recorder.driver.cuMemcpyDtoDAsync_v2(to, from, size, stream);
}

static CUresult seen_peer(CUdeviceptr to, CUcontext to_context,
                          CUdeviceptr from, CUcontext from_context, size_t size,
                          CUstream stream) {
  use_t uses[] = {use_of(AS_PTR(to), size, USE_WRITE),
                  use_of(AS_PTR(from), size, USE_READ)};
  work_do(stream, uses, 2);
  return recorder.driver.cuMemcpyPeerAsync(to, to_context, from, from_context,
                                           size, stream);
}

static CUresult seen_fill8(CUdeviceptr to, unsigned char value, size_t count,
                           CUstream stream) {
  use_t use = use_of(AS_PTR(to), count, USE_WRITE);
  work_do(stream, &use, 1);
  return recorder.driver.cuMemsetD8Async(to, value, count, stream);
}

static CUresult seen_fill32(CUdeviceptr to, unsigned value, size_t count,
                            CUstream stream) {
  use_t use = use_of(AS_PTR(to), count * 4, USE_WRITE);
  work_do(stream, &use, 1);
  return recorder.driver.cuMemsetD32Async(to, value, count, stream);
}

static cublasStatus_t seen_product(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
    const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
    cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
    cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
    const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspace_size,
    CUstream stream) {
  use_t uses[] = {use_of(a, 1, USE_TOUCH), use_of(b, 1, USE_TOUCH),
                  use_of(d, 1, USE_TOUCH), use_of(workspace, 1, USE_TOUCH)};
  work_do(stream, uses, workspace != NULL ? 4 : 3);
  return recorder.lt.cublasLtMatmul(handle, desc, alpha, a, a_layout, b,
                                    b_layout, beta, c, c_layout, d, d_layout,
                                    algo, workspace, workspace_size, stream);
}

// ---- Addresses ----

static inline void zone_add(CUdeviceptr begin, size_t size) {
  recorder_lock();
  if (recorder.zone_count < MOST_ZONES) {
    recorder.zones[recorder.zone_count++] = use_of(AS_PTR(begin), size, 0);
  }
  recorder_unlock();
}

static CUresult seen_reserve(CUdeviceptr *address, size_t size,
                             size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
  CUresult result = recorder.driver.cuMemAddressReserve(
      address, size, alignment, wanted, flags);
  if (result == CUDA_SUCCESS) zone_add(*address, size);
  return result;
}

static CUresult seen_alloc(CUdeviceptr *address, size_t size) {
  CUresult result = recorder.driver.cuMemAlloc_v2(address, size);
  if (result == CUDA_SUCCESS) zone_add(*address, size);
  return result;
}

// ---- Order ----

static CUresult seen_record(CUevent event, CUstream stream) {
  CUresult result = recorder.driver.cuEventRecord(event, stream);
  recorder_lock();
  stream_of_t *on = &recorder.streams[actor_of(stream)];
  tally_t clock = on->clock;
  tally_join(&clock, &recorder.host);
  if (on->list == NULL) event_of(event)->clock = clock;
  recorder_unlock();
  return result;
}

static CUresult seen_wait(CUstream stream, CUevent event, unsigned flags) {
  recorder_lock();
  stream_of_t *on = &recorder.streams[actor_of(stream)];
  if (on->list == NULL && recorder.orders++ != recorder.left_out) {
    tally_join(&on->clock, &event_of(event)->clock);
  }
  recorder_unlock();
  return recorder.driver.cuStreamWaitEvent(stream, event, flags);
}

// The host has waited for what |clock| knows.
static inline void host_learns(const tally_t *clock) {
  recorder_lock();
  if (recorder.orders++ != recorder.left_out) {
    tally_join(&recorder.host, clock);
  }
  recorder_unlock();
}

// What the host learns it learns of the moment before the call: later works
// may be queued meanwhile.
static CUresult seen_event_query(CUevent event) {
  recorder_lock();
  tally_t clock = event_of(event)->clock;
  recorder_unlock();
  CUresult result = recorder.driver.cuEventQuery(event);
  if (result != CUDA_SUCCESS) return result;
  host_learns(&clock);
  return result;
}

static CUresult seen_event_sync(CUevent event) {
  recorder_lock();
  tally_t clock = event_of(event)->clock;
  recorder_unlock();
  CUresult result = recorder.driver.cuEventSynchronize(event);
  host_learns(&clock);
  return result;
}

static CUresult seen_stream_query(CUstream stream) {
  recorder_lock();
  tally_t clock = recorder.streams[actor_of(stream)].clock;
  recorder_unlock();
  CUresult result = recorder.driver.cuStreamQuery(stream);
  if (result != CUDA_SUCCESS) return result;
  host_learns(&clock);
  return result;
}

static CUresult seen_stream_sync(CUstream stream) {
  recorder_lock();
  tally_t clock = recorder.streams[actor_of(stream)].clock;
  recorder_unlock();
  CUresult result = recorder.driver.cuStreamSynchronize(stream);
  host_learns(&clock);
  return result;
}

static CUresult seen_context_sync(void) {
  recorder_lock();
  tally_t all = recorder.host;
  for (int i = 0; i < recorder.stream_count; ++i) {
    tally_join(&all, &recorder.streams[i].clock);
  }
  recorder_unlock();
  CUresult result = recorder.driver.cuCtxSynchronize();
  host_learns(&all);
  return result;
}

static CUresult seen_stream_destroy(CUstream stream) {
  recorder_lock();
  recorder.streams[actor_of(stream)].handle = NULL;
  recorder_unlock();
  return recorder.driver.cuStreamDestroy_v2(stream);
}

// ---- Recordings ----

static inline work_list_t *list_of(const void *owner, bool add) {
  work_list_t *spare = NULL;
  for (int i = 0; i < recorder.graph_count; ++i) {
    if (recorder.graphs[i].owner == owner) return &recorder.graphs[i];
    if (recorder.graphs[i].owner == NULL) spare = &recorder.graphs[i];
  }
  if (!add) return NULL;
  if (spare == NULL) {
    if (recorder.graph_count == MOST_GRAPHS) {
      HARNESS_FAIL("too many recordings for the recorder");
      exit(1);
    }
    spare = &recorder.graphs[recorder.graph_count++];
  }
  spare->owner = owner;
  spare->count = 0;
  return spare;
}

static CUresult seen_begin(CUstream stream, CUstreamCaptureMode mode) {
  recorder_lock();
  stream_of_t *on = &recorder.streams[actor_of(stream)];
  on->list = calloc(1, sizeof(work_list_t));
  recorder_unlock();
  return recorder.driver.cuStreamBeginCapture_v2(stream, mode);
}

static CUresult seen_end(CUstream stream, CUgraph *graph) {
  CUresult result = recorder.driver.cuStreamEndCapture(stream, graph);
  recorder_lock();
  stream_of_t *on = &recorder.streams[actor_of(stream)];
  if (on->list != NULL && result == CUDA_SUCCESS && graph != NULL &&
      *graph != NULL) {
    list_add(list_of(*graph, true), on->list->uses, on->list->count);
  }
  if (on->list != NULL) free(on->list->uses);
  free(on->list);
  on->list = NULL;
  recorder_unlock();
  return result;
}

static inline void list_copy(const void *from, const void *to) {
  work_list_t *source = list_of(from, false);
  if (source == NULL) return;
  int count = source->count;
  use_t *uses = malloc(sizeof(use_t) * (size_t)(count + 1));
  memcpy(uses, source->uses, sizeof(use_t) * (size_t)count);
  work_list_t *target = list_of(to, true);
  target->count = 0;
  list_add(target, uses, count);
  free(uses);
}

static CUresult seen_instantiate(CUgraphExec *exec, CUgraph graph,
                                 unsigned long long flags) {
  CUresult result =
      recorder.driver.cuGraphInstantiateWithFlags(exec, graph, flags);
  recorder_lock();
  if (result == CUDA_SUCCESS) list_copy(graph, *exec);
  recorder_unlock();
  return result;
}

static CUresult seen_update(CUgraphExec exec, CUgraph graph,
                            CUgraphExecUpdateResultInfo *info) {
  CUresult result = recorder.driver.cuGraphExecUpdate_v2(exec, graph, info);
  recorder_lock();
  if (result == CUDA_SUCCESS) list_copy(graph, exec);
  recorder_unlock();
  return result;
}

// The last work has a name from now on.
static CUresult seen_capture_info(CUstream stream,
                                  CUstreamCaptureStatus *status,
                                  unsigned long long *id, CUgraph *graph,
                                  const CUgraphNode **last, size_t *count) {
  CUresult result = recorder.driver.cuStreamGetCaptureInfo_v2(
      stream, status, id, graph, last, count);
  recorder_lock();
  work_list_t *list = recorder.streams[actor_of(stream)].list;
  if (result == CUDA_SUCCESS && list != NULL && *count == 1) {
    for (int i = list->last; i < list->count; ++i) {
      list->uses[i].node = (*last)[0];
    }
  }
  recorder_unlock();
  return result;
}

// One work of what was made of a graph uses other memory from now on.
static CUresult seen_set_params(CUgraphExec exec, CUgraphNode node,
                                const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  use_t uses[MOST_USES];
  recorder_lock();
  work_list_t *list = list_of(exec, false);
  int kept = 0;
  for (int i = 0; list != NULL && i < list->count; ++i) {
    if (list->uses[i].node != node) list->uses[kept++] = list->uses[i];
  }
  if (list != NULL) {
    int count = uses_find(params->extra, uses);
    for (int i = 0; i < count; ++i) uses[i].node = node;
    list->count = kept;
    list_add(list, uses, count);
  }
  recorder_unlock();
  return recorder.driver.cuGraphExecKernelNodeSetParams(exec, node, params);
}

static CUresult seen_graph_launch(CUgraphExec exec, CUstream stream) {
  recorder_lock();
  const work_list_t *list = list_of(exec, false);
  if (list != NULL) work_queue(stream, list->uses, list->count);
  recorder_unlock();
  return recorder.driver.cuGraphLaunch(exec, stream);
}

static inline void list_forget(const void *owner) {
  recorder_lock();
  work_list_t *list = list_of(owner, false);
  if (list != NULL) list->owner = NULL;
  recorder_unlock();
}

static CUresult seen_graph_destroy(CUgraph graph) {
  list_forget(graph);
  return recorder.driver.cuGraphDestroy(graph);
}

static CUresult seen_exec_destroy(CUgraphExec exec) {
  list_forget(exec);
  return recorder.driver.cuGraphExecDestroy(exec);
}

// ---- Pools ----

berth_code_t __real_berth_pool_request(berth_pool_t *pool,
                                       const berth_request_t *request,
                                       berth_buffer_t **out_buffer,
                                       berth_error_t *err);
berth_code_t __wrap_berth_pool_request(berth_pool_t *pool,
                                       const berth_request_t *request,
                                       berth_buffer_t **out_buffer,
                                       berth_error_t *err);
berth_code_t __real_berth_pool_buffer(berth_pool_t *pool, size_t size,
                                      berth_buffer_t **out_buffer,
                                      berth_error_t *err);
berth_code_t __wrap_berth_pool_buffer(berth_pool_t *pool, size_t size,
                                      berth_buffer_t **out_buffer,
                                      berth_error_t *err);

// What pools of regions and of pages take buffers back with.
enum { KINDS_OF_POOLS = 2 };
static void (*real_destroy[KINDS_OF_POOLS])(berth_buffer_t *buffer);

// The memory is out again as soon as the pool has it, so it is dropped before.
static inline void seen_drop(berth_buffer_t *buffer, int kind) {
  recorder_lock();
  span_drop((uintptr_t)buffer->data);
  recorder_unlock();
  buffer->destroy = real_destroy[kind];
  buffer->destroy(buffer);
}

static void seen_destroy_first(berth_buffer_t *buffer) { seen_drop(buffer, 0); }

static void seen_destroy_second(berth_buffer_t *buffer) {
  seen_drop(buffer, 1);
}

static inline void seen_buffer(berth_buffer_t *buffer) {
  if (!recorder.is_on) return;
  recorder_lock();
  int kind = 0;
  while (kind < KINDS_OF_POOLS && real_destroy[kind] != NULL &&
         real_destroy[kind] != buffer->destroy) {
    ++kind;
  }
  if (kind == KINDS_OF_POOLS) {
    HARNESS_FAIL("a pool that the recorder does not know");
    exit(1);
  }
  real_destroy[kind] = buffer->destroy;
  buffer->destroy = kind == 0 ? seen_destroy_first : seen_destroy_second;
  span_add((uintptr_t)buffer->data, buffer->size);
  recorder_unlock();
}

berth_code_t __wrap_berth_pool_request(berth_pool_t *pool,
                                       const berth_request_t *request,
                                       berth_buffer_t **out_buffer,
                                       berth_error_t *err) {
  berth_code_t code = __real_berth_pool_request(pool, request, out_buffer, err);
  if (code == BERTH_OK) seen_buffer(*out_buffer);
  return code;
}

berth_code_t __wrap_berth_pool_buffer(berth_pool_t *pool, size_t size,
                                      berth_buffer_t **out_buffer,
                                      berth_error_t *err) {
  berth_code_t code = __real_berth_pool_buffer(pool, size, out_buffer, err);
  if (code == BERTH_OK) seen_buffer(*out_buffer);
  return code;
}

// ---- Switching on ----

// Puts the recorder before the driver, which must be that of simulated cards.
// Once, before a card is used.
static inline void recorder_start(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_cuda_driver_load(&err), &err);
  ASSERT_OK(berth_cublaslt_open(&err), &err);
  recorder.events = calloc(MOST_EVENTS, sizeof(event_of_t));
  recorder.spans = calloc(MOST_SPANS, sizeof(span_t));
  recorder.driver = berth_cuda_api;
  recorder.lt = berth_cublaslt_api;
  recorder.is_on = true;
  berth_cuda_api.cuMemAddressReserve = seen_reserve;
  berth_cuda_api.cuMemAlloc_v2 = seen_alloc;
  berth_cuda_api.cuLaunchKernel = seen_launch;
  berth_cuda_api.cuMemcpyHtoDAsync_v2 = seen_in;
  berth_cuda_api.cuMemcpyDtoHAsync_v2 = seen_out;
  berth_cuda_api.cuMemcpyDtoDAsync_v2 = seen_across;
  berth_cuda_api.cuMemcpyPeerAsync = seen_peer;
  berth_cuda_api.cuMemsetD8Async = seen_fill8;
  berth_cuda_api.cuMemsetD32Async = seen_fill32;
  berth_cuda_api.cuEventRecord = seen_record;
  berth_cuda_api.cuStreamWaitEvent = seen_wait;
  berth_cuda_api.cuEventQuery = seen_event_query;
  berth_cuda_api.cuEventSynchronize = seen_event_sync;
  berth_cuda_api.cuStreamQuery = seen_stream_query;
  berth_cuda_api.cuStreamSynchronize = seen_stream_sync;
  berth_cuda_api.cuStreamDestroy_v2 = seen_stream_destroy;
  berth_cuda_api.cuCtxSynchronize = seen_context_sync;
  berth_cuda_api.cuStreamBeginCapture_v2 = seen_begin;
  berth_cuda_api.cuStreamEndCapture = seen_end;
  berth_cuda_api.cuGraphInstantiateWithFlags = seen_instantiate;
  berth_cuda_api.cuGraphExecUpdate_v2 = seen_update;
  berth_cuda_api.cuStreamGetCaptureInfo_v2 = seen_capture_info;
  berth_cuda_api.cuGraphExecKernelNodeSetParams = seen_set_params;
  berth_cuda_api.cuGraphLaunch = seen_graph_launch;
  berth_cuda_api.cuGraphDestroy = seen_graph_destroy;
  berth_cuda_api.cuGraphExecDestroy = seen_exec_destroy;
  berth_cublaslt_api.cublasLtMatmul = seen_product;
}

#endif  // BERTH_TESTS_RANDOM_RECORDER_H_
