// share.h - Cards that several Berth processes share.
//
// The Berth processes of one user and machine see each other: each one says in
// a small file in memory (/dev/shm, or BERTH_SHARED_DIR) what it holds of which
// card, and hears there when another one is short of memory. A process that
// dies, however that happens, leaves nothing behind. Where there is no such
// folder everybody works on alone.
//
//   berth_card_share_t shares[64];
//   int count = 0;
//   code = berth_card_shares(shares, 64, &count, &err);
//   for (int i = 0; code == BERTH_OK && i < count && i < 64; ++i) {
//     printf("%lld %s\n", (long long)shares[i].pid, shares[i].program);
//   }
//
// Threads: everything here is thread-safe.
#ifndef BERTH_SHARE_H_
#define BERTH_SHARE_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Budgets ----

// How much of a card a process may hold, and what it gives back. All GPUs on
// the card share it. Bytes, unless it says otherwise.
typedef struct berth_memory_budget {
  // All it may hold: the driver's context, code, libraries and tensors, the
  // figure that nvidia-smi shows; 0: no budget. With one, memory is held as it
  // is used, and |floor_bytes| is all that is taken in advance.
  uint64_t budget_bytes;
  uint64_t floor_bytes;   // For tensors: held from the first use on, and given
                          // to nobody. 0: none.
  uint64_t margin_bytes;  // Left free of the card. 0: nothing.
  int64_t wait_ms;        // How long a request waits for a card that is full.
  int64_t idle_ms;        // Memory that nobody used for as long goes back; 0:
                          // it is kept.
  // Figures, which are not looked at when a budget is set.
  uint64_t pool_bytes;     // Held for tensors now,
  uint64_t outside_bytes;  // beside them,
  uint64_t peak_bytes;     // and most of both together.
  bool is_estimate;        // The driver does not say what the process holds:
                           // it is what the card has lost since it began.
} berth_memory_budget_t;

// Gives the card of the GPU called |name| a budget, at any time. Idle memory
// goes back until it is kept; when more is in use nothing changes:
// BERTH_FAILED_PRECONDITION, with what is in the way. BERTH_INVALID_ARGUMENT for
// a CPU, and for a floor above the budget.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_set_memory_budget(
    const char *name, const berth_memory_budget_t *budget, berth_error_t *err);

// Fills |out_budget| with the budget of the card of the GPU called |name|, and
// the figures. BERTH_INVALID_ARGUMENT for a CPU.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_query_memory_budget(
    const char *name, berth_memory_budget_t *out_budget, berth_error_t *err);

// ---- Neighbours ----

// What one Berth process holds of one card. Bytes, at most a second old.
typedef struct berth_card_share {
  int64_t pid;         // As the process itself counts.
  char program[64];    // "train.py", or what was started.
  char card_uuid[80];  // As berth_card_t.uuid.
  char pci_bus_id[32];
  uint64_t budget_bytes;   // All it may hold of the card; 0: no budget.
  uint64_t floor_bytes;    // What it will not give back.
  uint64_t pool_bytes;     // Held for tensors.
  uint64_t in_use_bytes;   // Of that, by tensors that live.
  uint64_t peak_bytes;     // Most of that since the last reset.
  uint64_t outside_bytes;  // Held beside: context, code, libraries.
  uint64_t wish_bytes;     // What it is short of just now.
  uint64_t asked_count;    // How often others have asked it for memory,
  uint64_t given_bytes;    // and what they got of it.
  bool is_self;            // The calling process.
} berth_card_share_t;

// Fills |shares| with what every Berth process of this user holds, at most
// |room| of them, and stores how many there are, which may be more. Processes
// that have not used a card are not listed. Never fails where there are none.
BERTH_API BERTH_NODISCARD berth_code_t berth_card_shares(
    berth_card_share_t *shares, int room, int *out_count, berth_error_t *err);

// How long, in milliseconds, somebody who asks waits for answers.
#define BERTH_ASK_WAIT_MS 1000

// Asks the other Berth processes on card |index| (berth_card_query()) to give
// |bytes| back, and waits for their answers up to BERTH_ASK_WAIT_MS. Stores how
// much they gave (may be NULL): memory that nobody there used.
// BERTH_OUT_OF_RANGE when there is no such card.
BERTH_API BERTH_NODISCARD berth_code_t berth_card_ask(int index, uint64_t bytes,
                                                      uint64_t *out_bytes,
                                                      berth_error_t *err);

// ---- Spilling ----

// What was moved to the host because a GPU was full. Counts of the process.
typedef struct berth_memory_spill {
  bool is_on;
  uint64_t moved_count;     // Variables moved to the host,
  uint64_t moved_bytes;     // and their bytes.
  uint64_t returned_count;  // Variables that came back.
  uint64_t away_bytes;      // On the host now.
} berth_memory_spill_t;

// Lets a request that a GPU would refuse move variables that nobody uses just
// now to the host, or not (as at first, unless BERTH_SPILL=1 is set). They come
// back when they are next read or updated. Thread-safe.
BERTH_API void berth_memory_set_spill(bool is_on);

// Fills |out_spill| (NULL: nothing happens).
BERTH_API void berth_memory_query_spill(berth_memory_spill_t *out_spill);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_SHARE_H_
