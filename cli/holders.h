// holders.h - Who holds memory of which card: what `berth top` and `berth
// memory` show.
#ifndef BERTH_CLI_HOLDERS_H_
#define BERTH_CLI_HOLDERS_H_

#include <berth/berth.h>

#include "json.h"

// A process on a card.
typedef struct cli_holder {
  int64_t pid;
  char program[64];  // "" when it is not known.
  uint64_t bytes;    // Of the card; UINT64_MAX: the driver does not say.
  bool is_berth;
  berth_card_share_t share;  // If |is_berth|.
} cli_holder_t;

typedef struct cli_card_view {
  berth_card_t card;
  cli_holder_t *holders;  // Owned; those with the most first.
  int holder_count;
} cli_card_view_t;

typedef struct cli_view {
  cli_card_view_t *cards;
  int card_count;
} cli_view_t;

// Looks at all cards and all processes of Berth. Returns the exit status; tells
// what is wrong.
int cli_view_take(cli_view_t *view);
void cli_view_clear(cli_view_t *view);

// Writes it as member "cards" of the object that is open.
void cli_view_write(const cli_view_t *view, cli_json_t *json);

#endif  // BERTH_CLI_HOLDERS_H_
