// keeper.h - A thread that looks after the cards a process uses.
//
// It says on the board (device/board.h) what the process holds, measures what
// grows outside pools, gives memory back to neighbours who ask for it and, if
// that was settled, what has been idle for long. It sleeps otherwise, and works
// whatever the program does meanwhile: also while Python waits for a key.
//
// Started with the first device that is added, ended with the process. Where
// there is no thread to be had nobody is told and nobody answered; all else
// works.
//
// Threads: thread-safe. In the child of a fork nobody is looked after.
#ifndef BERTH_DEVICE_KEEPER_H_
#define BERTH_DEVICE_KEEPER_H_

#include "device/account.h"

// A device that is looked after. The owner's storage, between add and remove.
typedef struct berth_ward berth_ward_t;
struct berth_ward {
  berth_device_t *device;
  berth_account_t *account;  // Of its card.
  // Gives back what has been idle since |idle_ns|, and notes the time; returns
  // how many bytes that was. NULL: nothing does.
  uint64_t (*trim_older)(berth_device_t *device, int64_t idle_ns,
                         int64_t now_ns);
  // Gives back |bytes| of what is idle, whatever the policy would keep, more or
  // less; returns how many that was. NULL: nothing does.
  uint64_t (*shrink)(berth_device_t *device, uint64_t bytes);
  berth_ward_t *next;  // The keeper's, as what follows.
  bool is_added;
};

// Looks after |ward| from now on; nothing happens when it is added already. And
// no longer: returns when nobody is busy with it.
void berth_keeper_add(berth_ward_t *ward);
void berth_keeper_remove(berth_ward_t *ward);

// Gives back |bytes| of what is idle in the pools of the card of |account|,
// whatever their policies would keep; returns how many that was. Nobody is
// asked to give up anything: the caller may hold locks, but none of a pool.
uint64_t berth_keeper_shrink(const berth_account_t *account, uint64_t bytes);

// Moves what nobody uses just now away from the devices of that card
// (berth_reclaim_spill()) until |bytes| are idle; returns how many came free.
// The caller holds nothing that a copy needs.
uint64_t berth_keeper_spill(const berth_account_t *account, uint64_t bytes);

// Publishes figures now, and looks whether anybody asks.
void berth_keeper_tell(void);

#endif  // BERTH_DEVICE_KEEPER_H_
