// ledger_test.c - Tests of the ledger's file: which are used, and what may
// happen to one.
#include "softgpu/ledger.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/log.h"
#include "harness.h"
#include "softgpu/spec.h"

enum { MIB = 1 << 20 };

static berth_soft_cards_t cards;
static char folder[64], path[128], other[128];
static char warned[2048];
// One ledger stays open for the life of a process.
static berth_soft_ledger_t *ledger;

static void keep_warning(berth_log_level_t level, const char *file, int line,
                         const char *text, void *arg) {
  (void)level, (void)file, (void)line, (void)arg;
  snprintf(warned, sizeof(warned), "%s", text);
}

// Makes a folder of its own for a test.
static bool prepare(void) {
  snprintf(folder, sizeof(folder), "/tmp/berth-ledger-XXXXXX");
  if (mkdtemp(folder) == NULL) return false;
  snprintf(path, sizeof(path), "%s/ledger", folder);
  snprintf(other, sizeof(other), "%s/other", folder);
  setenv("BERTH_SIMULATE_LEDGER", path, 1);
  berth_log_set_callback(keep_warning, NULL);
  return berth_soft_spec_parse("Small memory=512MiB cc=8.0", &cards, NULL) ==
         BERTH_OK;
}

static void clean_up(void) {
  (void)unlink(path);
  (void)unlink(other);
  (void)rmdir(path);
  (void)rmdir(folder);
}

static void write_file(const char *name, const char *text, size_t size) {
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  EXPECT_TRUE(file >= 0 && write(file, text, size) == (ssize_t)size);
  close(file);
}

static void expect_file(const char *name, const char *text) {
  char found[64] = "";
  int file = open(name, O_RDONLY);
  EXPECT_TRUE(file >= 0 && read(file, found, sizeof(found) - 1) >= 0);
  EXPECT_STR(found, text);
  close(file);
}

// What another process, with a ledger of its own, sees in use; -1 when that
// fails. It is in MiB.
static int seen_by_another(void) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    ledger = berth_soft_ledger_open(&cards);
    _Exit((int)(berth_soft_ledger_used(ledger, 0) / MIB));
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// Expects the ledger to work, for this process alone, and to say |why|.
static void expect_alone(const char *why) {
  ledger = berth_soft_ledger_open(&cards);
  ASSERT_TRUE(ledger != NULL);
  if (strstr(warned, why) == NULL) HARNESS_FAIL("no \"%s\": %s", why, warned);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 512 * (uint64_t)MIB));
  EXPECT_FALSE(berth_soft_ledger_take(ledger, 0, 1));
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 512 * (uint64_t)MIB);
  berth_soft_ledger_give(ledger, 0, 12 * MIB);
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 500 * (uint64_t)MIB);
  free(ledger);
  ledger = NULL;
}

// ---- Files that are used ----

TEST(ledger, makes_a_file_that_is_its_users_alone) {
  struct stat stat_of;
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  EXPECT_EQ(seen_by_another(), 100);
  EXPECT_TRUE(stat(path, &stat_of) == 0);
  EXPECT_EQ(stat_of.st_mode & 07777, 0600);
  EXPECT_STR(warned, "");
  clean_up();
}

TEST(ledger, takes_an_empty_file_for_a_new_one) {
  ASSERT_TRUE(prepare());
  write_file(path, "", 0);
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  EXPECT_EQ(seen_by_another(), 100);
  clean_up();
}

TEST(ledger, takes_a_name_without_a_folder) {
  ASSERT_TRUE(prepare());
  ASSERT_TRUE(chdir(folder) == 0);
  setenv("BERTH_SIMULATE_LEDGER", "ledger", 1);
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  EXPECT_EQ(seen_by_another(), 100);
  clean_up();
}

TEST(ledger, trusts_a_sticky_folder) {
  ASSERT_TRUE(prepare());
  ASSERT_TRUE(chmod(folder, 01777) == 0);
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  EXPECT_EQ(seen_by_another(), 100);
  clean_up();
}

// ---- Files that are not ----

