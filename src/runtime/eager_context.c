// eager_context.c - Life and settings of an eager context.
#include <limits.h>

#include "base/alloc.h"
#include "base/env.h"
#include "runtime/config.h"
#include "runtime/eager_internal.h"
#include "runtime/process.h"
#include "runtime/routine.h"

// Kinds of calls that are kept unless somebody says otherwise: more than
// programs have whose attributes do not change all the time. Each takes about
// two kilobytes.
enum { DEFAULT_LIMIT = 4096 };

static int first_limit(void) {
  int64_t limit = berth_env_int("BERTH_EAGER_CACHE", DEFAULT_LIMIT);
  return limit < 0 ? 0 : limit > INT_MAX ? INT_MAX : (int)limit;
}

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
  atomic_store(&context->limit, first_limit());
  static const atomic_int never = 0;
  context->control =
      (berth_run_control_t){.closed = &never,
                            .poll = config->poll,
                            .poll_arg = config->poll_arg,
                            .threads = config->intra_op_threads,
                            .in_turn = config->inter_op_threads == 1};
  berth_device_set_t *devices = NULL;
  BERTH_TRY(berth_device_set_create(config, &devices, err));
  atomic_store(&context->devices, devices);
  BERTH_TRY(berth_container_create(&context->container, err));
  berth_container_set_routines(context->container, berth_context_routine,
                               context);
  return BERTH_OK;
}

berth_code_t berth_context_create(const berth_config_t *config,
                                  berth_context_t **out_context,
                                  berth_error_t *err) {
  BERTH_GIVEN(out_context, err);
  berth_context_t *context = berth_calloc(1, sizeof(*context));
  if (context == NULL) return berth_error_no_memory(err, "a context");
  atomic_init(&context->refs, 1);
  berth_mutex_init(&context->lock);
  berth_mutex_init(&context->library_lock);
  berth_config_init(&context->config);
  berth_code_t code = context_init(context, config, err);
  if (code == BERTH_OK) {
    *out_context = context;
  } else {
    berth_context_destroy(context);
  }
  return code;
}

berth_context_t *berth_context_retain(berth_context_t *context) {
  atomic_fetch_add(&context->refs, 1);
  return context;
}

void berth_context_release(berth_context_t *context) {
  if (context == NULL || atomic_fetch_sub(&context->refs, 1) != 1) return;
  berth_container_destroy(context->container);
  berth_device_set_destroy(atomic_load(&context->devices));
  berth_config_clear(&context->config);
  berth_graph_release(context->scratch.graph);
  berth_mutex_deinit(&context->lock);
  berth_mutex_deinit(&context->library_lock);
  berth_free(context);
}

void berth_context_destroy(berth_context_t *context) {
  if (context == NULL) return;
  berth_eager_entries_clear(context);
  context->retired = NULL;
  berth_context_clear_functions(context);
  // What is in it may keep the context through functions that it calls.
  if (context->container != NULL) {
    berth_container_clear(context->container, NULL);
  }
  berth_context_release(context);
}

berth_code_t berth_context_refresh(berth_context_t *context,
                                   const berth_config_t *config,
                                   berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(config, err);
  berth_device_set_t *devices = NULL;
  BERTH_TRY(berth_device_set_create(config, &devices, err));
  berth_mutex_lock(&context->lock);
  devices->older = atomic_load(&context->devices);
  atomic_store(&context->devices, devices);
  // Where calls go was settled among the devices of before.
  berth_eager_entry_t *unused = berth_eager_entries_trim(context, 0);
  berth_mutex_unlock(&context->lock);
  berth_eager_entries_destroy(unused);
  return BERTH_OK;
}

int berth_context_device_count(const berth_context_t *context) {
  if (context == NULL) return 0;
  return berth_context_devices(context)->count;
}

const char *berth_context_device_name(const berth_context_t *context,
                                      int index) {
  if (context == NULL) return NULL;
  const berth_device_set_t *devices = berth_context_devices(context);
  if (index < 0 || index >= devices->count) return NULL;
  return devices->exec[index].name;
}

void berth_context_set_log_placement(berth_context_t *context, bool log) {
  if (context == NULL) return;
  atomic_store(&context->log, log);
}

void berth_context_set_soft_placement(berth_context_t *context, bool soft) {
  if (context == NULL) return;
  atomic_store(&context->soft, soft);
}

void berth_context_set_cache_limit(berth_context_t *context, int count) {
  berth_mutex_lock(&context->lock);
  atomic_store(&context->limit, count < 0 ? 0 : count);
  berth_eager_entry_t *unused =
      berth_eager_entries_trim(context, atomic_load(&context->limit));
  berth_mutex_unlock(&context->lock);
  berth_eager_entries_destroy(unused);
}

int berth_context_cache_size(const berth_context_t *context) {
  return atomic_load(&context->count);
}
