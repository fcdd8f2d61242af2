// tell.h - How programs do a node, in words.
#ifndef BERTH_EXEC_TELL_H_
#define BERTH_EXEC_TELL_H_

#include "base/str.h"
#include "exec/program.h"

// Appends a sentence, with a space before it, where |node| has no step to itself
// in |program|: another computes the same (twin.h), or it is done as one with
// others (fuse.h) in the layout made last. False when there is nothing to say, as
// of constants.
// The caller is counted in the host's terms.
bool berth_program_tell(berth_program_t *program, int32_t node,
                        berth_str_t *str);

#endif  // BERTH_EXEC_TELL_H_