TEST(ledger, leaves_other_files_as_they_are) {
  ASSERT_TRUE(prepare());
  write_file(path, "precious", 8);
  expect_alone("it is no ledger (8 bytes)");
  expect_file(path, "precious");
  clean_up();
}

TEST(ledger, leaves_a_file_of_the_same_size_as_it_is) {
  struct stat stat_of;
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  ASSERT_TRUE(stat(path, &stat_of) == 0);
  char *text = calloc(1, (size_t)stat_of.st_size);
  memcpy(text, "precious", 8);
  write_file(path, text, (size_t)stat_of.st_size);
  free(text);
  free(ledger);
  expect_alone("it is no ledger");
  expect_file(path, "precious");
  clean_up();
}

TEST(ledger, follows_no_symbolic_link) {
  ASSERT_TRUE(prepare());
  write_file(other, "", 0);
  ASSERT_TRUE(symlink(other, path) == 0);
  expect_alone("it is a symbolic link");
  expect_file(other, "");
  clean_up();
}

TEST(ledger, refuses_what_is_no_file) {
  ASSERT_TRUE(prepare());
  ASSERT_TRUE(mkfifo(path, 0600) == 0);
  expect_alone("not a regular file");
  clean_up();
  ASSERT_TRUE(prepare());
  ASSERT_TRUE(mkdir(path, 0700) == 0);
  expect_alone("Is a directory");
  clean_up();
  setenv("BERTH_SIMULATE_LEDGER", "/dev/null", 1);
  expect_alone("/dev/null cannot say");
}

TEST(ledger, refuses_a_file_that_others_may_write) {
  ASSERT_TRUE(prepare());
  write_file(path, "", 0);
  ASSERT_TRUE(chmod(path, 0620) == 0);
  expect_alone("others may write it (mode 0620)");
  clean_up();
}

TEST(ledger, refuses_a_folder_where_others_may_replace_it) {
  ASSERT_TRUE(prepare());
  ASSERT_TRUE(chmod(folder, 0777) == 0);
  expect_alone("others may replace files in the folder");
  clean_up();
}

TEST(ledger, refuses_what_belongs_to_somebody_else) {
  if (geteuid() != 0) SKIP("only root can give files away");
  ASSERT_TRUE(prepare());
  write_file(path, "", 0);
  ASSERT_TRUE(chown(path, 12345, 12345) == 0);
  expect_alone("it belongs to user 12345");
  ASSERT_TRUE(chown(path, 0, 0) == 0 && chown(folder, 12345, 12345) == 0);
  expect_alone("belongs to user 12345");
  expect_file(path, "");
  clean_up();
}

TEST(ledger, does_without_a_folder) {
  ASSERT_TRUE(prepare());
  setenv("BERTH_SIMULATE_LEDGER", "/nowhere/ledger", 1);
  expect_alone("the folder /nowhere: No such file or directory");
  clean_up();
}

TEST(ledger, refuses_a_path_that_is_too_long) {
  ASSERT_TRUE(prepare());
  char name[3000];
  memset(name, 'a', sizeof(name));
  memcpy(name, "/tmp/", 5);
  name[sizeof(name) - 1] = '\0';
  setenv("BERTH_SIMULATE_LEDGER", name, 1);
  expect_alone("the path is too long");
  clean_up();
}

// ---- What may happen to a file in use ----

TEST(ledger, fills_a_file_again_that_was_emptied) {
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  ASSERT_TRUE(truncate(path, 0) == 0);
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 100 * MIB);
  EXPECT_EQ(seen_by_another(), 100);
  ASSERT_TRUE(truncate(path, 0) == 0);
  berth_soft_ledger_give(ledger, 0, 40 * MIB);
  EXPECT_EQ(seen_by_another(), 60);
  EXPECT_STR(warned, "");
  clean_up();
}

TEST(ledger, counts_alone_when_the_file_is_cut_short) {
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  ASSERT_TRUE(truncate(path, 100) == 0);
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 100 * MIB);
  EXPECT_TRUE(strstr(warned, "it is no ledger (100 bytes)") != NULL);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 412 * (uint64_t)MIB));
  EXPECT_FALSE(berth_soft_ledger_take(ledger, 0, 1));
  clean_up();
}

