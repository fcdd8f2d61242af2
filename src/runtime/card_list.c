// card_list.c - Listing the cards of the machine, for programs.
#include "berth/device.h"
#include "runtime/cards.h"

berth_code_t berth_card_count(int *out_count, berth_error_t *err) {
  BERTH_GIVEN(out_count, err);
  return berth_cards_count(out_count, err);
}

berth_code_t berth_card_query(int index, berth_card_t *out_card,
                              berth_error_t *err) {
  BERTH_GIVEN(out_card, err);
  uint64_t free_bytes = 0, total_bytes = 0;
  BERTH_TRY(berth_cards_memory(index, &free_bytes, &total_bytes, err));
  const berth_card_info_t *info = berth_cards_info(index);
  *out_card = (berth_card_t){.name = info->name,
                             .uuid = info->uuid,
                             .pci_bus_id = info->pci_bus_id,
                             .bus_index = info->bus_index,
                             .fast_index = info->fast_index,
                             .cc_major = info->cc_major,
                             .cc_minor = info->cc_minor,
                             .total_bytes = total_bytes,
                             .free_bytes = free_bytes,
                             .is_slice = info->is_slice,
                             .is_simulated = info->is_simulated};
  return BERTH_OK;
}

// Processes that are listed at once; nobody has more on a card.
enum { MOST_USERS = 128 };

berth_code_t berth_card_query_users(int index, berth_card_user_t *users,
                                    int room, int *out_count,
                                    berth_error_t *err) {
  BERTH_GIVEN_LIST(users, room, err);
  BERTH_GIVEN(out_count, err);
  berth_card_process_t processes[MOST_USERS];
  int count = 0;
  BERTH_TRY(berth_cards_processes(index, processes, MOST_USERS, &count, err));
  for (int i = 0; i < count && i < room && i < MOST_USERS; ++i) {
    users[i] = (berth_card_user_t){.pid = processes[i].pid,
                                   .bytes = processes[i].bytes};
  }
  *out_count = count;
  return BERTH_OK;
}

const char *berth_card_problem(void) { return berth_cards_problem(); }
