// machine.h - The simulated machine: its cards and who holds what of them.
//
// Read from BERTH_SIMULATE_GPUS by the first of cuInit() and nvmlInit(), and
// constant from then on.
//
// Thread-safe.
#ifndef BERTH_SOFTGPU_MACHINE_H_
#define BERTH_SOFTGPU_MACHINE_H_

#include "base/error.h"
#include "softgpu/card.h"
#include "softgpu/ledger.h"

typedef struct berth_soft_machine {
  berth_soft_cards_t cards;
  berth_soft_ledger_t *ledger;
} berth_soft_machine_t;

// Opens the machine, or finds it open. Fails with BERTH_NOT_FOUND when there is
// nothing to simulate, BERTH_INVALID_ARGUMENT when the spec or the seed of
// stress.h is wrong (which is logged, because a driver's interface has no room
// for words) and BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_soft_machine_open(const berth_soft_machine_t **out_machine);

// Returns the machine. Only after it was opened.
const berth_soft_machine_t *berth_soft_machine_get(void);

#endif  // BERTH_SOFTGPU_MACHINE_H_
