// bind.h - What a node owns in a session: a variable, a queue, a sequence.
//
// ops.def says which ops own something (berth_op_schema_t.owns).
//
// Threads: thread-safe, as containers are.
#ifndef BERTH_KERNEL_BIND_H_
#define BERTH_KERNEL_BIND_H_

#include "graph/graph.h"
#include "state/container.h"
#include "state/variable.h"

// Finds or makes in |container| what |node| owns and stores it, a reference
// that the caller owns; NULL where the op owns nothing until it runs. Called
// once per session and node. Fails with BERTH_INVALID_ARGUMENT when something
// else goes by its name, and with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_bind(const berth_node_t *node,
                                        berth_container_t *container,
                                        berth_resource_t **out_resource,
                                        berth_error_t *err);

// Finds or makes the variable |key| that |node|'s attributes describe, and
// stores a reference that the caller owns. Fails as berth_bind() does: a
// variable of another type is something else.
BERTH_NODISCARD berth_code_t berth_bind_variable(
    const berth_node_t *node, berth_container_t *container, const char *key,
    berth_variable_t **out_variable, berth_error_t *err);

// The shared name of a VarHandleOp that makes a new variable each time it runs.
#define BERTH_ANONYMOUS "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

#endif  // BERTH_KERNEL_BIND_H_
