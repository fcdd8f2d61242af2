// launch.c - Runs a program and prints its seconds and its peak memory.
//
//   launch PROGRAM ARGUMENT ...
//
// prints "SECONDS KIBIBYTES" as the last line of stdout, from just before the
// fork to the program's end. A small program of its own, because a child
// inherits the peak of the process that forks it, and Python's is above what is
// to be measured.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  if (argc < 2) return EXIT_FAILURE;
  struct rusage usage;
  int status = 0;
  double start = now();
  pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    perror("launch");
    return EXIT_FAILURE;
  }
  printf("%.9g %ld\n", now() - start, usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
