// offsets.h - Where in the arena each value of a layout lies.
#ifndef BERTH_EXEC_OFFSETS_H_
#define BERTH_EXEC_OFFSETS_H_

#include "exec/layout.h"

// Gives every ARENA slot an offset and sets the sizes of the arenas, with
// scratch space behind the values. Values share bytes when the last use of one
// comes before the other is made, in one segment; what crosses segments or
// streams shares with nobody. Parts of a fan share nothing with each other, and
// have scratch space of their own. |plans|, by step.
BERTH_NODISCARD berth_code_t berth_offsets_assign(berth_layout_t *layout,
                                                  const berth_planned_t *plans,
                                                  berth_error_t *err);

#endif  // BERTH_EXEC_OFFSETS_H_
