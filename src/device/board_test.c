// board_test.c - Processes that see each other, and ask each other for memory.
#include "device/board.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "harness.h"

enum { MIB = 1 << 20, ROOM = 128 };
#define SECOND ((int64_t)1000000000)

static char folder[64];

// Gives the test, and the processes it starts, a folder of their own.
static void prepare(void) {
  snprintf(folder, sizeof(folder), "/tmp/berth-board-%d", (int)getpid());
  mkdir(folder, 0700);
  setenv("BERTH_SHARED_DIR", folder, 1);
}

static int count_files(void) {
  int count = 0;
  DIR *list = opendir(folder);
  for (struct dirent *e = readdir(list); e != NULL; e = readdir(list)) {
    if (e->d_name[0] != '.' || e->d_name[1] >= '0') ++count;
  }
  closedir(list);
  return count;
}

static void clean_up(void) {
  berth_board_leave();
  EXPECT_EQ(count_files(), 0);
  rmdir(folder);
}

// ---- Another process ----

typedef struct other {
  pid_t pid;
  int from, to;
} other_t;

static void publish(const char *key, uint64_t pool) {
  berth_card_figures_t figures = {.budget_bytes = 8 * (uint64_t)pool,
                                  .pool_bytes = pool,
                                  .in_use_bytes = pool / 4,
                                  .peak_bytes = pool / 2,
                                  .outside_bytes = 64 * MIB};
  berth_board_publish(berth_board_enter(key, "0000:05:00.0"), &figures);
}

// Answers whoever asks with a quarter of what is wanted, until told to go.
static void live(int from, int to, const char *key, bool answers) {
  publish(key, 100 * MIB);
  bool is_told = write(to, "y", 1) == 1;
  fcntl(from, F_SETFL, O_NONBLOCK);
  char c;
  while (is_told && read(from, &c, 1) < 0) {
    uint32_t bell = berth_board_bell();
    uint64_t bytes = 0, ticket = 0;
    berth_board_card_t *line = berth_board_enter(key, "");
    if (answers && berth_board_asked(line, &bytes, &ticket)) {
      berth_board_answer(line, ticket, bytes / 4);
    }
    berth_board_wait(bell, SECOND / 10);
  }
  berth_board_leave();
  _Exit(0);
}

static bool move_in(other_t *other, const char *key, bool answers) {
  int there[2], back[2];
  char answer = '?';
  if (pipe(there) != 0 || pipe(back) != 0) return false;
  other->pid = fork();
  if (other->pid == 0) {
    close(there[1]);
    close(back[0]);
    live(there[0], back[1], key, answers);
  }
  close(there[0]);
  close(back[1]);
  other->from = back[0];
  other->to = there[1];
  return read(back[0], &answer, 1) == 1;
}

static void move_out(other_t *other, bool by_force) {
  if (by_force) {
    kill(other->pid, SIGKILL);
  } else if (write(other->to, "g", 1) != 1) {
    HARNESS_FAIL("nobody there");
  }
  close(other->to);
  close(other->from);
  waitpid(other->pid, NULL, 0);
}

// ---- Tests ----

TEST(board, shows_the_process_itself) {
  prepare();
  berth_card_share_t shares[ROOM];
  char key[32] = "GPU-1";
  berth_board_mark(key + strlen(key));
  EXPECT_EQ(berth_board_list(shares, ROOM), 0);
  publish(key, 100 * MIB);
  EXPECT_EQ(count_files(), 1);
  ASSERT_TRUE(berth_board_list(shares, ROOM) == 1);
  EXPECT_EQ(shares[0].pid, getpid());
  EXPECT_TRUE(shares[0].is_self);
  EXPECT_STR(shares[0].card_uuid, "GPU-1");
  EXPECT_STR(shares[0].pci_bus_id, "0000:05:00.0");
  EXPECT_STR(shares[0].program, "device_board_test");
  EXPECT_EQ(shares[0].pool_bytes, 100 * MIB);
  EXPECT_EQ(shares[0].in_use_bytes, 25 * MIB);
  EXPECT_EQ(shares[0].peak_bytes, 50 * MIB);
  EXPECT_EQ(shares[0].outside_bytes, 64 * MIB);
  EXPECT_EQ(shares[0].budget_bytes, 800 * (uint64_t)MIB);
  // One line for a card, however often it is entered.
  publish(key, 200 * MIB);
  publish("GPU-2", 300 * MIB);
  publish("GPU-1@00112233", 400 * MIB);  // In another ledger: another card.
  EXPECT_EQ(berth_board_list(shares, ROOM), 2);
  EXPECT_EQ(shares[0].pool_bytes, 200 * MIB);
  EXPECT_EQ(berth_board_list(NULL, 0), 2);
  clean_up();
}

