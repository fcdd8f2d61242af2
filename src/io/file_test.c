// file_test.c - Files that are written whole or not at all.
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "berth/file.h"
#include "harness.h"

#define OLD "what was there before"
#define NEW "what is there now"

enum { NOBODY = 65534 };

// ---- A folder of the test's own ----

static char folder[] = "/tmp/berth-file-XXXXXX";

// Returns the path of |name| in the folder; valid until four calls later.
static const char *at(const char *name) {
  static char paths[4][1024];
  static int next = 0;
  static bool is_made = false;
  if (!is_made) {
    is_made = mkdtemp(folder) != NULL && chmod(folder, 0755) == 0;
    umask(022);
  }
  next = (next + 1) % 4;
  snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
  return paths[next];
}

// Counts the names in the folder, hidden ones too.
static int count_names(void) {
  DIR *directory = opendir(folder);
  if (directory == NULL) return -1;
  int count = -2;  // Itself and the one above.
  while (readdir(directory) != NULL) ++count;
  closedir(directory);
  return count;
}

static void remove_folder(void) {
  struct dirent *entry = NULL;
  DIR *directory = opendir(folder);
  while (directory != NULL && (entry = readdir(directory)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
      continue;
    }
    if (unlink(at(entry->d_name)) != 0) rmdir(at(entry->d_name));
  }
  if (directory != NULL) closedir(directory);
  rmdir(folder);
}

// Makes a file in the usual way, with |mode|.
static bool make(const char *path, const char *text, mode_t mode) {
  FILE *file = fopen(path, "w");
  if (file == NULL) return false;
  fputs(text, file);
  return fclose(file) == 0 && chmod(path, mode) == 0;
}

// True when the file at |path| holds exactly |text|.
static bool holds(const char *path, const char *text) {
  char found[256] = "";
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  size_t size = fread(found, 1, sizeof(found), file);
  fclose(file);
  return size == strlen(text) && memcmp(found, text, size) == 0;
}

static mode_t mode_of(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? info.st_mode & 07777 : 0;
}

static ino_t inode_of(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? info.st_ino : 0;
}

