// precision.c - How exactly the devices of this process compute.
#include "berth/config.h"
#include "device/card.h"
#include "runtime/backends.h"

void berth_process_set_tf32(bool is_allowed) {
  for (int i = 0; i < berth_backends_count(); ++i) {
    const berth_card_ops_t *cards = berth_backends_at(i)->cards;
    if (cards != NULL) cards->set_tf32(is_allowed);
  }
}

bool berth_process_has_tf32(void) {
  bool has_any = false;
  for (int i = 0; i < berth_backends_count(); ++i) {
    const berth_card_ops_t *cards = berth_backends_at(i)->cards;
    has_any = has_any || (cards != NULL && cards->has_tf32());
  }
  return has_any;
}
