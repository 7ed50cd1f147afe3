// clock-watch FILE: FILE exists while the kernel considers the wall clock synchronized (adjtimex(2), read only),
// checked every LOOK_SECONDS. The recorder's sandbox forbids that call, but the recorder can see the file.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// As in src/base/time/clock-status.ts: without clock discipline the error reaches 16 s and stays there.
#define ERROR_US_MAX 16000000L
#define LOOK_SECONDS 10

static bool is_synchronized(void) {
  struct timex state = {0};
  // TIME_ERROR is not a failure: it means that the clock is not synchronized.
  return adjtimex(&state) >= 0 && state.maxerror >= 0 && state.maxerror < ERROR_US_MAX;
}

static bool create_file(const char *file) {
  const int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  return fd >= 0 && close(fd) == 0;
}

static bool remove_file(const char *file) { return unlink(file) == 0 || errno == ENOENT; }

int main(int count, char **words) {
  if (count != 2) {
    fprintf(stderr, "usage: clock-watch FILE\n");
    return 2;
  }
  const char *file = words[1];
  for (;;) {
    const bool done = is_synchronized() ? create_file(file) : remove_file(file);
    if (!done) {
      fprintf(stderr, "clock-watch: %s: %s\n", file, strerror(errno));
      return 1;
    }
    const struct timespec wait = {.tv_sec = LOOK_SECONDS};
    nanosleep(&wait, NULL);
  }
}
