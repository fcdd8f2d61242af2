// gpu_wish.c - How much memory a logical GPU gets, and from where.
#include "runtime/gpu_wish.h"

#include <ctype.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"

#define MIB ((uint64_t)1 << 20)

// More than any card has, and no trouble to calculate with.
static const double MOST_MB = 1e12, MOST_TIMES = 1e6;

// How a device gets its memory.
typedef enum allocator {
  ALLOCATOR_MAPPED = 0,  // Page by page: Berth's own.
  ALLOCATOR_BFC,         // As TensorFlow's, to the last figure.
  ALLOCATOR_ASYNC,       // cuda_malloc_async: grows, and keeps up to its limit.
  ALLOCATOR_MALLOC,      // cuda_malloc: keeps nothing.
} allocator_t;

static bool is_text(const char *text, const char *wanted) {
  return text != NULL && strcmp(text, wanted) == 0;
}

// ---- Settings ----

// Reads "2.4" as BERTH_TF_VERSION(2, 4); 0: the newest.
static int read_version(void) {
  const char *text = berth_env_get("BERTH_TF_VERSION");
  if (text == NULL || !isdigit((unsigned char)text[0])) return 0;
  int numbers[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    for (; isdigit((unsigned char)*text) && numbers[i] < 100; ++text) {
      numbers[i] = numbers[i] * 10 + (*text - '0');
    }
    if (*text == '.') ++text;
  }
  return BERTH_TF_VERSION(numbers[0], numbers[1]);
}

// The configuration's allow_growth, unless the environment knows better.
static bool read_growth(const berth_config_t *config, int version) {
  bool growth = config->gpu.allow_growth;
  const char *text = berth_env_get("TF_FORCE_GPU_ALLOW_GROWTH");
  if (text == NULL) return growth;
  if (!is_text(text, "true") && !is_text(text, "false")) {
    berth_log(BERTH_LOG_ERROR, "gpu_bfc_allocator.cc", 60,
              "The TF_FORCE_GPU_ALLOW_GROWTH environment variable is set but "
              "could not be parsed: \"%s\". Valid values are \"true\" or "
              "\"false\". Using original config value of %d.",
              text, growth);
    return growth;
  }
  bool forced = is_text(text, "true");
  if (forced != growth) {
    bool is_old = version != 0 && version <= BERTH_TF_VERSION(2, 7);
    berth_log(BERTH_LOG_WARNING, "gpu_bfc_allocator.cc", 47,
              "Overriding %s setting because the TF_FORCE_GPU_ALLOW_GROWTH "
              "environment variable is set. Original config value was %d.",
              is_old ? "allow_growth" : "orig_value", growth);
  }
  return forced;
}

// Reads TF_GPU_ALLOCATOR, which wins over the configuration.
static berth_code_t read_allocator(const berth_config_t *config, int card,
                                   allocator_t *out_allocator,
                                   berth_error_t *err) {
  const char *text = berth_env_get("TF_GPU_ALLOCATOR");
  bool is_bfc = is_text(berth_env_get("BERTH_GPU_ALLOCATOR"), "bfc") ||
                is_text(config->gpu.allocator_type, "BFC");
  *out_allocator = is_bfc ? ALLOCATOR_BFC : ALLOCATOR_MAPPED;
  if (is_text(text, "cuda_malloc_async") ||
      config->gpu_experimental.use_cuda_malloc_async) {
    berth_log(BERTH_LOG_INFO, "gpu_process_state.cc", 236,
              "Using CUDA malloc Async allocator for GPU: %d", card);
    *out_allocator = ALLOCATOR_ASYNC;
  } else if (is_text(text, "cuda_malloc")) {
    *out_allocator = ALLOCATOR_MALLOC;
  } else if (is_text(text, "BFC") || is_text(text, "bfc")) {
    *out_allocator = ALLOCATOR_BFC;
  } else if (is_text(text, "memory_guard")) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "TF_GPU_ALLOCATOR=memory_guard is not supported; "
                           "known are cuda_malloc_async, cuda_malloc and BFC");
  } else if (text != NULL && text[0] != '\0') {
    // TensorFlow takes no notice of other names.
    berth_log(BERTH_LOG_WARNING, "gpu_wish.c", __LINE__,
              "TF_GPU_ALLOCATOR=%s is ignored; known are cuda_malloc_async, "
              "cuda_malloc and BFC",
              text);
  }
  return BERTH_OK;
}

static berth_code_t check_type(const berth_config_t *config, int32_t id,
                               uint64_t limit, berth_error_t *err) {
  const char *type = config->gpu.allocator_type;
  if (type == NULL || type[0] == '\0' || is_text(type, "BFC")) return BERTH_OK;
  berth_log(BERTH_LOG_ERROR, "gpu_process_state.cc", 174,
            "Invalid allocator type: %s", type);
  return berth_error_set(err, BERTH_INTERNAL,
                         "Failed to get memory allocator for TF GPU %d with "
                         "%llu bytes of memory.",
                         id, (unsigned long long)limit);
}

// ---- Limits ----

static void log_lines(const char *lines) {
  while (*lines != '\0') {
    size_t size = strcspn(lines, "\n");
    berth_log(BERTH_LOG_WARNING, "gpu_device.cc", 1170, "%.*s", (int)size,
              lines);
    lines += size + (lines[size] == '\n');
  }
}

