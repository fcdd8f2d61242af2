// container.h - The resources of a session, by name.
//
// A resource is found by the container it is in ("" is the session's default),
// its kind and its key, which is the shared name or the name of the node that
// owns it. What is found is counted: a program that uses it keeps it, even when
// the container is cleared.
//
// Thread-safe.
#ifndef BERTH_STATE_CONTAINER_H_
#define BERTH_STATE_CONTAINER_H_

#include <stdbool.h>
#include "base/error.h"

#include "state/resource.h"

typedef struct berth_container berth_container_t;

BERTH_NODISCARD berth_code_t
berth_container_create(berth_container_t **out_container, berth_error_t *err);
// Lets go of all resources. NULL is fine.
void berth_container_destroy(berth_container_t *container);

// Makes a resource with one reference.
typedef berth_code_t (*berth_resource_fn)(void *arg,
                                          berth_resource_t **out_resource,
                                          berth_error_t *err);

// Stores the resource called |key| in |name|, made by |create| if there is
// none; the caller owns one reference. |create| is called with the lock held
// and must not come back here.
BERTH_NODISCARD berth_code_t berth_container_find_or_create(
    berth_container_t *container, const char *name, berth_resource_kind_t kind,
    const char *key, berth_resource_fn create, void *arg,
    berth_resource_t **out_resource, berth_error_t *err);

// Returns the resource, or NULL. The caller owns one reference.
berth_resource_t *berth_container_find(berth_container_t *container,
                                       const char *name,
                                       berth_resource_kind_t kind,
                                       const char *key);

// Forgets one resource; false when there is none.
bool berth_container_remove(berth_container_t *container, const char *name,
                            berth_resource_kind_t kind, const char *key);

// Remembers that TensorFlow would have a container by now, and tells: its
// errors about missing resources differ. A handle alone makes none there; a
// value, a reference or a queue does.
void berth_container_mark(berth_container_t *container);
bool berth_container_is_marked(const berth_container_t *container);

// Forgets everything in |name|; NULL: everything.
void berth_container_clear(berth_container_t *container, const char *name);

#endif  // BERTH_STATE_CONTAINER_H_