static bool is_link(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static berth_code_t write_text(const char *path, const char *text,
                               berth_error_t *err) {
  return berth_file_write(path, text, strlen(text), err);
}

// From here on a file of more than |size| bytes cannot be written.
static bool limit_files(size_t size) {
  struct rlimit limit = {size, RLIM_INFINITY};
  return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

// Goes on as a user who may not do everything.
static bool leave_root(void) {
  if (getuid() != 0) return true;
  return setegid(NOBODY) == 0 && seteuid(NOBODY) == 0;
}

static void become_root(void) {
  if (getuid() != 0) return;
  if (seteuid(0) != 0 || setegid(0) != 0) HARNESS_FAIL("still nobody");
}

// ---- Plain files ----

TEST(file, is_new_as_the_umask_says) {
  berth_error_t err = BERTH_ERROR_INIT;
  const char *path = at("new");
  umask(027);
  ASSERT_OK(write_text(path, NEW, &err), &err);
  EXPECT_TRUE(holds(path, NEW));
  EXPECT_EQ(mode_of(path), 0640);
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

TEST(file, keeps_the_mode_of_what_it_replaces) {
  static const mode_t modes[] = {0600, 0640, 0666, 0755};
  berth_error_t err = BERTH_ERROR_INIT;
  const char *path = at("old");
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(make(path, OLD, modes[i]));
    ino_t before = inode_of(path);
    ASSERT_OK(write_text(path, NEW, &err), &err);
    EXPECT_TRUE(holds(path, NEW));
    EXPECT_EQ(mode_of(path), modes[i]);
    EXPECT_TRUE(inode_of(path) != before);
  }
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

TEST(file, keeps_the_owner_of_what_it_replaces) {
  berth_error_t err = BERTH_ERROR_INIT;
  struct stat info;
  if (getuid() != 0) SKIP("files are given away by root alone");
  const char *path = at("old");
  ASSERT_TRUE(make(path, OLD, 0640) && chown(path, 1234, 4321) == 0);
  ASSERT_OK(write_text(path, NEW, &err), &err);
  ASSERT_TRUE(stat(path, &info) == 0);
  EXPECT_EQ(info.st_uid, 1234);
  EXPECT_EQ(info.st_gid, 4321);
  EXPECT_EQ(info.st_mode & 07777, 0640);
  remove_folder();
}

TEST(file, lends_no_rights_to_another_group) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (getuid() != 0) SKIP("files are given away by root alone");
  const char *path = at("old");
  ASSERT_TRUE(make(path, OLD, 0) && chown(path, 1234, 4321) == 0 &&
              chmod(path, 06762) == 0 && chmod(folder, 0777) == 0);
  ASSERT_TRUE(leave_root());
  ASSERT_OK(write_text(path, NEW, &err), &err);
  become_root();
  EXPECT_TRUE(holds(path, NEW));
  EXPECT_EQ(mode_of(path), 0722);
  remove_folder();
}

TEST(file, is_written_in_pieces_of_any_size) {
  enum { SIZE = 3000001 };
  berth_error_t err = BERTH_ERROR_INIT;
  const char *path = at("large");
  unsigned char *bytes = malloc(SIZE), *found = malloc(SIZE);
  ASSERT_TRUE(bytes != NULL && found != NULL);
  for (int i = 0; i < SIZE; ++i) bytes[i] = (unsigned char)(i % 251);
  static const size_t sizes[] = {0, 1, 16384, 16385, 1 << 20, SIZE};
  for (int i = 0; i < 6; ++i) {
    ASSERT_OK(berth_file_write(path, bytes, sizes[i], &err), &err);
    FILE *file = fopen(path, "rb");
    ASSERT_TRUE(file != NULL);
    EXPECT_EQ(fread(found, 1, SIZE, file), sizes[i]);
    EXPECT_EQ(memcmp(found, bytes, sizes[i]), 0);
    fclose(file);
  }
  ASSERT_OK(berth_file_write(path, NULL, 0, &err), &err);
  EXPECT_EQ(count_names(), 1);
  free(bytes);
  free(found);
  remove_folder();
}

TEST(file, has_a_name_as_long_as_names_may_be) {
  berth_error_t err = BERTH_ERROR_INIT;
  char name[256];
  memset(name, 'n', 255);
  name[255] = '\0';
  ASSERT_OK(write_text(at(name), NEW, &err), &err);
  EXPECT_TRUE(holds(at(name), NEW));
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

TEST(file, may_be_named_without_a_folder) {
  berth_error_t err = BERTH_ERROR_INIT;
  const char *path = at("here");
  ASSERT_TRUE(chdir(folder) == 0);
  ASSERT_OK(write_text("here", NEW, &err), &err);
  EXPECT_TRUE(holds(path, NEW));
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

// ---- Links ----

TEST(file, link_stays_and_what_it_leads_to_is_replaced) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_TRUE(make(at("data"), OLD, 0600) && symlink("data", at("near")) == 0 &&
              symlink(at("near"), at("far")) == 0);
  ino_t before = inode_of(at("data"));
  ASSERT_OK(write_text(at("far"), NEW, &err), &err);
  EXPECT_TRUE(is_link(at("far")) && is_link(at("near")));
  EXPECT_TRUE(holds(at("data"), NEW) && inode_of(at("data")) != before);
  EXPECT_EQ(mode_of(at("data")), 0600);
  EXPECT_EQ(count_names(), 3);
  remove_folder();
}

TEST(file, link_to_nothing_stays_and_its_file_is_made) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_TRUE(symlink("data", at("link")) == 0);
  ASSERT_OK(write_text(at("link"), NEW, &err), &err);
  EXPECT_TRUE(is_link(at("link")) && !is_link(at("data")));
  EXPECT_TRUE(holds(at("data"), NEW));
  EXPECT_EQ(count_names(), 2);
  remove_folder();
}

TEST(file, link_to_itself_is_refused) {
  char wanted[1200];
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_TRUE(symlink("link", at("link")) == 0);
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s/link': it cannot be found: Too many levels of "
           "symbolic links",
           folder);
  EXPECT_FAILS(write_text(at("link"), NEW, &err), BERTH_INVALID_ARGUMENT, &err,
               wanted);
  EXPECT_TRUE(is_link(at("link")));
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

// ---- What is no plain file ----

TEST(file, pipe_is_written_through_a_link) {
  berth_error_t err = BERTH_ERROR_INIT;
  char found[64] = "";
  ASSERT_TRUE(mkfifo(at("pipe"), 0600) == 0 &&
              symlink("pipe", at("link")) == 0);
  int reader = open(at("pipe"), O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(reader >= 0);
  ASSERT_OK(write_text(at("link"), NEW, &err), &err);
  EXPECT_EQ(read(reader, found, sizeof(found)), strlen(NEW));
  EXPECT_STR(found, NEW);
  EXPECT_TRUE(is_link(at("link")));
  EXPECT_EQ(count_names(), 2);
  close(reader);
  remove_folder();
}

// A descriptor is gone on with, whatever names it: others write there too.
TEST(file, descriptor_is_written_where_it_stands) {
  static const char *const formats[] = {"/dev/fd/%d", "/proc/self/fd/%d"};
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < 2; ++i) {
    char path[64];
    int fd = open(at("log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_TRUE(fd >= 0 && write(fd, "first ", 6) == 6);
    snprintf(path, sizeof(path), formats[i], fd);
    ASSERT_TRUE(symlink(path, at("link")) == 0);
    ASSERT_OK(write_text(at("link"), "second", &err), &err);
    EXPECT_EQ(write(fd, " third", 6), 6);
    EXPECT_TRUE(holds(at("log"), "first second third"));
    EXPECT_TRUE(is_link(at("link")));
    close(fd);
    EXPECT_EQ(write_text(at("link"), "more", NULL), BERTH_UNKNOWN);
    unlink(at("link"));
  }
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

TEST(file, descriptor_of_a_pipe_is_written_to) {
  berth_error_t err = BERTH_ERROR_INIT;
  int ends[2];
  char path[64], found[64] = "";
  ASSERT_TRUE(pipe(ends) == 0);
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), ends[1]);
  ASSERT_TRUE(symlink(path, at("link")) == 0);
  ASSERT_OK(write_text(at("link"), NEW, &err), &err);
  EXPECT_EQ(read(ends[0], found, sizeof(found)), strlen(NEW));
  EXPECT_STR(found, NEW);
  EXPECT_TRUE(is_link(at("link")));
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

TEST(file, full_device_is_told_and_stays_a_device) {
  char wanted[1200];
  berth_error_t err = BERTH_ERROR_INIT;
  struct stat info;
  ASSERT_TRUE(symlink("/dev/full", at("link")) == 0);
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s/link': writing failed: No space left on device; "
           "make room on that disk, or name a file on another",
           folder);
  EXPECT_FAILS(write_text(at("link"), NEW, &err), BERTH_RESOURCE_EXHAUSTED,
               &err, wanted);
  EXPECT_TRUE(is_link(at("link")));
  EXPECT_TRUE(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));
  remove_folder();
}

TEST(file, folder_is_refused) {
  char wanted[1200];
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_TRUE(mkdir(at("sub"), 0700) == 0);
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s/sub': it cannot be opened: Is a directory; name "
           "a file in it",
           folder);
  EXPECT_FAILS(write_text(at("sub"), NEW, &err), BERTH_INVALID_ARGUMENT, &err,
               wanted);
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s/no/file': it cannot be created: No such file or "
           "directory; make its folder first",
           folder);
  EXPECT_FAILS(write_text(at("no/file"), NEW, &err), BERTH_NOT_FOUND, &err,
               wanted);
  EXPECT_FAILS(write_text("", NEW, &err), BERTH_NOT_FOUND, &err,
               "Cannot write '': it cannot be found: No such file or "
               "directory; make its folder first");
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

// ---- Failures ----

TEST(file, too_large_for_the_limit_leaves_the_old_one) {
  static char bytes[65536];
  berth_error_t err = BERTH_ERROR_INIT;
  char wanted[1200];
  ASSERT_TRUE(make(at("old"), OLD, 0600) && limit_files(40000));
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s/old': writing failed: File too large; raise the "
           "limit of file sizes (ulimit -f)",
           folder);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FAILS(berth_file_write(at("old"), bytes, sizeof(bytes), &err),
                 BERTH_RESOURCE_EXHAUSTED, &err, wanted);
  }
  EXPECT_EQ(berth_file_write(at("new"), bytes, sizeof(bytes), NULL),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(holds(at("old"), OLD));
  EXPECT_EQ(mode_of(at("old")), 0600);
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

TEST(file, any_failure_leaves_the_old_one) {
  ASSERT_TRUE(make(at("old"), OLD, 0640));
  int64_t nth = 1;
  for (; nth < 20; ++nth) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_fault_arm("file", nth);
    berth_code_t code = write_text(at("old"), NEW, &err);
    berth_fault_disarm();
    EXPECT_EQ(count_names(), 1);
    EXPECT_EQ(mode_of(at("old")), 0640);
    if (code == BERTH_OK) break;
    EXPECT_TRUE(holds(at("old"), OLD));
    berth_error_clear(&err);
  }
  EXPECT_EQ(nth, 5);  // Creating, writing, reaching the disk, renaming.
  EXPECT_TRUE(holds(at("old"), NEW));
  remove_folder();
}

