// config.c - Settings from and to TensorFlow's ConfigProto.
//
// A config that was parsed keeps the whole message, so that writing it back
// loses nothing: known fields are taken from the struct, the rest stays as it
// was read, fields that this version does not know included.
#include "berth/config.h"

#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/str.h"
#include "berth/session.h"
#include "runtime/config.h"
#include "runtime/config_gpu.h"
#include "wire/message.h"
#include "wire/run.pb-c.h"

typedef Berth__Wire__ConfigProto message_t;
typedef Berth__Wire__ConfigProto__DeviceCountEntry device_count_t;

// What a parsed config owns.
typedef struct owned {
  berth_arena_t arena;
  message_t *message;
} owned_t;

void berth_config_init(berth_config_t *config) {
  if (config != NULL) *config = BERTH_CONFIG_INIT;
}

void berth_config_clear(berth_config_t *config) {
  if (config == NULL) return;
  owned_t *owned = config->owned;
  if (owned != NULL) {
    berth_arena_clear(&owned->arena);
    berth_free(owned);
  }
  berth_config_init(config);
}

// How many programs a session keeps unless it is told otherwise: each takes
// some ten to a hundred KiB.
enum { MAX_PROGRAMS = 512 };

berth_log_style_t berth_config_style(const berth_config_t *config) {
  const char *text = berth_env_get("BERTH_PLACEMENT_LOG");
  if (text == NULL) return config->log_style;
  if (strcmp(text, "tf2") == 0) return BERTH_STYLE_TF2;
  if (strcmp(text, "classic") == 0) return BERTH_STYLE_CLASSIC;
  return BERTH_STYLE_DEFAULT;
}

int berth_config_max_programs(const berth_config_t *config) {
  int64_t most = config->max_programs > 0
                     ? config->max_programs
                     : berth_env_int("BERTH_MAX_PROGRAMS", MAX_PROGRAMS);
  return most < 1 ? 1 : most > INT32_MAX ? INT32_MAX : (int)most;
}

// ---- Reading ----

static void read_device_count(const message_t *message,
                              berth_config_t *config) {
  for (size_t i = 0; i < message->n_device_count; ++i) {
    const device_count_t *entry = message->device_count[i];
    // Fewer than none is none; below 0 nobody has said how many.
    if (strcmp(entry->key, "CPU") == 0) {
      config->cpu_count = entry->value > 0 ? entry->value : 0;
    }
    if (strcmp(entry->key, "GPU") == 0) config->gpu_count = entry->value;
  }
}

static void read_graph_options(const Berth__Wire__GraphOptions *options,
                               berth_config_t *config) {
  if (options == NULL) return;
  config->place_pruned_graph = options->place_pruned_graph;
  const Berth__Wire__OptimizerOptions *optimizer = options->optimizer_options;
  if (optimizer == NULL) return;
  config->keep_constants =
      optimizer->opt_level != BERTH__WIRE__OPTIMIZER_OPTIONS__LEVEL__L0 ||
      optimizer->do_constant_folding;
}

static void read_message(const message_t *message, berth_config_t *config) {
  read_device_count(message, config);
  read_graph_options(message->graph_options, config);
  config->intra_op_threads = message->intra_op_parallelism_threads;
  config->inter_op_threads = message->inter_op_parallelism_threads;
  config->inter_op_pools = (int)message->n_session_inter_op_thread_pool;
  config->allow_soft_placement = message->allow_soft_placement;
  config->log_device_placement = message->log_device_placement;
  config->use_per_session_threads = message->use_per_session_threads;
  config->isolate_session_state = message->isolate_session_state;
  config->timeout_ms = message->operation_timeout_in_ms;
}

berth_code_t berth_config_parse(const void *bytes, size_t size,
                                berth_config_t *config, berth_error_t *err) {
  BERTH_GIVEN_LIST(bytes, size, err);
  BERTH_GIVEN(config, err);
  owned_t *owned = berth_calloc(1, sizeof(*owned));
  if (owned == NULL) return berth_error_no_memory(err, "a configuration");
  ProtobufCMessage *message = NULL;
  berth_code_t code =
      berth_message_unpack(&berth__wire__config_proto__descriptor, bytes, size,
                           &owned->arena, &message, err);
  if (code != BERTH_OK) {
    berth_arena_clear(&owned->arena);
    berth_free(owned);
    return code;
  }
  owned->message = (message_t *)message;
  berth_config_t read;
  berth_config_init(&read);
  read.owned = owned;
  read_message(owned->message, &read);
  if (!berth_config_read_gpu(owned->message->gpu_options, &read,
                             &owned->arena)) {
    berth_config_clear(&read);
    return berth_error_no_memory(err, "a configuration");
  }
  *config = read;
  return BERTH_OK;
}

// ---- Writing ----

// Sets device_count[|key|], replacing the entry or adding one.
static bool write_device_count(message_t *message, const char *key, int value,
                               berth_arena_t *arena) {
  if (value < 0) return true;
  for (size_t i = 0; i < message->n_device_count; ++i) {
    if (strcmp(message->device_count[i]->key, key) == 0) {
      message->device_count[i]->value = value;
      return true;
    }
  }
  size_t count = message->n_device_count;
  device_count_t **entries =
      berth_arena_calloc(arena, count + 1, sizeof(*entries));
  device_count_t *entry = berth_message_new(
      &berth__wire__config_proto__device_count_entry__descriptor, arena);
  char *name = berth_arena_strndup(arena, key, strlen(key));
  if (entries == NULL || entry == NULL || name == NULL) return false;
  if (count > 0) {
    memcpy(entries, message->device_count, count * sizeof(*entries));
  }
  entry->key = name;
  entry->value = value;
  entries[count] = entry;
  message->device_count = entries;
  message->n_device_count = count + 1;
  return true;
}

