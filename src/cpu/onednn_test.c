// onednn_test.c - oneDNN when memory is short inside of it.
//
// The program has a malloc of its own, which fails on demand for oneDNN and the
// C++ runtime under it, and for nobody else.
#include "cpu/onednn.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/dynlib.h"
#include "base/fault.h"
#include "base/parallel.h"
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "harness.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    !defined(__GLIBC__)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1
#endif

// ---- A malloc that fails ----

static atomic_bool is_armed;
static atomic_int passes;  // Allocations of oneDNN since it was armed.
static atomic_int first_failure, last_failure;

#if OWN_MALLOC

#define EXPORTED __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Where the code of oneDNN is, and of what allocates for it.
static struct { uintptr_t begin, end; } places[8];
static int place_count;

static int note_place(struct dl_phdr_info *info, size_t size, void *arg) {
  (void)size;
  (void)arg;
  if (strstr(info->dlpi_name, "libdnnl") == NULL &&
      strstr(info->dlpi_name, "libstdc++") == NULL) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum && place_count < 8; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    uintptr_t begin = info->dlpi_addr + part->p_vaddr;
    places[place_count].begin = begin;
    places[place_count++].end = begin + part->p_memsz;
  }
  return 0;
}

static bool is_onednn(const void *address) {
  for (int i = 0; i < place_count; ++i) {
    if ((uintptr_t)address >= places[i].begin &&
        (uintptr_t)address < places[i].end) {
      return true;
    }
  }
  return false;
}

static bool must_fail(const void *caller) {
  if (!atomic_load(&is_armed) || !is_onednn(caller)) return false;
  int pass = atomic_fetch_add(&passes, 1) + 1;
  if (pass < first_failure || pass > last_failure) return false;
  errno = ENOMEM;
  return true;
}

EXPORTED void *malloc(size_t size) {
  return must_fail(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size) {
  return must_fail(__builtin_return_address(0)) ? NULL
                                                : __libc_calloc(count, size);
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t size) {
  if (must_fail(__builtin_return_address(0))) return ENOMEM;
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *out = memory;
  return 0;
}

#endif

// Lets the allocations |first| to |last| fail.
static void arm(int first, int last) {
  atomic_store(&first_failure, first);
  atomic_store(&last_failure, last);
  atomic_store(&passes, 0);
  atomic_store(&is_armed, true);
}

// Returns how many allocations there were.
static int disarm(void) {
  atomic_store(&is_armed, false);
  return atomic_load(&passes);
}

// ---- Products ----

enum { M = 520, N = 600, K = 300 };

static float a[M * K], b[K * N], c[M * N];

static void fill(void) {
  for (int i = 0; i < M * K; ++i) a[i] = (float)(i % 7) - 3;
  for (int i = 0; i < K * N; ++i) b[i] = (float)(i % 5) - 2;
}

// True when |result| has some elements of A·B; they are exact.
static bool is_product(const float *result) {
  for (int i = 0; i < M; i += 37) {
    for (int j = 0; j < N; j += 41) {
      float sum = 0;
      for (int p = 0; p < K; ++p) sum += a[i * K + p] * b[p * N + j];
      if (result[i * N + j] != sum) return false;
    }
  }
  return true;
}

static berth_onednn_result_t multiply(void) {
  berth_gemm_t gemm = {.m = M,
                       .n = N,
                       .k = K,
                       .a_row = K,
                       .a_col = 1,
                       .b_row = N,
                       .b_col = 1,
                       .c_row = N};
  memset(c, 0xff, sizeof(c));
  return berth_onednn_sgemm(&gemm, a, b, c);
}

static void need_library(void) {
  if (!OWN_MALLOC) SKIP("malloc belongs to somebody else here");
  if (!berth_onednn_ready()) SKIP("there is no oneDNN");
#if OWN_MALLOC
  dl_iterate_phdr(note_place, NULL);
#endif
  fill();
}

// ---- Children ----

enum { FAILED, FINISHED, PASSED };  // How a child ends.

// Runs |body| with a number in a child, and returns how that ended.
static int in_child(int (*body)(int number, bool is_lasting), int number,
                    bool is_lasting) {
  fflush(stderr);
  pid_t child = fork();
  if (child == 0) _Exit(body(number, is_lasting));
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    HARNESS_FAIL("allocation %d%s: the process was ended by signal %d", number,
                 is_lasting ? " and later ones" : "", WTERMSIG(status));
    return FAILED;
  }
  if (WEXITSTATUS(status) == FAILED) {
    HARNESS_FAIL("allocation %d%s: a wrong result", number,
                 is_lasting ? " and later ones" : "");
  }
  return WEXITSTATUS(status);
}

// Lets every allocation fail in turn, alone or with all after it.
static void fail_each(int (*body)(int number, bool is_lasting)) {
  for (int is_lasting = 0; is_lasting < 2; ++is_lasting) {
    int number = 1, ended = PASSED;
    for (; ended == PASSED && number < 1000; ++number) {
      ended = in_child(body, number, is_lasting != 0);
    }
    EXPECT_EQ(ended, FINISHED);
    EXPECT_TRUE(number > 2);
  }
}

static int call_failing(int number, bool is_lasting) {
  arm(number, is_lasting ? INT_MAX : number);
  berth_onednn_result_t result = multiply();
  bool has_failed = disarm() >= number;
  if (result == BERTH_ONEDNN_DONE ? !is_product(c)
                                  : result != BERTH_ONEDNN_NO_MEMORY) {
    return FAILED;
  }
  if (!has_failed) return result == BERTH_ONEDNN_DONE ? FINISHED : FAILED;
  // It goes on when there is memory again.
  return multiply() == BERTH_ONEDNN_DONE && is_product(c) ? PASSED : FAILED;
}

