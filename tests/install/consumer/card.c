// card.c - Opens the software GPU by its path and counts its cards.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int count = -1;
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: card LIBRARY");
    return 1;
  }
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
  int (*get_count)(int *) = (int (*)(int *))dlsym(library, "cuDeviceGetCount");
  if (init == NULL || get_count == NULL) return 1;
  if (init(0) != 0 || get_count(&count) != 0) return 1;
  printf("%d\n", count);
  return 0;
}
