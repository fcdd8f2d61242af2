// gate_testing.h - Gates on the streams of cards: work that waits for a test.
//
//   compute   [ closed gate ][ what is queued behind it … ]
//
// Nothing behind a closed gate is done before the test opens it. Whoever waits
// for that and cannot be ended is let through after a while, and the gate
// remembers it.
#ifndef BERTH_TESTS_GPU_DEVICES_GATE_TESTING_H_
#define BERTH_TESTS_GPU_DEVICES_GATE_TESTING_H_

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cuda/card/driver.h"
#include "device/device.h"
#include "harness.h"
#include "runtime/session_internal.h"

// Tenths of a second until a gate is forced; calls of a poll function until it
// ends a run.
enum { GATE_PATIENCE = 200, GATE_POLLS = 3 };

typedef struct gate {
  sem_t opened;
  pthread_t thread;
  atomic_bool is_over;
  bool was_forced;
} gate_t;

static inline void gate_wait(void *arg) {
  while (sem_wait(arg) != 0) continue;
}

static inline void *gate_force(void *arg) {
  gate_t *gate = arg;
  for (int i = 0; i < GATE_PATIENCE && !atomic_load(&gate->is_over); ++i) {
    usleep(100000);
  }
  gate->was_forced = !atomic_load(&gate->is_over);
  sem_post(&gate->opened);
  return NULL;
}

// Closes |gate| behind what is queued on the compute stream of |device|.
static inline void gate_close(gate_t *gate, berth_device_t *device) {
  *gate = (gate_t){.was_forced = false};
  sem_init(&gate->opened, 0, 0);
  ASSERT_TRUE(pthread_create(&gate->thread, NULL, gate_force, gate) == 0);
  CUstream native =
      device->backend->streams->native(berth_device_compute(device));
  EXPECT_EQ(berth_cuda_api.cuLaunchHostFunc(native, gate_wait, &gate->opened),
            CUDA_SUCCESS);
}

// Opens it, which nobody else should have done, and waits for what is queued.
static inline void gate_open(gate_t *gate, berth_device_t *device) {
  atomic_store(&gate->is_over, true);
  pthread_join(gate->thread, NULL);
  EXPECT_FALSE(gate->was_forced);
  EXPECT_EQ(device->backend->streams->sync(berth_device_compute(device), NULL),
            BERTH_OK);
  sem_destroy(&gate->opened);
}

// Ends what polls it, some calls later; |arg| counts them, from 0.
static inline int gate_poll(void *arg) { return ++*(int *)arg > GATE_POLLS; }

// Returns GPU number |index| of |session|.
static inline berth_device_t *gpu_of(const berth_session_t *session,
                                     int index) {
  for (int i = 0; i < session->host.device_count; ++i) {
    berth_device_t *device = session->host.devices[i].device;
    if (device != NULL && index-- == 0) return device;
  }
  return NULL;
}

#endif  // BERTH_TESTS_GPU_DEVICES_GATE_TESTING_H_
