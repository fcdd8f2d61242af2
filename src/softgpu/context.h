// context.h - Contexts: what a process has made on one card.
//
// Every visible card has one context object for the life of the process (only
// primary contexts exist here), which is active between the first retain and
// the last release or a reset. Streams, events, modules and instantiated graphs
// belong to it and go with it; so does memory that was allocated, while memory
// that is mapped (mapping.h) belongs to the process and stays.
//
// A fault of the card sticks to its context for the life of the process: it can
// be reset, but not opened again. That is what version 580 of the driver does.
//
// Thread-safe. The context's lock comes before a stream's. No stream's thread
// takes it.
#ifndef BERTH_SOFTGPU_CONTEXT_H_
#define BERTH_SOFTGPU_CONTEXT_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"
#include "cuda/api/driver.h"
#include "softgpu/card.h"
#include "softgpu/mark.h"

// The driver's granularity, and what a context takes of its card. A real one
// takes more the larger the card is; simulated cards may be small.
#define BERTH_SOFT_PAGE ((uint64_t)2 << 20)
#define BERTH_SOFT_CONTEXT_BYTES ((uint64_t)64 << 20)

// Something a context owns: the first member of it, made with berth_calloc().
//
// When the context goes its objects are closed, but their memory stays: a
// handle that is used afterwards is answered with
// CUDA_ERROR_CONTEXT_IS_DESTROYED, also when the context is open again.
typedef struct berth_soft_object {
  CUcontext context;
  unsigned generation;  // Of the context, when it was made.
  struct berth_soft_object *next;
  struct berth_soft_object **link;  // What points to this one.
  // Optional. Gives back what the object holds, but not its own memory.
  void (*close)(struct berth_soft_object *object);
} berth_soft_object_t;

struct CUctx_st {
  const berth_soft_card_t *card;
  int card_index;
  CUdevice ordinal;
  atomic_int fault;        // A CUresult; relaxed, so that it orders nothing.
  atomic_bool is_active;   // Written under the lock.
  atomic_uint generation;  // Counts openings.
  berth_mutex_t lock;      // Guards what follows.
  unsigned flags;
  int references;
  uint64_t charged_bytes;  // Of the card, in the ledger.
  uint64_t small_bytes;    // Of allocations that share pages.
  uint64_t shared_bytes;   // Pages charged for them.
  uint64_t peers;          // A bit for each ordinal that may be accessed.
  berth_soft_object_t *objects;
  berth_soft_object_t *graveyard;  // Closed with the context.
  CUstream legacy;                 // Made with the context.
  CUstream zombies;                // Destroyed, perhaps still at work.
  berth_soft_mark_t *legacy_mark;  // After the newest work of |legacy|.
};

// Leaves the calling function with the result of |expr| unless it is success.
#define BERTH_SOFT_TRY(expr)                               \
  do {                                                     \
    CUresult soft_result_ = (expr);                        \
    if (soft_result_ != CUDA_SUCCESS) return soft_result_; \
  } while (0)

// Succeeds when cuInit() has, in this process, which is not about to end.
CUresult berth_soft_enter(void);

// True when the process is about to end: long work may stop. Orders nothing.
bool berth_soft_has_ended(void);

// Returns how many cards are visible.
int berth_soft_visible_count(void);

// Finds the context object of |device|, active or not.
CUresult berth_soft_context_of(CUdevice device, CUcontext *out_context);

// Finds the calling thread's current context; fails when there is none, when it
// is not active and when its card has a fault.
CUresult berth_soft_context_current(CUcontext *out_context);

// Succeeds when |context| is active and its card has no fault.
CUresult berth_soft_context_check(CUcontext context);

// Remembers that the card of |context| has failed with |fault|.
void berth_soft_context_fail(CUcontext context, CUresult fault);

// Takes |bytes| of the card, and gives them back. The lock is held.
bool berth_soft_context_take(CUcontext context, uint64_t bytes);
void berth_soft_context_give(CUcontext context, uint64_t bytes);

// Makes |object| one of |context|'s.
void berth_soft_object_add(CUcontext context, berth_soft_object_t *object);

// Takes |object| out of its context's list.
void berth_soft_object_remove(berth_soft_object_t *object);

// Takes |object| out of the list, closes it and frees it.
void berth_soft_object_destroy(berth_soft_object_t *object);

// Succeeds when the driver is started, |handle| (which begins with an object)
// is not NULL, its context has not gone since it was made, and the card has no
// fault.
CUresult berth_soft_object_check(const void *handle);

#endif  // BERTH_SOFTGPU_CONTEXT_H_
