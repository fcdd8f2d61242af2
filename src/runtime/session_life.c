// session_life.c - Sessions: creating, closing, what the executor asks of them.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/env.h"
#include "exec/layout.h"
#include "kernel/bind.h"
#include "runtime/callee.h"
#include "runtime/config.h"
#include "runtime/eager_internal.h"
#include "runtime/process.h"
#include "runtime/routine.h"
#include "runtime/session_internal.h"

// ---- What the executor asks ----

static int device_of(const berth_exec_host_t *host, int32_t node) {
  const berth_session_t *session = (const berth_session_t *)host;
  int device = session->placement.device[node];
  return device >= 0 ? device : 0;
}

// Makes room for the resources of |count| nodes.
static bool resources_reserve(berth_session_t *session, int count) {
  if (count <= session->resource_count) return true;
  berth_resource_t **resources = berth_realloc(
      session->resources, (size_t)count, sizeof(*session->resources));
  if (resources == NULL) return false;
  memset(resources + session->resource_count, 0,
         (size_t)(count - session->resource_count) * sizeof(*resources));
  session->resources = resources;
  session->resource_count = count;
  return true;
}

// The executor asks while it makes a program, so the lock is held.
static berth_code_t resource_of(const berth_exec_host_t *host,
                                const berth_node_t *node,
                                berth_resource_t **out_resource,
                                berth_error_t *err) {
  berth_session_t *session = (berth_session_t *)(uintptr_t)host;
  if (!resources_reserve(session, berth_graph_node_count(session->graph))) {
    return berth_error_no_memory(err, "resources");
  }
  berth_resource_t **resource = &session->resources[node->id];
  bool is_random = node->op->owns == BERTH_OWNS_GENERATOR;
  if (*resource == NULL && node->op->owns == BERTH_OWNS_FUNCTION) {
    BERTH_TRY(berth_callee_bind(session, node, resource, err));
  } else if (*resource == NULL) {
    BERTH_TRY(berth_bind(
        node, is_random ? session->container : session->host.container,
        resource, err));
  }
  *out_resource = *resource;
  return BERTH_OK;
}

// ---- Life ----

// Drops the frames that no run uses: they keep small arenas, recordings and
// events.
static bool give_up(void *arg, berth_device_t *device) {
  (void)device;
  berth_session_t *session = arg;
  unsigned term = berth_terms_enter(&session->terms);
  bool any = false;
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry = atomic_load(&session->programs.buckets[i]);
    for (; entry != NULL; entry = atomic_load(&entry->next)) {
      any |= berth_layouts_drop_idle(entry->program);
    }
  }
  berth_terms_leave(&session->terms, term);
  return any;
}

static berth_code_t reclaimers_add(berth_session_t *session,
                                   berth_error_t *err) {
  size_t count = (size_t)session->devices.count;
  session->reclaimers = berth_calloc(count + 1, sizeof(*session->reclaimers));
  if (session->reclaimers == NULL) return berth_error_no_memory(err, "devices");
  for (size_t i = 0; i < count; ++i) {
    session->reclaimers[i] =
        (berth_reclaimer_t){.give_up = give_up, .arg = session};
    berth_reclaimer_add(session->devices.registry.devices[i],
                        &session->reclaimers[i]);
  }
  return BERTH_OK;
}

static void reclaimers_remove(berth_session_t *session) {
  for (int i = 0; session->reclaimers != NULL && i < session->devices.count;
       ++i) {
    berth_reclaimer_remove(session->devices.registry.devices[i],
                           &session->reclaimers[i]);
  }
  berth_free(session->reclaimers);
}

// Makes a routine of a function of the graph, in a context of the session's.
static berth_code_t make_routine(void *arg, const char *name,
                                 berth_routine_t **out_routine,
                                 berth_error_t *err) {
  berth_session_t *session = arg;
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&session->routine_lock);
  if (session->routine_context == NULL) {
    code =
        berth_context_create(&session->config, &session->routine_context, err);
  }
  berth_mutex_unlock(&session->routine_lock);
  if (code != BERTH_OK) return code;
  return berth_routine_create(session->routine_context, session->given, name,
                              out_routine, err);
}

// Sets what programs will know of the session, whose devices are there.
static berth_code_t host_init(berth_session_t *session, berth_error_t *err) {
  BERTH_TRY(berth_container_create(&session->container, err));
  berth_container_set_routines(session->container, make_routine, session);
  session->style = berth_config_style(&session->config);
  session->programs.most = berth_config_max_programs(&session->config);
  session->host = (berth_exec_host_t){
      .graph = session->graph,
      .devices = session->devices.exec,
      .device_count = session->devices.count,
      .container = session->context != NULL ? session->context->container
                                            : session->container,
      .terms = &session->terms,
      .keep_constants = session->config.keep_constants,
      .skips_unread = session->config.keep_constants &&
                      berth_env_bool("BERTH_SKIP_UNREAD", true),
      .joins_twins =
          session->config.keep_constants && berth_env_bool("BERTH_TWINS", true),
      .cuts_blocks = berth_env_bool("BERTH_BLOCKS", true),
      .fuses =
          session->config.keep_constants && berth_env_bool("BERTH_FUSE", true),
      .device_of = device_of,
      .resource_of = resource_of,
  };
  return reclaimers_add(session, err);
}

