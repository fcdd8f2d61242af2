// generator.c - The random sequence of one node.
#include "state/generator.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"

struct berth_generator {
  berth_resource_t resource;  // First.
  berth_mutex_t lock;         // Guards |philox|.
  berth_philox_t philox;      // What has not been reserved yet.
};

static void generator_destroy(berth_resource_t *resource) {
  berth_generator_t *generator = (berth_generator_t *)resource;
  berth_mutex_deinit(&generator->lock);
  berth_free(generator);
}

typedef struct seeds {
  uint64_t first, second;
} seeds_t;

// Returns seeds from the system, or from the clock while it has none to give.
static seeds_t seeds_draw(void) {
  seeds_t seeds;
  if (getrandom(&seeds, sizeof(seeds), GRND_NONBLOCK) != sizeof(seeds)) {
    seeds.first = (uint64_t)berth_wall_us();
    seeds.second = (uint64_t)berth_now_ns() ^ (uint64_t)getpid() << 32;
  }
  return seeds;
}

berth_philox_t berth_generator_begin(int64_t seed, int64_t seed2) {
  seeds_t seeds = {(uint64_t)seed, (uint64_t)seed2};
  if (seed == 0 && seed2 == 0) seeds = seeds_draw();
  return berth_philox_make(seeds.first, seeds.second);
}

static berth_code_t generator_create(void *arg, berth_resource_t **out_resource,
                                     berth_error_t *err) {
  seeds_t seeds = *(const seeds_t *)arg;
  berth_generator_t *generator = berth_calloc(1, sizeof(*generator));
  if (generator == NULL) return berth_error_no_memory(err, "a generator");
  atomic_init(&generator->resource.refs, 1);
  generator->resource.kind = BERTH_RESOURCE_GENERATOR;
  generator->resource.destroy = generator_destroy;
  berth_mutex_init(&generator->lock);
  generator->philox =
      berth_generator_begin((int64_t)seeds.first, (int64_t)seeds.second);
  *out_resource = &generator->resource;
  return BERTH_OK;
}

berth_code_t berth_generator_get(berth_container_t *container,
                                 const char *container_name, const char *key,
                                 int64_t seed, int64_t seed2,
                                 berth_generator_t **out_generator,
                                 berth_error_t *err) {
  seeds_t seeds = {(uint64_t)seed, (uint64_t)seed2};
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_container_find_or_create(
      container, container_name, BERTH_RESOURCE_GENERATOR, key,
      generator_create, &seeds, &resource, err));
  *out_generator = (berth_generator_t *)resource;
  return BERTH_OK;
}

berth_philox_t berth_generator_reserve(berth_generator_t *generator,
                                       uint64_t steps) {
  berth_mutex_lock(&generator->lock);
  berth_philox_t start = generator->philox;
  berth_philox_skip(&generator->philox, steps);
  berth_mutex_unlock(&generator->lock);
  return start;
}