TEST(ledger, counts_alone_when_something_else_is_written_there) {
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  write_file(path, "precious", 8);
  berth_soft_ledger_give(ledger, 0, 40 * MIB);
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 60 * MIB);
  expect_file(path, "precious");
  clean_up();
}

TEST(ledger, works_on_when_the_file_is_removed) {
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  clean_up();
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 200 * MIB);
  EXPECT_STR(warned, "");
}

// Returns the descriptor under which |name| is open, or -1.
static int descriptor_of(const char *name) {
  for (int file = 3; file < 256; ++file) {
    char link[64], target[256];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    if (length <= 0) continue;
    target[length] = '\0';
    if (strcmp(target, name) == 0) return file;
  }
  return -1;
}

// A program may close every descriptor it does not know, and open files of its
// own under the same numbers.
TEST(ledger, writes_to_no_file_of_the_program) {
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  write_file(other, "precious", 8);
  int file = descriptor_of(path), theirs = open(other, O_RDWR);
  ASSERT_TRUE(file >= 0 && theirs >= 0 && dup2(theirs, file) == file);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 100 * MIB));
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 200 * MIB);
  EXPECT_TRUE(strstr(warned, "the program has closed the file") != NULL);
  expect_file(other, "precious");
  EXPECT_TRUE(fcntl(file, F_GETFD) >= 0);  // Theirs to close.
  clean_up();
}

TEST(ledger, is_not_passed_on_to_other_programs) {
  ASSERT_TRUE(prepare());
  ledger = berth_soft_ledger_open(&cards);
  int file = descriptor_of(path);
  ASSERT_TRUE(file >= 0);
  EXPECT_TRUE((fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
  clean_up();
}

// ---- Processes ----

TEST(ledger, frees_what_the_dead_held) {
  ASSERT_TRUE(prepare());
  pid_t child = fork();
  if (child == 0) {
    ledger = berth_soft_ledger_open(&cards);
    bool is_taken = berth_soft_ledger_take(ledger, 0, 400 * (uint64_t)MIB);
    if (!is_taken) _Exit(1);
    raise(SIGKILL);
  }
  int status = -1;
  ASSERT_TRUE(waitpid(child, &status, 0) == child);
  EXPECT_TRUE(WIFSIGNALED(status));
  ledger = berth_soft_ledger_open(&cards);
  berth_soft_holder_t holder;
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 0);
  EXPECT_EQ(berth_soft_ledger_holders(ledger, 0, &holder, 1), 0);
  EXPECT_TRUE(berth_soft_ledger_take(ledger, 0, 512 * (uint64_t)MIB));
  EXPECT_EQ(berth_soft_ledger_holders(ledger, 0, &holder, 1), 1);
  EXPECT_EQ(holder.pid, getpid());
  clean_up();
}

// Processes that take and give at the same time never hold more than there is.
TEST(ledger, is_right_among_many) {
  enum { PROCESSES = 6, TURNS = 200 };
  ASSERT_TRUE(prepare());
  for (int i = 0; i < PROCESSES; ++i) {
    if (fork() != 0) continue;
    ledger = berth_soft_ledger_open(&cards);
    for (int turn = 0; turn < TURNS; ++turn) {
      bool is_taken = berth_soft_ledger_take(ledger, 0, 200 * MIB);
      if (berth_soft_ledger_used(ledger, 0) > 512 * (uint64_t)MIB) _Exit(1);
      berth_soft_holder_t holders[PROCESSES];
      if (berth_soft_ledger_holders(ledger, 0, holders, PROCESSES) > 2) {
        _Exit(2);
      }
      if (is_taken) berth_soft_ledger_give(ledger, 0, 200 * MIB);
    }
    _Exit(warned[0] == '\0' ? 0 : 3);
  }
  for (int i = 0; i < PROCESSES; ++i) {
    int status = -1;
    ASSERT_TRUE(wait(&status) > 0);
    EXPECT_EQ(status, 0);
  }
  ledger = berth_soft_ledger_open(&cards);
  EXPECT_EQ(berth_soft_ledger_used(ledger, 0), 0);
  clean_up();
}
