// shares.c - Cards that several Berth processes share.
#include "berth/share.h"

#include "device/board.h"
#include "device/keeper.h"
#include "runtime/cards.h"

berth_code_t berth_card_shares(berth_card_share_t *shares, int room,
                               int *out_count, berth_error_t *err) {
  BERTH_GIVEN_LIST(shares, room, err);
  BERTH_GIVEN(out_count, err);
  berth_keeper_tell();
  *out_count = berth_board_list(shares, room);
  return BERTH_OK;
}

berth_code_t berth_card_ask(int index, uint64_t bytes, uint64_t *out_bytes,
                            berth_error_t *err) {
  const berth_card_info_t *card = berth_cards_info(index);
  if (card == NULL) {
    int count = 0;
    BERTH_TRY(berth_cards_count(&count, err));
    return berth_error_set(err, BERTH_OUT_OF_RANGE,
                           "card %d of %d was asked for", index, count);
  }
  char key[BERTH_ACCOUNT_KEY];
  berth_account_key(card, key);
  uint64_t given =
      berth_board_ask(key, bytes, (int64_t)BERTH_ASK_WAIT_MS * 1000000);
  if (out_bytes != NULL) *out_bytes = given;
  return BERTH_OK;
}
