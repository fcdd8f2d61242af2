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

#ifdef __cplusplus
}
#endif
#endif  // BERTH_SHARE_H_