// ---- Folders that take no new file ----

TEST(file, in_a_folder_of_others_is_written_in_place) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_TRUE(make(at("old"), OLD, 0666) && chmod(folder, 0555) == 0);
  ino_t before = inode_of(at("old"));
  ASSERT_TRUE(leave_root());
  ASSERT_OK(write_text(at("old"), NEW, &err), &err);
  EXPECT_TRUE(holds(at("old"), NEW));
  EXPECT_EQ(inode_of(at("old")), before);
  ASSERT_OK(write_text(at("old"), "short", &err), &err);
  EXPECT_TRUE(holds(at("old"), "short"));
  EXPECT_EQ(write_text(at("new"), NEW, NULL), BERTH_PERMISSION_DENIED);
  become_root();
  EXPECT_EQ(count_names(), 1);
  EXPECT_EQ(chmod(folder, 0755), 0);
  remove_folder();
}

// In place too, room is sought before the old contents are touched.
TEST(file, in_place_without_room_leaves_the_old_one) {
  static char bytes[65536];
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_TRUE(make(at("old"), OLD, 0666) && chmod(folder, 0555) == 0);
  ASSERT_TRUE(leave_root() && limit_files(40000));
  EXPECT_EQ(berth_file_write(at("old"), bytes, sizeof(bytes), &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strstr(berth_error_message(&err), "there is no room for it"));
  berth_error_clear(&err);
  become_root();
  EXPECT_TRUE(holds(at("old"), OLD));
  EXPECT_EQ(count_names(), 1);
  EXPECT_EQ(chmod(folder, 0755), 0);
  remove_folder();
}

TEST(file, where_only_owners_rename_is_written_in_place) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (getuid() != 0) SKIP("it takes two users");
  ASSERT_TRUE(make(at("old"), OLD, 0666) && chmod(folder, 01777) == 0);
  ino_t before = inode_of(at("old"));
  ASSERT_TRUE(leave_root());
  ASSERT_OK(write_text(at("old"), NEW, &err), &err);
  become_root();
  EXPECT_TRUE(holds(at("old"), NEW));
  EXPECT_EQ(inode_of(at("old")), before);
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

TEST(file, made_read_only_is_refused) {
  berth_error_t err = BERTH_ERROR_INIT;
  char wanted[1200];
  ASSERT_TRUE(make(at("old"), OLD, 0444) && chmod(folder, 0777) == 0);
  ASSERT_TRUE(leave_root());
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s/old': it cannot be opened: Permission denied; "
           "name a file that you may write, or change its permissions",
           folder);
  EXPECT_FAILS(write_text(at("old"), NEW, &err), BERTH_PERMISSION_DENIED, &err,
               wanted);
  become_root();
  EXPECT_TRUE(holds(at("old"), OLD));
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}

