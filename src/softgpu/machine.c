// machine.c - The simulated machine: its cards and who holds what of them.
#include "softgpu/machine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/log.h"
#include "base/thread.h"
#include "softgpu/exports.h"
#include "softgpu/spec.h"
#include "softgpu/stress.h"

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards opening.
static _Atomic(const berth_soft_machine_t *) the_machine = NULL;

static berth_code_t create(const char *spec, berth_error_t *err) {
  berth_soft_machine_t *machine = berth_calloc(1, sizeof(*machine));
  if (machine == NULL) return berth_error_no_memory(err, "simulated cards");
  berth_code_t code = berth_soft_spec_parse(spec, &machine->cards, err);
  if (code != BERTH_OK) {
    (void)berth_error_prepend(err, "BERTH_SIMULATE_GPUS: ");
    goto done;
  }
  code = berth_soft_stress_read(err);
  if (code != BERTH_OK) goto done;
  machine->ledger = berth_soft_ledger_open(&machine->cards);
  if (machine->ledger == NULL) {
    code = berth_error_no_memory(err, "simulated cards");
    goto done;
  }
  atomic_store_explicit(&the_machine, machine, memory_order_release);
  machine = NULL;
done:
  berth_free(machine);
  return code;
}

berth_code_t berth_soft_machine_open(const berth_soft_machine_t **out_machine) {
  const char *spec = berth_env_get("BERTH_SIMULATE_GPUS");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&lock);
  if (berth_soft_machine_get() == NULL) {
    bool is_set = spec != NULL && spec[0] != '\0';
    code = is_set ? create(spec, &err) : BERTH_NOT_FOUND;
  }
  berth_mutex_unlock(&lock);
  if (code == BERTH_INVALID_ARGUMENT) {
    berth_log(BERTH_LOG_ERROR, "softgpu/machine.c", __LINE__, "%s",
              berth_error_message(&err));
  }
  berth_error_clear(&err);
  if (code == BERTH_OK) *out_machine = berth_soft_machine_get();
  return code;
}

const berth_soft_machine_t *berth_soft_machine_get(void) {
  return atomic_load_explicit(&the_machine, memory_order_acquire);
}

int berth_softgpu_check(const char *spec, char *text, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = -1;
  if (size > 0) text[0] = '\0';
  berth_soft_cards_t *cards = berth_alloc(sizeof(*cards));
  if (cards == NULL) return -1;
  if (berth_soft_spec_parse(spec, cards, &err) == BERTH_OK) {
    count = cards->count;
  } else if (size > 0) {
    snprintf(text, size, "%s", berth_error_message(&err));
  }
  berth_free(cards);
  berth_error_clear(&err);
  return count;
}
