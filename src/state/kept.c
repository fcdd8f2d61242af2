// kept.c - Tensors that a session keeps for later runs, each under a text.
//
// They are resources in a container of their own, which finds them by their
// texts.
#include "state/kept.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "state/counter.h"

#define CONTAINER "TensorHandle"

typedef struct kept {
  berth_resource_t resource;  // First.
  berth_tensor_t *tensor;
} kept_t;

static void kept_destroy(berth_resource_t *resource) {
  berth_tensor_release(((kept_t *)resource)->tensor);
  berth_free(resource);
}

static berth_code_t kept_create(void *arg, berth_resource_t **out_resource,
                                berth_error_t *err) {
  kept_t *kept = berth_calloc(1, sizeof(*kept));
  if (kept == NULL) return berth_error_no_memory(err, "a tensor");
  atomic_init(&kept->resource.refs, 1);
  kept->resource.kind = BERTH_RESOURCE_KEPT;
  kept->resource.destroy = kept_destroy;
  kept->tensor = berth_tensor_retain(arg);
  *out_resource = &kept->resource;
  return BERTH_OK;
}

static berth_code_t numbers_create(void *arg, berth_resource_t **out_resource,
                                   berth_error_t *err) {
  (void)arg;
  BERTH_TRY(berth_counter_create(out_resource, err));
  (*out_resource)->kind = BERTH_RESOURCE_KEPT;
  return BERTH_OK;
}

// Counts tensors of |container|.
static berth_code_t take_number(berth_container_t *container,
                                int64_t *out_number, berth_error_t *err) {
  berth_resource_t *numbers = NULL;
  BERTH_TRY(berth_container_find_or_create(
      container, CONTAINER " numbers", BERTH_RESOURCE_KEPT, "", numbers_create,
      NULL, &numbers, err));
  *out_number = berth_counter_next((berth_counter_t *)numbers);
  berth_resource_release(numbers);
  return BERTH_OK;
}

berth_code_t berth_kept_add(berth_container_t *container, const char *name,
                            const char *device, berth_tensor_t *tensor,
                            berth_str_t *text, berth_resource_t **out_kept,
                            berth_error_t *err) {
  int64_t number = 0;
  BERTH_TRY(take_number(container, &number, err));
  berth_str_printf(text, "%s;%" PRId64 ";%s", name, number, device);
  if (!berth_str_ok(text)) return berth_error_no_memory(err, "a text");
  return berth_container_find_or_create(
      container, CONTAINER, BERTH_RESOURCE_KEPT, berth_str_get(text),
      kept_create, tensor, out_kept, err);
}

berth_tensor_t *berth_kept_find(berth_container_t *container,
                                const char *text) {
  berth_resource_t *kept =
      berth_container_find(container, CONTAINER, BERTH_RESOURCE_KEPT, text);
  if (kept == NULL) return NULL;
  berth_tensor_t *tensor = berth_tensor_retain(((kept_t *)kept)->tensor);
  berth_resource_release(kept);
  return tensor;
}

bool berth_kept_remove(berth_container_t *container, const char *text) {
  return berth_container_remove(container, CONTAINER, BERTH_RESOURCE_KEPT,
                                text);
}