static bool write_graph_options(message_t *message,
                                const berth_config_t *config,
                                berth_arena_t *arena) {
  if (message->graph_options == NULL) {
    if (!config->place_pruned_graph && config->keep_constants) return true;
    message->graph_options =
        berth_message_new(&berth__wire__graph_options__descriptor, arena);
    if (message->graph_options == NULL) return false;
  }
  Berth__Wire__GraphOptions *out = message->graph_options;
  out->place_pruned_graph = config->place_pruned_graph;
  if (out->optimizer_options == NULL) {
    if (config->keep_constants) return true;
    out->optimizer_options =
        berth_message_new(&berth__wire__optimizer_options__descriptor, arena);
    if (out->optimizer_options == NULL) return false;
  }
  if (!config->keep_constants) {
    out->optimizer_options->opt_level =
        BERTH__WIRE__OPTIMIZER_OPTIONS__LEVEL__L0;
    out->optimizer_options->do_constant_folding = false;
  } else if (out->optimizer_options->opt_level ==
             BERTH__WIRE__OPTIMIZER_OPTIONS__LEVEL__L0) {
    out->optimizer_options->do_constant_folding = true;
  }
  return true;
}

static bool write_message(message_t *message, const berth_config_t *config,
                          berth_arena_t *arena) {
  message->intra_op_parallelism_threads = config->intra_op_threads;
  message->inter_op_parallelism_threads = config->inter_op_threads;
  message->allow_soft_placement = config->allow_soft_placement;
  message->log_device_placement = config->log_device_placement;
  message->use_per_session_threads = config->use_per_session_threads;
  message->isolate_session_state = config->isolate_session_state;
  message->operation_timeout_in_ms = config->timeout_ms;
  return write_device_count(message, "CPU", config->cpu_count, arena) &&
         write_device_count(message, "GPU", config->gpu_count, arena) &&
         berth_config_write_gpu(message, config, arena) &&
         write_graph_options(message, config, arena);
}

// What a caller means that was compiled when there were fewer settings.
static berth_config_t complete(const berth_config_t *config) {
  berth_config_t whole;
  berth_config_init(&whole);
  size_t size = config->struct_size;
  if (size == 0 || size > sizeof(whole)) size = sizeof(whole);
  memcpy(&whole, config, size);
  return whole;
}

static berth_code_t serialize(const berth_config_t *config, void **out_bytes,
                              size_t *out_size, berth_error_t *err) {
  const owned_t *owned = config->owned;
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code = BERTH_OK;
  if (owned != NULL) {
    code = berth_message_copy(&owned->message->base, &arena, &message, err);
  } else {
    message = berth_message_new(&berth__wire__config_proto__descriptor, &arena);
    if (message == NULL) code = berth_error_no_memory(err, "a configuration");
  }
  if (code == BERTH_OK &&
      !write_message((message_t *)message, config, &arena)) {
    code = berth_error_no_memory(err, "a configuration");
  }
  if (code == BERTH_OK) {
    code = berth_message_pack(message, out_bytes, out_size, err);
  }
  berth_arena_clear(&arena);
  return code;
}

berth_code_t berth_config_serialize(const berth_config_t *config,
                                    void **out_bytes, size_t *out_size,
                                    berth_error_t *err) {
  BERTH_GIVEN(config, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  berth_config_t whole = complete(config);
  BERTH_TRY(berth_config_check_gpu(&whole, err));
  return serialize(&whole, out_bytes, out_size, err);
}

// ---- Copies ----

berth_code_t berth_config_copy(const berth_config_t *from, berth_config_t *to,
                               berth_error_t *err) {
  BERTH_GIVEN(from, err);
  BERTH_GIVEN(to, err);
  void *bytes = NULL;
  size_t size = 0;
  BERTH_TRY(berth_config_serialize(from, &bytes, &size, err));
  berth_config_t copy;
  berth_code_t code = berth_config_parse(bytes, size, &copy, err);
  berth_free(bytes);
  if (code != BERTH_OK) return code;
  // What a ConfigProto has no field for.
  copy.log_style = from->log_style;
  copy.strict_placement = from->strict_placement;
  copy.inter_op_pools = from->inter_op_pools;
  copy.poll = from->poll;
  copy.poll_arg = from->poll_arg;
  copy.max_programs = complete(from).max_programs;
  *to = copy;
  return BERTH_OK;
}

// ---- RunOptions ----

berth_code_t berth_run_parse_options(berth_run_t *run, const void *bytes,
                                     size_t size, berth_error_t *err) {
  BERTH_GIVEN(run, err);
  BERTH_GIVEN_LIST(bytes, size, err);
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code =
      berth_message_unpack(&berth__wire__run_options__descriptor, bytes, size,
                           &arena, &message, err);
  if (code == BERTH_OK) {
    const Berth__Wire__RunOptions *options =
        (const Berth__Wire__RunOptions *)message;
    run->timeout_ms = options->timeout_in_ms;
    run->inter_op_pool = options->inter_op_thread_pool;
    run->trace =
        options->trace_level != BERTH__WIRE__RUN_OPTIONS__TRACE_LEVEL__NO_TRACE;
    run->output_partition_graphs = options->output_partition_graphs;
  }
  berth_arena_clear(&arena);
  return code;
}
