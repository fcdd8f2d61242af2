// device_internal.h - What the files of a CUDA device share.
//
//   device ──> backing ─┬─ source      driver's memory calls   source.c
//     │                 └─ 4 lanes     streams with timelines  stream.c
//     └──> pool ───────────┘           borrows both
//
// A pool, and with it what it borrows, lives as long as any buffer of it, which
// may be longer than its device. So a backing is never freed: one whose memory
// has all come back serves the next device (backing.c).
#ifndef BERTH_CUDA_STREAM_DEVICE_INTERNAL_H_
#define BERTH_CUDA_STREAM_DEVICE_INTERNAL_H_

#include "cuda/card/context.h"
#include "cuda/ops/copies_params.h"
#include "cuda/stream/device.h"
#include "device/await.h"
#include "device/keeper.h"
#include "memory/pool.h"

typedef struct berth_cuda_staging berth_cuda_staging_t;
typedef struct berth_cuda_kept berth_cuda_kept_t;
typedef struct berth_cuda_device berth_cuda_device_t;

// A stream of a device, or one that records.
// A launch of the kernel that copies (copies.c), amid what is recorded.
typedef struct berth_cuda_row {
  CUgraphNode node;
  CUDA_KERNEL_NODE_PARAMS_v1 launch;  // But what it is told.
  berth_copies_params_t params;       // What it is told.
} berth_cuda_row_t;

// Such launches, in their order. Heap.
typedef struct berth_cuda_rows {
  berth_cuda_row_t *row;
  size_t count;
  size_t capacity;
} berth_cuda_rows_t;

typedef struct berth_cuda_stream {
  berth_stream_t base;
  berth_timeline_t timeline;
  berth_cuda_card_t *card;  // Borrowed.
  CUstream native;
  _Atomic uint64_t generation;  // Of the card when it was made; 0: not made.
  bool is_recording;
  // Of a stream that is recorded.
  CUDA_KERNEL_NODE_PARAMS_v1 launched;  // How the last kernel was launched.
  berth_cuda_rows_t rows;               // Taken by the recording at its end.

  CUevent handoff;  // Marks what another device must know of.

  berth_mutex_t lock;       // Guards the probe, and |handoff| in use.
  CUevent probe;            // Marks how far |timeline| has come.
  uint64_t probe_ticket;    // What it marks; 0: nothing.
  _Atomic uint64_t passed;  // Up to here the work is known to be done.

  berth_mutex_t staging_lock;     // Guards what follows; one copy at a time.
  berth_cuda_staging_t *staging;  // staging.c; NULL until first needed.

  berth_mutex_t kept_lock;  // Guards what follows.
  berth_cuda_kept_t *kept;  // wait.c: what work left behind still writes.
} berth_cuda_stream_t;

typedef struct berth_cuda_backing {
  berth_page_source_t pages;
  berth_source_t plain;  // Of plain or of managed memory.
  berth_cuda_stream_t lanes[BERTH_LANES];
  berth_timeline_t *timelines[BERTH_LANES];
  berth_cuda_card_t *card;  // Borrowed.
  bool is_managed;
  char name[24];           // "GPU:0".
  atomic_int outstanding;  // Regions and reservations not yet returned.
  bool is_taken;           // By a device that is open.
  uint64_t generation;     // Of the card when |plain| last gave a region.
  struct berth_cuda_backing *next;
} berth_cuda_backing_t;

struct berth_cuda_device {
  berth_device_t device;
  berth_allocator_t allocator;
  berth_allocator_t pinned;
  berth_device_wish_t wish;  // Its description is in |device|.
  berth_mutex_t lock;        // Guards starting and what follows.
  _Atomic uint64_t started;  // Generation of the card that it is ready for.
  berth_cuda_card_t *card;   // Borrowed; NULL until first started.
  berth_cuda_backing_t *backing;
  _Atomic(berth_pool_t *) pool;  // NULL until first started.
  berth_ward_t ward;             // From the first start on.
  berth_cuda_device_t *next;     // In the roster; guarded by its lock.
};

