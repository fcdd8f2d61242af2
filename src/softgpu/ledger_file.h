// ledger_file.h - Finding and opening the file of a ledger, and no other.
//
// The path may be anybody's invention and lie where others can write, so a file
// is used only if it cannot be anything else and nobody else can have a hand in
// it: a regular file of this user that others cannot write, not reached by a
// symbolic link, in a folder of this user or of root where others cannot
// replace it. Its contents are for ledger.c to look at.
#ifndef BERTH_SOFTGPU_LEDGER_FILE_H_
#define BERTH_SOFTGPU_LEDGER_FILE_H_

#include <stdbool.h>
#include <stddef.h>

#include "softgpu/card.h"

// Stores the path of the ledger of |cards|: $BERTH_SIMULATE_LEDGER, or a name
// made of the cards under $XDG_RUNTIME_DIR or /tmp/berth-<user>, a folder that
// is made here. False when it is longer than |size|.
bool berth_soft_ledger_path(const berth_soft_cards_t *cards, char *path,
                            size_t size);

// Opens or creates |path| and returns the descriptor; -1 when there is a
// reason against it, which is then in |why|. Never blocks.
int berth_soft_ledger_file_open(const char *path, char *why, size_t size);

#endif  // BERTH_SOFTGPU_LEDGER_FILE_H_
