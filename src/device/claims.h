// claims.h - Which cards the processes of this user have chosen.
//
// A process that has chosen a card may take seconds until it holds anything
// there. Until then a claim says so: a line of one file in the folder of
// board_file.h, which is a process's while it holds a record lock on it, and
// nobody's when that process has died, however it has.
//
//   claims   [ pid, card | pid, card | (nobody's) | pid, card | … ]
//   locks      4711        4711                     4712
//
// Choosing is done by one process at a time: another lock is held from
// berth_claims_begin() to berth_claims_end(). So processes that start together
// see each other's choices.
//
// Threads: the caller serialises. A forked child has no claims.
#ifndef BERTH_DEVICE_CLAIMS_H_
#define BERTH_DEVICE_CLAIMS_H_

#include <stdbool.h>
#include <stdint.h>

#include "device/card.h"

typedef struct berth_claim {
  int64_t pid;
  char key[BERTH_CARD_UUID];  // Of the card.
} berth_claim_t;

// Waits until nobody else chooses, a few seconds at most. False when there is
// no folder, or somebody does not come to an end: then nobody's claims are
// known, and none can be made.
bool berth_claims_begin(void);

// Fills |claims| with those of other processes that live, at most |room|, and
// returns how many these are. Between begin and end.
int berth_claims_list(berth_claim_t *claims, int room);

// Claims the card |key| until this process ends. Between begin and end.
void berth_claims_add(const char *key);

// Lets others choose.
void berth_claims_end(void);

#endif  // BERTH_DEVICE_CLAIMS_H_
