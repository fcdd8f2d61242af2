// deref.h - Reading the value behind a reference, and giving it another shape.
//
// A reference edge carries a variable. Where a consumer wants its value, the
// program has a step that reads it just before: the value is a counted tensor,
// so that an update meanwhile does not disturb whoever still uses it.
#ifndef BERTH_EXEC_DEREF_H_
#define BERTH_EXEC_DEREF_H_

#include "exec/program.h"
#include "state/variable.h"

extern const berth_kernel_t berth_deref_kernel;

// Returns the variable behind the reference at |handle|, borrowed from it; NULL
// when it is to something else, of which what is read are the texts that name it.
berth_variable_t *berth_deref_variable(const void *handle);

// Makes a node for such a step in |arena|, named after who wants the value;
// NULL when memory is short.
berth_node_t *berth_deref_node(berth_arena_t *arena, const char *name,
                               berth_dtype_t dtype);

// Has the steps of |program|, whose order is settled, that read what is only
// taken rows of borrow it (state/rows.h). Fails when memory is short.
BERTH_NODISCARD berth_code_t berth_derefs_finish(berth_program_t *program,
                                                 berth_error_t *err);

// Fills |step|, whose device is set, with one of two inputs that gives the first
// the shape of the second: what a variable holds, in the shape in which it was
// seen before. Where they have different numbers of elements the second comes
// out: an update that changes that leaves alone what was read before it. Its
// node, called |label|, is made in |arena|; false when memory is short.
bool berth_view_step(const char *label, berth_dtype_t dtype,
                     berth_arena_t *arena, berth_step_t *step);

#endif  // BERTH_EXEC_DEREF_H_
