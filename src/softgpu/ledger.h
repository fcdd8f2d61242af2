// ledger.h - Who holds how much of which card, shared between processes.
//
// One small file per simulated machine and user, read and written by every
// process on it:
//
//   [ lock | slot 0: pid, bytes of each card | slot 1 … ]
//
// A process owns a slot while it holds a record lock on one byte of the file,
// which the kernel drops when the process dies however it dies; a slot whose
// lock is free is empty, whatever it says. Another byte locks the whole file
// for as long as it takes to add up and change a figure. (Record locks belong
// to a process, not to an open file, so a forked child holds none of them.)
//
// ledger_file.h says where the file is, and which ones are refused. Where none
// can be had, or it stops being a ledger, a warning says so and the figures are
// the process's own from then on: a program works as well without its
// neighbours, and the worst that follows is that together they hold more than
// the card has.
//
// Thread-safe.
#ifndef BERTH_SOFTGPU_LEDGER_H_
#define BERTH_SOFTGPU_LEDGER_H_

#include <stdbool.h>
#include <stdint.h>

#include "softgpu/card.h"

typedef struct berth_soft_ledger berth_soft_ledger_t;

typedef struct berth_soft_holder {
  int64_t pid;
  uint64_t bytes;
} berth_soft_holder_t;

// Opens the ledger of |cards|, which must outlive it; NULL when there is no
// memory. It stays open for the life of the process.
berth_soft_ledger_t *berth_soft_ledger_open(const berth_soft_cards_t *cards);

// Adds |bytes| of |card| to what this process holds; false, and nothing taken,
// when all processes together would hold more than the card has.
bool berth_soft_ledger_take(berth_soft_ledger_t *ledger, int card,
                            uint64_t bytes);

// Gives back |bytes| that were taken.
void berth_soft_ledger_give(berth_soft_ledger_t *ledger, int card,
                            uint64_t bytes);

// Returns what all processes hold of |card|.
uint64_t berth_soft_ledger_used(berth_soft_ledger_t *ledger, int card);

// Lists the processes on |card|, at most |capacity|; returns how many there
// are.
int berth_soft_ledger_holders(berth_soft_ledger_t *ledger, int card,
                              berth_soft_holder_t *holders, int capacity);

#endif  // BERTH_SOFTGPU_LEDGER_H_