static berth_code_t session_init(berth_session_t *session,
                                 const berth_config_t *config,
                                 berth_error_t *err) {
  BERTH_TRY(berth_process_init(err));
  BERTH_TRY(config != NULL ? berth_config_copy(config, &session->config, err)
                           : berth_process_query_config(&session->config, err));
  config = &session->config;
  BERTH_TRY(berth_device_set_init(&session->devices, config, err));
  BERTH_TRY(host_init(session, err));
  if (config->log_device_placement) {
    berth_place_options_t options;
    berth_session_place_options(session, &options);
    berth_place_log_devices(&options);
  }
  return BERTH_OK;
}

// As above, with what |context| has and how it is set now.
static berth_code_t session_init_in(berth_session_t *session,
                                    berth_context_t *context,
                                    berth_error_t *err) {
  BERTH_TRY(berth_config_copy(&context->config, &session->config, err));
  session->config.allow_soft_placement = atomic_load(&context->soft);
  session->config.log_device_placement = atomic_load(&context->log);
  session->context = context;
  session->devices = *berth_context_devices(context);
  return host_init(session, err);
}

// Makes a session that is not ready yet; NULL when memory is short.
static berth_session_t *session_alloc(berth_graph_t *graph) {
  berth_session_t *session = berth_calloc(1, sizeof(*session));
  if (session == NULL) return NULL;
  session->given = berth_graph_retain(graph);
  session->graph = graph;
  session->preferred_device = -1;
  berth_mutex_init(&session->lock);
  berth_mutex_init(&session->routine_lock);
  berth_terms_init(&session->terms);
  session->programs.terms = &session->terms;
  berth_config_init(&session->config);
  return session;
}

berth_code_t berth_session_create(berth_graph_t *graph,
                                  const berth_config_t *config,
                                  berth_session_t **out_session,
                                  berth_error_t *err) {
  BERTH_GIVEN(out_session, err);
  BERTH_TRY(berth_graph_error(graph, err));
  berth_session_t *session = session_alloc(graph);
  if (session == NULL) return berth_error_no_memory(err, "a session");
  berth_code_t code = session_init(session, config, err);
  if (code == BERTH_OK) {
    *out_session = session;
  } else {
    berth_session_destroy(session);
  }
  return code;
}

berth_code_t berth_context_session(berth_context_t *context,
                                   berth_graph_t *graph,
                                   berth_session_t **out_session,
                                   berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(out_session, err);
  BERTH_TRY(berth_graph_error(graph, err));
  berth_session_t *session = session_alloc(graph);
  if (session == NULL) return berth_error_no_memory(err, "a session");
  berth_code_t code = session_init_in(session, context, err);
  if (code == BERTH_OK) {
    *out_session = session;
  } else {
    berth_session_destroy(session);
  }
  return code;
}

berth_code_t berth_session_enter(berth_session_t *session, unsigned *out_term,
                                 berth_error_t *err) {
  *out_term = berth_terms_enter(&session->terms);
  if (BERTH_LIKELY(atomic_load(&session->closed) == 0)) return BERTH_OK;
  berth_session_leave(session, *out_term);
  return berth_error_set(err, BERTH_CANCELLED, "Session has been closed.");
}

void berth_session_leave(berth_session_t *session, unsigned term) {
  berth_terms_leave(&session->terms, term);
}

void berth_session_cancel(berth_session_t *session) {
  if (session == NULL) return;
  atomic_store(&session->closed, 1);
}

void berth_session_close(berth_session_t *session) {
  enum { FIRST_NAP_NS = 20000, LONGEST_NAP_NS = 1000000 };
  if (session == NULL) return;
  berth_session_cancel(session);
  // A run that ends touches nothing of the session behind its count, so there
  // is nobody to wake this thread up.
  int64_t nap = FIRST_NAP_NS;
  while (berth_terms_running(&session->terms) > 0) {
    berth_sleep_ns(nap);
    if (nap < LONGEST_NAP_NS) nap *= 2;
  }
}

void berth_session_destroy(berth_session_t *session) {
  if (session == NULL) return;
  reclaimers_remove(session);
  berth_session_close(session);
  berth_program_cache_clear(&session->programs);
  berth_terms_deinit(&session->terms);
  for (int i = 0; i < session->resource_count; ++i) {
    berth_resource_release(session->resources[i]);
  }
  berth_free(session->resources);
  berth_free(session->pins);
  berth_container_destroy(session->container);
  berth_context_destroy(session->routine_context);
  berth_mutex_deinit(&session->routine_lock);
  berth_placement_deinit(&session->placement);
  if (session->context == NULL) berth_device_set_deinit(&session->devices);
  berth_config_clear(&session->config);
  berth_mutex_deinit(&session->lock);
  berth_lowering_destroy(session->lowering);
  berth_graph_release(session->given);
  berth_free(session);
}