TEST(board, shows_neighbours_until_they_go) {
  prepare();
  other_t polite, killed;
  berth_card_share_t shares[ROOM];
  publish("GPU-1", MIB);
  ASSERT_TRUE(move_in(&polite, "GPU-1", true));
  ASSERT_TRUE(move_in(&killed, "GPU-2", true));
  ASSERT_TRUE(berth_board_list(shares, ROOM) == 3);
  EXPECT_TRUE(shares[0].is_self && !shares[1].is_self && !shares[2].is_self);
  move_out(&polite, false);
  EXPECT_EQ(berth_board_list(shares, ROOM), 2);
  EXPECT_EQ(shares[1].pid, killed.pid);
  EXPECT_STR(shares[1].card_uuid, "GPU-2");
  // Whoever looks next removes what a killed process has left.
  move_out(&killed, true);
  EXPECT_EQ(count_files(), 2);
  EXPECT_EQ(berth_board_list(shares, ROOM), 1);
  EXPECT_EQ(count_files(), 1);
  clean_up();
}

TEST(board, asks_those_on_the_card) {
  prepare();
  other_t first, second, elsewhere;
  publish("GPU-1", MIB);
  ASSERT_TRUE(move_in(&first, "GPU-1", true));
  ASSERT_TRUE(move_in(&second, "GPU-1", true));
  ASSERT_TRUE(move_in(&elsewhere, "GPU-2", true));
  int64_t begun = berth_now_ns();
  EXPECT_EQ(berth_board_ask("GPU-1", 40 * MIB, 10 * SECOND), 20 * MIB);
  // The bell wakes them: nobody waits for anybody's next look.
  EXPECT_TRUE(berth_now_ns() - begun < SECOND);
  EXPECT_EQ(berth_board_ask("GPU-1", 4 * MIB, 10 * SECOND), 2 * MIB);
  EXPECT_EQ(berth_board_ask("GPU-3", 4 * MIB, 10 * SECOND), 0);
  berth_card_share_t shares[ROOM];
  int count = berth_board_list(shares, ROOM);
  for (int i = 0; i < count; ++i) {
    bool was_asked = !shares[i].is_self && shares[i].card_uuid[4] == '1';
    EXPECT_EQ(shares[i].asked_count, was_asked ? 2 : 0);
    EXPECT_EQ(shares[i].given_bytes, was_asked ? 11 * MIB : 0);
    EXPECT_EQ(shares[i].wish_bytes, 0);
  }
  move_out(&first, false);
  move_out(&second, false);
  move_out(&elsewhere, false);
  clean_up();
}

TEST(board, waits_for_no_answer_for_long) {
  prepare();
  other_t silent;
  ASSERT_TRUE(move_in(&silent, "GPU-1", false));
  int64_t begun = berth_now_ns();
  EXPECT_EQ(berth_board_ask("GPU-1", MIB, SECOND / 5), 0);
  int64_t took = berth_now_ns() - begun;
  EXPECT_TRUE(took >= SECOND / 5 && took < 5 * SECOND);
  move_out(&silent, true);
  EXPECT_EQ(berth_board_ask("GPU-1", MIB, SECOND), 0);
  clean_up();
}

TEST(board, works_without_a_folder) {
  setenv("BERTH_SHARED_DIR", "none", 1);
  EXPECT_TRUE(berth_board_enter("GPU-1", "") == NULL);
  publish("GPU-1", MIB);
  EXPECT_EQ(berth_board_list(NULL, 0), 0);
  EXPECT_EQ(berth_board_ask("GPU-1", MIB, SECOND), 0);
  berth_board_ring();
  int64_t begun = berth_now_ns();
  berth_board_wait(berth_board_bell(), SECOND / 100);
  EXPECT_TRUE(berth_now_ns() - begun >= SECOND / 100);
}

TEST(board, refuses_a_folder_that_others_write) {
  prepare();
  chmod(folder, 0777);
  EXPECT_TRUE(berth_board_enter("GPU-1", "") == NULL);
  chmod(folder, 0700);
  rmdir(folder);
}

// Whatever lies in the folder is looked at with care.
TEST(board, takes_no_strange_file_for_a_process) {
  prepare();
  char path[128];
  snprintf(path, sizeof(path), "%s/123-45", folder);
  int file = open(path, O_RDWR | O_CREAT, 0600);
  ASSERT_TRUE(file >= 0 && write(file, "hello", 5) == 5);
  close(file);
  snprintf(path, sizeof(path), "%s/notes", folder);
  file = open(path, O_RDWR | O_CREAT, 0600);
  close(file);
  EXPECT_EQ(berth_board_list(NULL, 0), 0);
  EXPECT_EQ(count_files(), 1);  // The notes are not ours to remove.
  unlink(path);
  clean_up();
}

TEST(board, is_made_anew_in_a_child) {
  prepare();
  publish("GPU-1", MIB);
  pid_t child = fork();
  if (child == 0) {
    berth_card_share_t shares[ROOM];
    bool is_right = berth_board_list(shares, ROOM) == 1 && !shares[0].is_self &&
                    shares[0].pid == getppid();
    publish("GPU-1", 2 * MIB);
    is_right = is_right && berth_board_list(shares, ROOM) == 2 &&
               shares[0].pid == getpid();
    _Exit(is_right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  berth_card_share_t shares[ROOM];
  EXPECT_EQ(berth_board_list(shares, ROOM), 1);
  EXPECT_EQ(shares[0].pool_bytes, MIB);
  clean_up();
}
