// clock-watch FILE: keeps FILE there as long as the kernel holds the wall clock for synchronized (adjtimex(2), which
// changes nothing here), looking each few seconds. The recorder's sandbox forbids it this call; a file it may see.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// As src/base/clock-status.ts has it: a clock that nobody disciplines reaches 16 s and stays there.
#define ERROR_US_MAX 16000000L
#define LOOK_SECONDS 10

static bool is_synchronized(void) {
  struct timex state = {0};
  // TIME_ERROR is no failure: it says that the clock is not synchronized.
  return adjtimex(&state) >= 0 && state.maxerror >= 0 && state.maxerror < ERROR_US_MAX;
}

static bool make(const char *file) {
  const int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  return fd >= 0 && close(fd) == 0;
}

static bool take_away(const char *file) { return unlink(file) == 0 || errno == ENOENT; }

int main(int count, char **words) {
  if (count != 2) {
    fprintf(stderr, "clock-watch: say which file to keep: clock-watch FILE\n");
    return 2;
  }
  const char *file = words[1];
  for (;;) {
    const bool done = is_synchronized() ? make(file) : take_away(file);
    if (!done) {
      fprintf(stderr, "clock-watch: %s: %s\n", file, strerror(errno));
      return 1;
    }
    const struct timespec wait = {.tv_sec = LOOK_SECONDS};
    nanosleep(&wait, NULL);
  }
}
