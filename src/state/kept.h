// kept.h - Tensors that a session keeps for later runs, each under a text.
//
// Threads: thread-safe.
#ifndef BERTH_STATE_KEPT_H_
#define BERTH_STATE_KEPT_H_

#include "base/str.h"
#include "state/container.h"
#include "tensor/tensor.h"

// Keeps |tensor|, retained. Appends its text to |text|, which is empty:
// "name;number;device", the number being that of tensors before it. Stores what
// holds it, a reference that the caller owns. Fails with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_kept_add(berth_container_t *container,
                                            const char *name,
                                            const char *device,
                                            berth_tensor_t *tensor,
                                            berth_str_t *text,
                                            berth_resource_t **out_kept,
                                            berth_error_t *err);

// Returns the tensor of |text|, a reference that the caller owns, or NULL.
berth_tensor_t *berth_kept_find(berth_container_t *container, const char *text);

// Lets go of it; false where there is none.
bool berth_kept_remove(berth_container_t *container, const char *text);

#endif  // BERTH_STATE_KEPT_H_
