// config_gpu.c - The part of a configuration that is about GPUs, as messages.
#include "runtime/config_gpu.h"

#include <string.h>

#include "wire/message.h"

typedef Berth__Wire__GPUOptions options_t;
typedef Berth__Wire__GPUOptions__Experimental experimental_t;
typedef Berth__Wire__GPUOptions__Experimental__VirtualDevices virtual_t;

// ---- Reading ----

static bool read_virtual(const experimental_t *from,
                         berth_gpu_experimental_t *to, berth_arena_t *arena) {
  size_t count = from->n_virtual_devices;
  if (count == 0) return true;
  berth_virtual_devices_t *cards =
      berth_arena_calloc(arena, count, sizeof(*cards));
  if (cards == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    const virtual_t *entry = from->virtual_devices[i];
    cards[i] = (berth_virtual_devices_t){
        .memory_limit_mb = entry->memory_limit_mb,
        .priority = entry->priority,
        .device_ordinal = entry->device_ordinal,
        .memory_limit_count = (int)entry->n_memory_limit_mb,
        .priority_count = (int)entry->n_priority,
        .device_ordinal_count = (int)entry->n_device_ordinal};
  }
  to->virtual_devices = cards;
  to->virtual_device_count = (int)count;
  return true;
}

bool berth_config_read_gpu(const Berth__Wire__GPUOptions *options,
                           berth_config_t *config, berth_arena_t *arena) {
  if (options == NULL) return true;
  config->gpu = (berth_gpu_config_t){
      .memory_fraction = options->per_process_gpu_memory_fraction,
      .allow_growth = options->allow_growth,
      .force_gpu_compatible = options->force_gpu_compatible,
      .allocator_type = options->allocator_type,
      .visible_devices = options->visible_device_list};
  const experimental_t *from = options->experimental;
  if (from == NULL) return true;
  config->gpu_experimental = (berth_gpu_experimental_t){
      .devices_per_card = from->num_virtual_devices_per_gpu,
      .fragmentation_fraction = from->internal_fragmentation_fraction,
      .system_memory_mb = from->gpu_system_memory_size_in_mb,
      .use_unified_memory = from->use_unified_memory,
      .use_cuda_malloc_async = from->use_cuda_malloc_async,
      .no_retry = from->disallow_retry_on_allocation_failure};
  config->gpu_budget = from->berth_budget;
  return read_virtual(from, &config->gpu_experimental, arena);
}

// ---- Writing ----

static bool has_text(const char *text) {
  return text != NULL && text[0] != '\0';
}

static bool has_options(const berth_gpu_config_t *gpu) {
  return gpu->memory_fraction != 0 || gpu->allow_growth ||
         gpu->force_gpu_compatible || has_text(gpu->allocator_type) ||
         has_text(gpu->visible_devices);
}

static bool has_experimental(const berth_config_t *config) {
  const berth_gpu_experimental_t *gpu = &config->gpu_experimental;
  return has_text(config->gpu_budget) || gpu->virtual_device_count > 0 ||
         gpu->devices_per_card != 0 || gpu->fragmentation_fraction != 0 ||
         gpu->system_memory_mb != 0 || gpu->use_unified_memory ||
         gpu->use_cuda_malloc_async || gpu->no_retry;
}

static bool write_text(char **field, const char *text, berth_arena_t *arena) {
  if (text == NULL) text = "";
  *field = berth_arena_strndup(arena, text, strlen(text));
  return *field != NULL;
}

// Copies |count| numbers of four bytes each.
static bool write_list(void *field, size_t *out_count, const void *numbers,
                       int count, berth_arena_t *arena) {
  *out_count = 0;
  if (count <= 0) return true;
  void *copy = berth_arena_calloc(arena, (size_t)count, 4);
  if (copy == NULL) return false;
  memcpy(copy, numbers, (size_t)count * 4);
  memcpy(field, &copy, sizeof(copy));
  *out_count = (size_t)count;
  return true;
}

