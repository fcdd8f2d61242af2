// context.h - A card in use: its context, its code, its faults.
//
// Every visible card has one berth_cuda_card_t as soon as the driver is open.
// The context (the driver's primary one, which other libraries of the process
// share) is opened when the first device on the card is started.
//
// Everything made from a context carries the card's generation, a number that
// goes up whenever the context is opened anew: what has an older one is gone.
//
//   |live|  generation   the context is open and healthy
//           0            never opened, reset, or faulty
//
// A fault of the card sticks: the text of the call that met it first is kept,
// and every later call fails with it. The process lives.
//
// Threads: thread-safe. A card's lock is taken after a device's and before a
// pool's.
#ifndef BERTH_CUDA_CARD_CONTEXT_H_
#define BERTH_CUDA_CARD_CONTEXT_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"
#include "cuda/card/driver.h"
#include "device/account.h"
#include "device/gate.h"

typedef struct berth_cuda_code berth_cuda_code_t;

// A card, from the first use of the driver to the end of the process.
typedef struct berth_cuda_card {
  // Constant.
  int index;  // Visible index, also the driver's ordinal.
  CUdevice device;
  char name[64];
  int cc_major, cc_minor;  // Compute capability.
  int multiprocessors;
  bool can_map_pages;  // The driver maps memory page by page.
  bool has_managed;    // It has memory that host and card both touch.
  uint64_t page_size;  // Granularity of page mapping; 0 where it cannot.

  // What the process holds of it; NULL until a device is started there.
  _Atomic(berth_account_t *) account;
  _Atomic(berth_gate_t *) gate;       // The same; whoever uses it is inside.
  _Atomic uint64_t live;              // As drawn above.
  atomic_bool has_fault;              // |fault| says which.
  atomic_int recordings;              // That are being made.
  _Atomic uint64_t peers;             // Cards it was made to reach, by bit.
  _Atomic(berth_cuda_code_t *) code;  // launch.c; NULL: none loaded yet.

  berth_mutex_t lock;  // Guards what follows.
  CUcontext context;   // NULL: not open.
  uint64_t generation;
  berth_error_t fault;  // The first one.
} berth_cuda_card_t;

// Opens the driver and finds card |index|; nothing is opened on it. Borrowed;
// lives as long as the process. BERTH_INVALID_ARGUMENT for a card that is not
// there; else as berth_cuda_driver_open().
BERTH_NODISCARD berth_code_t berth_cuda_card_find(int index,
                                                  berth_cuda_card_t **out_card,
                                                  berth_error_t *err);

// Opens the context of |card| if it is not open, and binds it to this thread.
// The first time takes a good part of a second, and memory of the card. Fails
// as berth_cuda_bind() does, and with what the driver says, BERTH_UNAVAILABLE
// when that is a fault.
BERTH_NODISCARD berth_code_t berth_cuda_card_open(berth_cuda_card_t *card,
                                                  berth_error_t *err);

// Closes the context, and with it whatever was made from it, and clears a
// fault. Fails with BERTH_UNAVAILABLE when the driver keeps the fault; so does
// |card| then.
BERTH_NODISCARD berth_code_t berth_cuda_card_close(berth_cuda_card_t *card,
                                                   berth_error_t *err);

// Makes the context of |card| current in this thread. Cheap when it is.
//
// Fails with the fault of the card (BERTH_INTERNAL), in the child of a fork
// (BERTH_FAILED_PRECONDITION), and with BERTH_FAILED_PRECONDITION when the
// context is not open.
BERTH_NODISCARD berth_code_t berth_cuda_bind(berth_cuda_card_t *card,
                                             berth_error_t *err);

// The same for cleaning up: whether the context of |generation| is still open,
// healthy or not, and now current.
bool berth_cuda_bind_old(berth_cuda_card_t *card, uint64_t generation);

// The same, and while it is true the context stays: the card's lock is held
// until berth_cuda_leave_old(). For destroying what was made from a context,
// beside somebody who may reset it.
bool berth_cuda_enter_old(berth_cuda_card_t *card, uint64_t generation);
void berth_cuda_leave_old(berth_cuda_card_t *card);

// Turns |result| of |call| on |card| into a code and a text, and remembers it
// when it is a fault of the card. BERTH_OK for CUDA_SUCCESS. Takes the card's
// lock when it is a fault.
berth_code_t berth_cuda_check(berth_cuda_card_t *card, CUresult result,
                              const char *call, berth_error_t *err);

// Calls the driver's function |name| and checks what it returns.
#define BERTH_CARD_CALL(card, err, name, ...) \
  berth_cuda_check(card, BERTH_CU(name, __VA_ARGS__), #name, err)

// Makes the memory of |peer| reachable from |card|, whose context is bound,
// where the driver can. Copies between them are right without it, and slower:
// so it cannot fail.
void berth_cuda_enable_peer(berth_cuda_card_t *card, berth_cuda_card_t *peer);

#endif  // BERTH_CUDA_CARD_CONTEXT_H_
