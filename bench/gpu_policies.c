// gpu_policies.c - How much of a card a process holds under each policy.
//
// Each policy runs a small product in a process of its own; the card's memory
// is read before and while it lives, as nvidia-smi would show it. Then two
// processes share the card, and two logical GPUs work at the same time.
//
//   cc gpu_policies.c -lberth && ./gpu_policies
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "berth/berth.h"

typedef struct policy {
  const char *name;
  double fraction;
  bool growth;
  float limits[2];  // Of logical GPUs, in MiB; 0: none.
} policy_t;

static const policy_t policies[] = {
    {"default", 0, false, {0, 0}},
    {"allow_growth", 0, true, {0, 0}},
    {"fraction 0.4", 0.4, false, {0, 0}},
    {"limit 1024 MiB", 0, false, {1024, 0}},
    {"two logical GPUs, 1024 MiB each", 0, false, {1024, 1024}},
};

static double used_mib(void) {
  berth_card_t card;
  if (berth_card_query(0, &card, NULL) != BERTH_OK) return -1;
  return (double)(card.total_bytes - card.free_bytes) / 1048576;
}

// Adds a product on each of |count| GPUs; the last one is fetched.
static berth_out_t build(berth_graph_t *graph, int count) {
  berth_out_t parts[2];
  for (int i = 0; i < count; ++i) {
    char device[16];
    snprintf(device, sizeof(device), "/gpu:%d", i);
    berth_device_push(graph, device);
    berth_out_t a = berth_const_f32(graph, NULL, (float[]){1, 2, 3, 4, 5, 6},
                                    BERTH_SHAPE(2, 3));
    berth_out_t b = berth_const_f32(graph, NULL, (float[]){1, 2, 3, 4, 5, 6},
                                    BERTH_SHAPE(3, 2));
    parts[i] = berth_matmul(graph, NULL, a, b);
    berth_device_pop(graph);
  }
  return count == 1 ? parts[0] : berth_add_n(graph, NULL, parts, count);
}

// Runs a product under |policy|; 0 when that worked.
static int run(const policy_t *policy) {
  int count = policy->limits[1] > 0 ? 2 : 1;
  berth_virtual_devices_t virtual = {.memory_limit_mb = policy->limits,
                                     .memory_limit_count = count};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.memory_fraction = policy->fraction;
  config.gpu.allow_growth = policy->growth;
  if (policy->limits[0] > 0) {
    config.gpu_experimental.virtual_devices = &virtual;
    config.gpu_experimental.virtual_device_count = 1;
  }
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_tensor_t *result = NULL;
  berth_graph_t *graph = berth_graph_create();
  berth_out_t sum = build(graph, count);
  berth_code_t code = berth_session_create(graph, &config, &session, &err);
  if (code == BERTH_OK) {
    code = berth_session_run(session, NULL, 0, &sum, 1, &result, &err);
  }
  if (code != BERTH_OK) printf("    %s\n", berth_error_message(&err));
  return code == BERTH_OK ? 0 : 1;
}

// Runs |policy| in a child that then waits for |go|'s other end to close.
static pid_t start(const policy_t *policy, int *out_go) {
  int ready[2], go[2];
  if (pipe(ready) != 0 || pipe(go) != 0) exit(1);
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    close(go[1]);
    char byte = (char)run(policy);
    fflush(stdout);
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    if (read(go[0], &byte, 1) < 0) _exit(1);
    _exit(0);
  }
  char byte = 1;
  if (read(ready[0], &byte, 1) != 1) byte = 1;
  if (byte != 0) printf("    the product failed\n");
  close(go[0]);
  *out_go = go[1];
  return pid;
}

static void stop(pid_t pid, int go) {
  close(go);
  waitpid(pid, NULL, 0);
}

static void two_processes(const policy_t *policy) {
  int go[2];
  printf("two processes, %s\n", policy->name);
  double before = used_mib();
  pid_t first = start(policy, &go[0]);
  double one = used_mib();
  pid_t second = start(policy, &go[1]);
  printf("    first %.0f MiB, both %.0f MiB\n", one - before,
         used_mib() - before);
  stop(second, go[1]);
  stop(first, go[0]);
}

int main(void) {
  printf("listing only: %.0f MiB on the card\n", used_mib());
  for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); ++i) {
    int go = -1;
    double before = used_mib();
    pid_t pid = start(&policies[i], &go);
    printf("%-34s %8.0f MiB\n", policies[i].name, used_mib() - before);
    stop(pid, go);
  }
  two_processes(&policies[0]);
  two_processes(&policies[1]);
  return 0;
}