// ---- device.c ----

// Locks |gpu| and unlocks it. A thread that holds any device starts none: what
// it queues on a card that fails meanwhile fails.
void berth_cuda_device_lock(berth_cuda_device_t *gpu);
void berth_cuda_device_unlock(berth_cuda_device_t *gpu);

// ---- backing.c ----

// Takes a backing for a device called |name| on |card|, its lanes not made.
BERTH_NODISCARD berth_code_t berth_cuda_backing_take(
    berth_cuda_card_t *card, const char *name, bool is_managed,
    berth_cuda_backing_t **out_backing, berth_error_t *err);

// Gives it back; its lanes are closed. NULL is fine.
void berth_cuda_backing_give(berth_cuda_backing_t *backing);

// ---- source.c ----

// Fills in the sources of |backing|.
void berth_cuda_source_init(berth_cuda_backing_t *backing);

// ---- stream.c ----

// Makes |stream| on its card, whose context is bound.
BERTH_NODISCARD berth_code_t berth_cuda_stream_open(berth_cuda_stream_t *stream,
                                                    int priority,
                                                    berth_error_t *err);

// Waits for its work, if it still has any. A failure is met elsewhere.
void berth_cuda_stream_drain(berth_cuda_stream_t *stream);

// Destroys it, after its work. What waits for its timeline may go on.
void berth_cuda_stream_close(berth_cuda_stream_t *stream);

// Sets up the storage of |stream| for |card|, not made yet; and lets go of it
// again when it is closed.
void berth_cuda_stream_init(berth_cuda_stream_t *stream,
                            berth_cuda_card_t *card);
void berth_cuda_stream_deinit(berth_cuda_stream_t *stream);

// Makes sure that |stream| can be queued on by this thread: its device is
// started anew if the card was reset, and the context bound.
BERTH_NODISCARD berth_code_t
berth_cuda_stream_enter(berth_cuda_stream_t *stream, berth_error_t *err);

// Makes |other|, a stream of another device, come after what is queued on
// |stream| so far. Both are entered. So the timeline of that device covers work
// of |stream| on its memory.
BERTH_NODISCARD berth_code_t
berth_cuda_stream_hand_over(berth_cuda_stream_t *stream,
                            berth_cuda_stream_t *other, berth_error_t *err);

// Says that one more piece of work has been queued.
static inline void berth_cuda_stream_queued(berth_cuda_stream_t *stream) {
  atomic_fetch_add_explicit(&stream->timeline.submitted, 1,
                            memory_order_release);
}

// What streams of a card can do.
extern const berth_stream_ops_t berth_cuda_stream_ops;

// ---- copy.c, event.c, recording.c: members of berth_stream_ops_t ----

// Is berth_stream_ops_t.copy.
berth_code_t berth_cuda_stream_copy(berth_stream_t *stream,
                                    berth_device_t *to_device, void *to,
                                    berth_device_t *from_device,
                                    const void *from, size_t size,
                                    berth_error_t *err);

// Is berth_stream_ops_t.event_create.
berth_code_t berth_cuda_event_create(berth_device_t *device,
                                     berth_event_t **out, berth_error_t *err);
// Is berth_stream_ops_t.event_destroy.
void berth_cuda_event_destroy(berth_event_t *event);
// Is berth_stream_ops_t.record.
berth_code_t berth_cuda_event_record(berth_stream_t *stream,
                                     berth_event_t *event, berth_error_t *err);
// Is berth_stream_ops_t.wait.
berth_code_t berth_cuda_event_wait(berth_stream_t *stream, berth_event_t *event,
                                   berth_error_t *err);
// Is berth_stream_ops_t.event_sync.
berth_code_t berth_cuda_event_sync(berth_event_t *event, berth_error_t *err);
// Is berth_stream_ops_t.event_query.
berth_code_t berth_cuda_event_query(berth_event_t *event, bool *out_done,
                                    berth_error_t *err);