static double smaller(double a, double b) { return a < b ? a : b; }

static berth_code_t find_limit(const berth_config_t *config,
                               const berth_logical_gpu_t *gpu, int version,
                               const berth_card_memory_t *memory,
                               berth_card_limit_t *out_limit,
                               berth_error_t *err) {
  berth_card_wish_t wish = {
      .version = version,
      .has_limit = gpu->has_limit,
      .limit_mb = smaller(gpu->limit_mb, MOST_MB),
      .fraction = smaller(config->gpu.memory_fraction, MOST_TIMES),
      .is_unified = config->gpu_experimental.use_unified_memory,
      .system_mb = config->gpu_experimental.system_memory_mb,
      .system_text = berth_env_get("TF_DEVICE_MIN_SYS_MEMORY_IN_MB")};
  berth_str_t warnings = {0};
  berth_code_t code =
      berth_card_limit(memory, &wish, out_limit, &warnings, err);
  log_lines(berth_str_get(&warnings));
  berth_str_clear(&warnings);
  if (code != BERTH_OK) return code;
  out_limit->bytes /= (uint64_t)gpu->parts;
  // To a policy 0 is no limit at all.
  if (out_limit->bytes == 0) out_limit->bytes = 1;
  return BERTH_OK;
}

// TensorFlow takes any limit, and fails when the card is full; so does Berth,
// but not without a word.
static void warn_of_limit(const berth_card_limit_t *limit, int32_t id, int card,
                          const berth_card_memory_t *memory) {
  if (limit->is_unified || limit->bytes <= memory->total_bytes) return;
  berth_log(BERTH_LOG_WARNING, "gpu_wish.c", __LINE__,
            "GPU:%d may use %llu MB, but card %d has %llu MB; it is out of "
            "memory when those are used up",
            id, (unsigned long long)(limit->bytes / MIB), card,
            (unsigned long long)(memory->total_bytes / MIB));
}

// ---- Policies ----

berth_policy_t berth_gpu_set_growth(berth_policy_t policy,
                                    berth_card_source_t source, bool growth) {
  if (source == BERTH_CARD_MAPPED) {
    policy.floor_bytes = growth ? 0 : policy.limit_bytes;
    return policy;
  }
  berth_policy_t other = growth ? berth_policy_growth(policy.limit_bytes)
                                : berth_policy_reserve(policy.limit_bytes);
  policy.first_region_bytes = other.first_region_bytes;
  return policy;
}

berth_policy_t berth_gpu_set_limit(berth_policy_t policy,
                                   berth_card_source_t source, uint64_t limit) {
  uint64_t all = policy.limit_bytes;
  policy.limit_bytes = limit;
  if (source == BERTH_CARD_MAPPED) {
    if (policy.floor_bytes == all) policy.floor_bytes = limit;
  } else if (policy.first_region_bytes == all ||
             policy.first_region_bytes > limit) {
    policy.first_region_bytes = limit;
  }
  return policy;
}

static berth_policy_t mapped_policy(allocator_t allocator, uint64_t limit,
                                    bool growth) {
  berth_policy_t policy = berth_policy_mapped(limit);
  if (allocator == ALLOCATOR_MAPPED && !growth) policy.floor_bytes = limit;
  if (allocator == ALLOCATOR_MALLOC) policy.keep_idle_bytes = 0;
  return policy;
}

static berth_policy_t bfc_policy(const berth_config_t *config, uint64_t limit,
                                 bool growth, int version) {
  berth_policy_t policy = berth_policy_bfc(limit, growth, version);
  const berth_gpu_experimental_t *gpu = &config->gpu_experimental;
  if (gpu->fragmentation_fraction > 0) {
    policy.split.waste =
        berth_policy_fraction(limit, gpu->fragmentation_fraction);
  }
  policy.keeps_regions =
      is_text(berth_env_get("TF_ENABLE_GPU_GARBAGE_COLLECTION"), "false");
  return policy;
}

berth_code_t berth_gpu_wish(const berth_config_t *config,
                            const berth_logical_gpu_t *gpu, int32_t id,
                            const berth_card_memory_t *memory,
                            berth_device_wish_t *out_wish, berth_error_t *err) {
  int version = read_version();
  berth_card_limit_t limit;
  BERTH_TRY(find_limit(config, gpu, version, memory, &limit, err));
  BERTH_TRY(check_type(config, id, limit.bytes, err));
  allocator_t allocator = ALLOCATOR_MAPPED;
  BERTH_TRY(read_allocator(config, gpu->card, &allocator, err));
  warn_of_limit(&limit, id, gpu->card, memory);
  bool growth = read_growth(config, version);
  bool is_plain = limit.is_unified || allocator == ALLOCATOR_BFC;
  berth_device_wish_t wish = {
      .card = gpu->card,
      .id = id,
      .priority = gpu->priority,
      .source = limit.is_unified             ? BERTH_CARD_UNIFIED
                : allocator == ALLOCATOR_BFC ? BERTH_CARD_PLAIN
                                             : BERTH_CARD_MAPPED,
      .policy = is_plain ? bfc_policy(config, limit.bytes, growth, version)
                         : mapped_policy(allocator, limit.bytes, growth)};
  if (config->gpu_experimental.no_retry) wish.policy.wait_ns = 0;
  *out_wish = wish;
  return BERTH_OK;
}
