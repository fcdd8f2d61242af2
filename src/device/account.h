// account.h - What this process holds of a card, and how much that may be.
//
//   budget  [ held by pools | outside them: context, code, libraries |  room ]
//
// The budget is for everything: pools take from it before they ask the driver
// for memory, and give back after they have returned it; what grows outside
// them (cuda/card/admit.h) is counted too. So the whole figure of the process,
// the one that the driver's tools show, stays within it.
//
// There is one account for each card that anything was settled about or that
// was used, found by the card's key (device/board.h). It lives as long as the
// process.
//
// Threads: thread-safe; figures are atomic.
#ifndef BERTH_DEVICE_ACCOUNT_H_
#define BERTH_DEVICE_ACCOUNT_H_

#include "device/board.h"
#include "device/card.h"

// A card's UUID and, where it is simulated, whose accounts it is in.
enum { BERTH_ACCOUNT_KEY = BERTH_CARD_UUID };

typedef struct berth_account berth_account_t;
typedef bool (*berth_measure_fn)(berth_account_t *account, uint64_t *out_bytes);

struct berth_account {
  char key[BERTH_ACCOUNT_KEY];
  char uuid[BERTH_CARD_UUID];
  char pci_bus_id[BERTH_CARD_PCI];

  _Atomic uint64_t budget_bytes;  // 0: none.
  _Atomic uint64_t floor_bytes;   // Not given back, whoever asks.
  _Atomic uint64_t margin_bytes;  // Of the card, left free.
  _Atomic int64_t idle_ns;        // What is idle for longer goes back; 0: not.
  _Atomic int64_t wait_ns;        // How long a request waits for a full card.

  _Atomic uint64_t held_bytes;     // By pools.
  _Atomic uint64_t outside_bytes;  // Beside them, as measured last, and what an
                                   // act that is under way may take.
  _Atomic uint64_t slack_bytes;    // Of the budget, not for pools: so much may
                                   // grow outside them before it is measured.
  _Atomic uint64_t peak_bytes;     // Most of both together.
  atomic_bool is_stirred;          // Something may have grown outside since it
                                   // was measured.
  atomic_bool is_estimate;         // The driver does not say what the process
      // holds: it is what the card lost since then.
  atomic_bool is_listed;          // It was in the driver's list once.
  _Atomic uint64_t others_bytes;  // What was in use before; for an estimate.
  atomic_bool is_settled;         // The environment has been read.
  _Atomic int moving;             // Calls of the driver that change |held|.

  berth_mutex_t acts;  // Held by who does something that grows outside pools.
  // Stores the figure of the process as the driver has it; false where that is
  // not known. NULL: nobody knows. Set once, by the backend.
  _Atomic(berth_measure_fn) measure;
  _Atomic(berth_board_card_t *) line;  // On the board; NULL: none.
  berth_account_t *next;               // All accounts.
};

// Writes the key of |card|.
void berth_account_key(const berth_card_info_t *card,
                       char key[BERTH_ACCOUNT_KEY]);

// Returns the account of |card|, made if there is none; NULL when memory is
// short.
berth_account_t *berth_account_find(const berth_card_info_t *card);

// Returns the first of all accounts; the others follow as |next|.
berth_account_t *berth_account_first(void);

// Takes |bytes| for a pool; false, and nothing is taken, when the budget leaves
// less. True for NULL.
bool berth_account_take(berth_account_t *account, uint64_t bytes);
void berth_account_give(berth_account_t *account, uint64_t bytes);

// The same for what is outside pools, which may use the slack.
bool berth_account_take_outside(berth_account_t *account, uint64_t bytes);
void berth_account_give_outside(berth_account_t *account, uint64_t bytes);

// Asks the driver what the process holds, if it knows, and counts what is not
// in pools as outside, in place of what was measured or assumed before. |acts|
// is held. No pool should be calling the driver; if one is all the time, the
// figure stays what it was: false.
bool berth_account_measure(berth_account_t *account);

// The same if something has stirred and there is a budget. Takes |acts| if
// nobody has it.
void berth_account_refresh(berth_account_t *account);

// Returns what is left of the budget for what is outside pools, and for pools;
// UINT64_MAX without one.
uint64_t berth_account_room(const berth_account_t *account);
uint64_t berth_account_pool_room(const berth_account_t *account);

#endif  // BERTH_DEVICE_ACCOUNT_H_