TEST(onednn, has_no_memory_for_a_product) {
  need_library();
  fail_each(call_failing);
}

static berth_tensor_t *matrix(berth_dims_t shape, const float *values) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, shape, &tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  memcpy(tensor->data, values, tensor->size);
  return tensor;
}

static driver_t make_driver(void) {
  driver_t driver = {.op = "MatMul"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_input(&driver, matrix(BERTH_SHAPE(M, K), a));
  driver_input(&driver, matrix(BERTH_SHAPE(K, N), b));
  driver_output(&driver, BERTH_FLOAT);
  return driver;
}

static const char no_memory[] =
    "oneDNN had no memory for the product of 520 x 300 and 300 x 600 floats; "
    "the host is short of it";

static int step_failing(int number, bool is_lasting) {
  berth_parallel_pretend_cpus(4);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = make_driver();
  arm(number, is_lasting ? INT_MAX : number);
  berth_code_t code = driver_call(&driver, &err);
  bool has_failed = disarm() >= number;
  if (code == BERTH_OK ? !is_product(driver_data(&driver, 0))
                       : strcmp(berth_error_message(&err), no_memory) != 0) {
    return FAILED;
  }
  if (!has_failed) return code == BERTH_OK ? FINISHED : FAILED;
  return driver_call(&driver, &err) == BERTH_OK &&
                 is_product(driver_data(&driver, 0))
             ? PASSED
             : FAILED;
}

// Tiles are done by workers as well.
TEST(onednn, has_no_memory_in_a_step) {
  need_library();
  fail_each(step_failing);
}

TEST(onednn, is_reported_when_it_has_no_memory) {
  if (!berth_onednn_ready()) SKIP("there is no oneDNN");
  fill();
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = make_driver();
  berth_fault_arm("onednn", 1);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_RESOURCE_EXHAUSTED, &err,
               no_memory);
  EXPECT_TRUE(berth_fault_disarm() >= 1);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_TRUE(is_product(driver_data(&driver, 0)));
  driver_deinit(&driver);
}

// ---- A process that may not grow ----

enum { STEP_KIB = 1024, STEPS = 160 };

static size_t process_size(void) {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%zu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// A heavy product, before anything was opened, with |number| KiB to spare.
static int call_in_little_memory(int number, bool is_lasting) {
  (void)is_lasting;
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = make_driver();
  size_t most = process_size() + (size_t)number * 1024;
  struct rlimit limit = {most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return FAILED;
  berth_code_t code = driver_call(&driver, &err);
  if (code == BERTH_RESOURCE_EXHAUSTED) return PASSED;
  return code == BERTH_OK && is_product(driver_data(&driver, 0)) ? PASSED
                                                                 : FAILED;
}

TEST(onednn, lives_with_little_memory) {
  if (!OWN_MALLOC) SKIP("sanitizers take more memory than there is");
  fill();
  for (int i = 0; i < STEPS; ++i) {
    EXPECT_EQ(in_child(call_in_little_memory, i * STEP_KIB, false), PASSED);
  }
}

// ---- Where it is ----

static char file_name[PATH_MAX];

static int note_file(struct dl_phdr_info *info, size_t size, void *arg) {
  (void)size;
  (void)arg;
  if (strstr(info->dlpi_name, "libdnnl") != NULL) {
    snprintf(file_name, sizeof(file_name), "%s", info->dlpi_name);
  }
  return 0;
}

// Makes env/lib/libdnnl.so.3 below |folder| of what |library| was opened from.
static bool make_environment(char *folder, berth_dynlib_t *library) {
  dl_iterate_phdr(note_file, NULL);
  berth_dynlib_close(library);
  return mkdtemp(folder) != NULL && chdir(folder) == 0 &&
         mkdir("env", 0700) == 0 && mkdir("env/lib", 0700) == 0 &&
         symlink(file_name, "env/lib/libdnnl.so.3") == 0;
}

static void remove_environment(const char *folder) {
  unlink("env/lib/libdnnl.so.3");
  rmdir("env/lib");
  rmdir("env");
  rmdir(folder);
}

enum { ABSENT = 1, ELSEWHERE, IN_PACKAGE };

static int open_in(const char *prefix) {
  setenv("VIRTUAL_ENV", prefix, 1);
  unsetenv("CONDA_PREFIX");
  if (!berth_onednn_ready()) return ABSENT;
  return strstr(berth_onednn_name(), "/env/lib/libdnnl.so.3") != NULL
             ? IN_PACKAGE
             : ELSEWHERE;
}

// Returns what |open| says of |prefix| in a process where nothing is open yet.
static int in_child_at(int (*open)(const char *prefix), const char *prefix) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) _exit(open(prefix));
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(onednn, is_found_in_the_environment_of_python) {
  static const char *const newer[] = {"libdnnl.so.3", NULL};
  static const char *const older[] = {"libdnnl.so.2", NULL};
  berth_dynlib_t *library = NULL;
  if (berth_dynlib_open(newer, &library, NULL) == BERTH_OK) {
    berth_dynlib_close(library);
    SKIP("the loader finds oneDNN 3 itself");
  }
  if (berth_dynlib_open(older, &library, NULL) != BERTH_OK) {
    SKIP("there is no oneDNN");
  }
  char folder[] = "/tmp/berth-onednn-XXXXXX", prefix[64];
  ASSERT_TRUE(make_environment(folder, library));
  snprintf(prefix, sizeof(prefix), "%s/env", folder);
  // A path that is not whole is not followed.
  EXPECT_EQ(in_child_at(open_in, "env"), ELSEWHERE);
  EXPECT_EQ(in_child_at(open_in, prefix), IN_PACKAGE);
  remove_environment(folder);
}
