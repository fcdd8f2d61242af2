// simulate.h - Gives a test cards that are made in software.
//
// They have accounts of their own, in a file, so that tests that run at the
// same time do not see each other.
#ifndef BERTH_TESTS_SIMULATE_H_
#define BERTH_TESTS_SIMULATE_H_

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char simulate_accounts[64];  // The file's path.

// Removes the file of the accounts; those who have it open keep it.
static inline void simulate_forget(void) { unlink(simulate_accounts); }

// Simulates |spec| in this process and those it starts.
static inline void simulate_cards(const char *spec) {
  snprintf(simulate_accounts, sizeof(simulate_accounts),
           "/tmp/berth-accounts-%d", (int)getpid());
  simulate_forget();  // Of another process that had this number.
  setenv("BERTH_SIMULATE_LEDGER", simulate_accounts, 1);
  setenv("BERTH_SIMULATE_GPUS", spec, 1);
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("CUDA_DEVICE_ORDER");
}

#endif  // BERTH_TESTS_SIMULATE_H_