// ---- Signals ----

// Contents in two halves, with a signal between them.
static berth_code_t fill_and_raise(berth_file_t *file, const void *number,
                                   berth_error_t *err) {
  static const char half[32768];
  BERTH_TRY(berth_file_put(file, half, sizeof(half), err));
  EXPECT_EQ(count_names(), 2);
  raise(*(const int *)number);
  return berth_file_put(file, half, sizeof(half), err);
}

// Returns how a process ends that gets signal |number| while it writes.
static int status_after(int number, void (*handler)(int)) {
  const char *path = at("old");
  pid_t child = fork();
  if (child == 0) {
    signal(number, handler);
    berth_code_t code =
        berth_file_save(path, 65536, fill_and_raise, &number, true, NULL);
    _Exit(code == BERTH_OK && harness_failures == 0 ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child ? status : -1;
}

TEST(file, signal_that_ends_the_process_leaves_the_old_one) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(make(at("old"), OLD, 0600));
    int status = status_after(numbers[i], SIG_DFL);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), numbers[i]);
    EXPECT_TRUE(holds(at("old"), OLD));
    EXPECT_EQ(count_names(), 1);
  }
  remove_folder();
}

static void do_nothing(int number) { (void)number; }

TEST(file, signal_that_is_handled_does_not_stop_writing) {
  struct stat info;
  ASSERT_TRUE(make(at("old"), OLD, 0600));
  EXPECT_EQ(status_after(SIGINT, SIG_IGN), 0);
  EXPECT_EQ(status_after(SIGINT, do_nothing), 0);
  EXPECT_TRUE(stat(at("old"), &info) == 0 && info.st_size == 65536);
  EXPECT_EQ(count_names(), 1);
  remove_folder();
}