// Is berth_stream_ops_t.record_begin.
berth_code_t berth_cuda_record_begin(berth_device_t *device,
                                     berth_stream_t **out, berth_error_t *err);
// Is berth_stream_ops_t.record_end.
berth_code_t berth_cuda_record_end(berth_stream_t *stream,
                                   berth_recording_t **out_recording,
                                   berth_error_t *err);
// Is berth_stream_ops_t.replay.
berth_code_t berth_cuda_replay(berth_stream_t *stream,
                               berth_recording_t *recording,
                               const berth_near_copy_t *copies, int count,
                               berth_error_t *err);
// Is berth_stream_ops_t.records_copies.
bool berth_cuda_records_copies(berth_device_t *device);
// Is berth_stream_ops_t.recording_destroy.
void berth_cuda_recording_destroy(berth_recording_t *recording);

// ---- wait.c ----

// True when the scope of the thread (base/parallel.h) says to stop; |unused| is
// not looked at.
bool berth_cuda_is_ended(void *unused);

// Blocks until what is queued on |stream| is done. BERTH_CANCELLED as soon as
// |look| says so; |answer| (NULL: none), which the work writes, is kept then.
BERTH_NODISCARD berth_code_t
berth_cuda_stream_await(berth_cuda_stream_t *stream, berth_buffer_t *answer,
                        berth_look_fn look, void *arg, berth_error_t *err);

// Is berth_stream_ops_t.copy_near.
berth_code_t berth_cuda_copy_near(berth_stream_t *stream,
                                  const berth_near_copy_t *copies, int count,
                                  berth_error_t *err);

// Tells the launches |rows| of |exec| to do |copies|, which are as many and as
// large as when they were recorded, from its next launch on.
BERTH_NODISCARD berth_code_t berth_cuda_rows_move(
    berth_cuda_stream_t *stream, CUgraphExec exec, berth_cuda_rows_t *rows,
    const berth_near_copy_t *copies, int count, berth_error_t *err);

// Is berth_stream_ops_t.keep.
berth_code_t berth_cuda_stream_keep(berth_stream_t *stream,
                                    berth_buffer_t *buffer, berth_error_t *err);

// Lets go of what is kept for work of |stream|, which is done.
void berth_cuda_drop_kept(berth_cuda_stream_t *stream);

// ---- reset.c ----

// Puts |gpu| on the list of all devices, which a reset walks; and takes it off,
// after a reset that is under way. No lock is held.
void berth_cuda_roster_add(berth_cuda_device_t *gpu);
void berth_cuda_roster_remove(berth_cuda_device_t *gpu);

// Returns the gate of card |index|; lives as long as the process. NULL when
// memory is short.
berth_gate_t *berth_cuda_gate(int index);

// ---- recording.c ----

// True while the calling thread records: it must not ask or wait then.
bool berth_cuda_thread_records(void);

// ---- pinned.c ----

// Makes a buffer of memory that is pinned with |card|, whose context must be
// open.
BERTH_NODISCARD berth_code_t
berth_cuda_pinned_alloc(berth_cuda_card_t *card, size_t size,
                        berth_buffer_t **out_buffer, berth_error_t *err);

// True when all of the |size| bytes at |memory| are pinned with |card|, or with
// another one that the calling thread holds as well; what is pinned with a card
// that nobody holds may cease to be at any time.
bool berth_cuda_is_pinned(const berth_cuda_card_t *card, const void *memory,
                          size_t size);

// Makes what is pinned with |card|, whose context is about to go, ordinary
// memory; and pins it again, in the context that is open now. It stays where it
// is. A card whose memory cannot be pinned again must not be used: its kernels
// would reach for it.
void berth_cuda_pinned_loosen(berth_cuda_card_t *card);
BERTH_NODISCARD berth_code_t berth_cuda_pinned_fasten(berth_cuda_card_t *card,
                                                      berth_error_t *err);

#endif  // BERTH_CUDA_STREAM_DEVICE_INTERNAL_H_