static virtual_t *write_card(const berth_virtual_devices_t *card,
                             berth_arena_t *arena) {
  virtual_t *out = berth_message_new(
      &berth__wire__gpuoptions__experimental__virtual_devices__descriptor,
      arena);
  bool is_written =
      out != NULL &&
      write_list(&out->memory_limit_mb, &out->n_memory_limit_mb,
                 card->memory_limit_mb, card->memory_limit_count, arena) &&
      write_list(&out->priority, &out->n_priority, card->priority,
                 card->priority_count, arena) &&
      write_list(&out->device_ordinal, &out->n_device_ordinal,
                 card->device_ordinal, card->device_ordinal_count, arena);
  return is_written ? out : NULL;
}

static bool write_virtual(experimental_t *to,
                          const berth_gpu_experimental_t *from,
                          berth_arena_t *arena) {
  to->n_virtual_devices = 0;
  size_t count = (size_t)from->virtual_device_count;
  if (from->virtual_device_count <= 0) return true;
  to->virtual_devices =
      berth_arena_calloc(arena, count, sizeof(to->virtual_devices[0]));
  if (to->virtual_devices == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    to->virtual_devices[i] = write_card(&from->virtual_devices[i], arena);
    if (to->virtual_devices[i] == NULL) return false;
  }
  to->n_virtual_devices = count;
  return true;
}

static bool write_experimental(options_t *options, const berth_config_t *config,
                               berth_arena_t *arena) {
  const berth_gpu_experimental_t *from = &config->gpu_experimental;
  if (options->experimental == NULL) {
    if (!has_experimental(config)) return true;
    options->experimental = berth_message_new(
        &berth__wire__gpuoptions__experimental__descriptor, arena);
    if (options->experimental == NULL) return false;
  }
  experimental_t *to = options->experimental;
  to->num_virtual_devices_per_gpu = from->devices_per_card;
  to->internal_fragmentation_fraction = from->fragmentation_fraction;
  to->gpu_system_memory_size_in_mb = from->system_memory_mb;
  to->use_unified_memory = from->use_unified_memory;
  to->use_cuda_malloc_async = from->use_cuda_malloc_async;
  to->disallow_retry_on_allocation_failure = from->no_retry;
  return write_text(&to->berth_budget, config->gpu_budget, arena) &&
         write_virtual(to, from, arena);
}

bool berth_config_write_gpu(Berth__Wire__ConfigProto *message,
                            const berth_config_t *config,
                            berth_arena_t *arena) {
  const berth_gpu_config_t *gpu = &config->gpu;
  if (message->gpu_options == NULL) {
    if (!has_options(gpu) && !has_experimental(config)) return true;
    message->gpu_options =
        berth_message_new(&berth__wire__gpuoptions__descriptor, arena);
    if (message->gpu_options == NULL) return false;
  }
  options_t *out = message->gpu_options;
  out->per_process_gpu_memory_fraction = gpu->memory_fraction;
  out->allow_growth = gpu->allow_growth;
  out->force_gpu_compatible = gpu->force_gpu_compatible;
  return write_text(&out->allocator_type, gpu->allocator_type, arena) &&
         write_text(&out->visible_device_list, gpu->visible_devices, arena) &&
         write_experimental(out, config, arena);
}

berth_code_t berth_config_check_gpu(const berth_config_t *config,
                                    berth_error_t *err) {
  const berth_gpu_experimental_t *gpu = &config->gpu_experimental;
  BERTH_GIVEN_LIST(gpu->virtual_devices, gpu->virtual_device_count, err);
  for (int i = 0; i < gpu->virtual_device_count; ++i) {
    const berth_virtual_devices_t *card = &gpu->virtual_devices[i];
    BERTH_GIVEN_LIST(card->memory_limit_mb, card->memory_limit_count, err);
    BERTH_GIVEN_LIST(card->priority, card->priority_count, err);
    BERTH_GIVEN_LIST(card->device_ordinal, card->device_ordinal_count, err);
  }
  return BERTH_OK;
}
