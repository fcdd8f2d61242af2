// eager_context.c - Life and settings of an eager context.
#include "base/alloc.h"
#include "runtime/config.h"
#include "runtime/eager_internal.h"
#include "runtime/process.h"

static berth_code_t context_init(berth_context_t *context,
                                 const berth_config_t *config,
                                 berth_error_t *err) {
  BERTH_TRY(berth_process_init(err));
  if (config != NULL) {
    BERTH_TRY(berth_config_copy(config, &context->config, err));
  } else {
    BERTH_TRY(berth_process_query_config(&context->config, err));
    // As in TensorFlow 2: eager calls go elsewhere unless told not to.
    if (!berth_process_is_configured()) {
      context->config.allow_soft_placement = true;
    }
  }
  config = &context->config;
  context->style = berth_config_style(config);
  atomic_store(&context->log, config->log_device_placement);
  atomic_store(&context->soft, config->allow_soft_placement);
  context->graph = berth_graph_create();
  if (context->graph == NULL) return berth_error_no_memory(err, "a context");
  BERTH_TRY(berth_device_set_init(&context->devices, config, err));
  return berth_container_create(&context->container, err);
}

berth_code_t berth_context_create(const berth_config_t *config,
                                  berth_context_t **out_context,
                                  berth_error_t *err) {
  berth_context_t *context = berth_calloc(1, sizeof(*context));
  if (context == NULL) return berth_error_no_memory(err, "a context");
  berth_mutex_init(&context->lock);
  berth_config_init(&context->config);
  berth_code_t code = context_init(context, config, err);
  if (code == BERTH_OK) {
    *out_context = context;
  } else {
    berth_context_destroy(context);
  }
  return code;
}

void berth_context_destroy(berth_context_t *context) {
  if (context == NULL) return;
  for (int i = 0; i < BERTH_EAGER_BUCKETS; ++i) {
    berth_eager_entry_t *entry = atomic_load(&context->buckets[i]);
    for (; entry != NULL; entry = entry->next) berth_eager_entry_deinit(entry);
  }
  berth_container_destroy(context->container);
  berth_device_set_deinit(&context->devices);
  berth_config_clear(&context->config);
  berth_graph_release(context->graph);
  berth_arena_clear(&context->arena);
  berth_mutex_deinit(&context->lock);
  berth_free(context);
}

int berth_context_device_count(const berth_context_t *context) {
  return context->devices.count;
}

const char *berth_context_device_name(const berth_context_t *context,
                                      int index) {
  if (index < 0 || index >= context->devices.count) return NULL;
  return context->devices.exec[index].name;
}

void berth_context_set_log_placement(berth_context_t *context, bool log) {
  atomic_store(&context->log, log);
}

void berth_context_set_soft_placement(berth_context_t *context, bool soft) {
  atomic_store(&context->soft, soft);
}
