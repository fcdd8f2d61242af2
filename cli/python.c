// python.c - Handing Python scripts over to the Python package.
#include "python.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph_file.h"
#include "memory.h"
#include "term.h"

// What is said to python3 begins with this. `-c` puts the current folder first
// on Python's path, as `-m` does, and whatever is called berth there would be
// run instead of the package. The folder of commands is what a script named
// berth would have there; the program that is run gets its own (_start/script.py).
#define OUT_OF_FOLDER                              \
  "import sys\n"                                   \
  "if not getattr(sys.flags, 'safe_path', False):" \
  " sys.path[0] = sys.prefix + '/bin'\n"

// True when python3 runs and finds the package, asked in a process of its own.
static bool has_package(void) {
  static const char question[] = OUT_OF_FOLDER
      "import importlib.util as u\n"
      "sys.exit(u.find_spec('berth') is None or u.find_spec('berth.__main__') "
      "is None)";
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    execlp("python3", "python3", "-c", question, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool cli_is_python(const char *word) {
  return cli_ends_with(word, ".py") || strcmp(word, "-c") == 0 ||
         strcmp(word, "-m") == 0;
}

int cli_python_find(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
    if (cli_is_python(argv[i])) return i;
    if (cli_ends_with(argv[i], ".pb") || cli_ends_with(argv[i], ".pbtxt")) {
      return 0;
    }
  }
  return 0;
}

int cli_python_run(int argc, char **argv) {
  if (!has_package()) {
    return cli_fail(
        "%s is for Python; programs in Python run with Berth's package, which "
        "python3 does not find here. This program runs graphs: .pb, .pbtxt",
        argv[cli_python_find(argc, argv)]);
  }
  static const char code[] = OUT_OF_FOLDER
      "from berth.__main__ import main\n"
      "sys.exit(main())";
  static const char *const start[] = {"python3", "-c", code, "run"};
  enum { START = sizeof(start) / sizeof(start[0]) };
  size_t count = (size_t)argc - 1 + START;
  const char **command = cli_calloc(count + 1, sizeof(*command));
  if (command == NULL) return cli_fail("not enough memory for the arguments");
  for (size_t i = 0; i < count; ++i) {
    command[i] = i < START ? start[i] : argv[i - START + 1];
  }
  execvp(command[0], (char *const *)command);
  int status = cli_fail("cannot start python3: %s", strerror(errno));
  cli_free(command);
  return status;
}
