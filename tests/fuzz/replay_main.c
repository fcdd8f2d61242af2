// replay_main.c - Runs a fuzz target over files, without a fuzzer.
//
// Every argument is a file or a folder of files; each goes through the target
// once. A crash names the file that did it.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed;

// Runs the target over one file; false when it cannot be read.
static int file_replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  enum { LARGEST = 1 << 24 };
  uint8_t *buffer = berth_alloc(LARGEST);
  size_t size = buffer != NULL ? fread(buffer, 1, LARGEST, file) : 0;
  // A copy of the right size, so that reading beyond it is noticed.
  uint8_t *data = berth_alloc(size);
  if (data != NULL && size > 0) memcpy(data, buffer, size);
  berth_free(buffer);
  fclose(file);
  if (data == NULL) return 0;
  fprintf(stderr, "%s\n", path);
  LLVMFuzzerTestOneInput(data, size);
  berth_free(data);
  ++replayed;
  return 1;
}

// Runs the target over a folder, or over a file.
static int path_replay(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) return file_replay(path);
  int is_ok = 1;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    is_ok &= file_replay(name);
  }
  closedir(folder);
  return is_ok;
}

int main(int argc, char **argv) {
  int is_ok = 1;
  for (int i = 1; i < argc; ++i) is_ok &= path_replay(argv[i]);
  printf("%d inputs replayed\n", replayed);
  return is_ok && replayed > 0 ? 0 : 1;
}
