/*
 * Preloaded into a process: has calls of the threads of a volume fail. NVRD_FAIL is CALL:FROM:ERRNO[,…]: CALL from its FROMth call on
 * answers with the errno, or, with `short`, writes a part that once. Calls of other threads are as always.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_of_volume(void) {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return strncmp(name, "nvrd-", 5) == 0;
}

static int errno_of(const char *name) {
  for (int error = 1; error < 134; error++) {
    const char *known = strerrorname_np(error);
    if (known != NULL && strncmp(name, known, strlen(known)) == 0) return error;
  }
  return strncmp(name, "short", 5) == 0 ? -1 : 0;
}

/* The errno that this call is to fail with; 0 for none, -1 for a short write. */
static int due(const char *call, int *count) {
  const char *faults = getenv("NVRD_FAIL");
  if (faults == NULL || !is_of_volume()) return 0;
  *count += 1;
  for (const char *fault = faults; fault != NULL; fault = strchr(fault, ',')) {
    if (*fault == ',') fault++;
    size_t length = strlen(call);
    if (strncmp(fault, call, length) != 0 || fault[length] != ':') continue;
    char *error = NULL;
    long from = strtol(fault + length + 1, &error, 10);
    int wanted = errno_of(error + 1);
    if (wanted == -1 ? *count == from : *count >= from) return wanted;
  }
  return 0;
}

#define FAILING(name)                                \
  static int count;                                  \
  int error = due(name, &count);                     \
  if (error > 0) {                                   \
    errno = error;                                   \
    return -1;                                       \
  }

/* The names that programs with offsets of 64 bits call. */
ssize_t pwritev64(int fd, const struct iovec *pieces, int number, off_t offset) __attribute__((alias("pwritev")));
int ftruncate64(int fd, off_t length) __attribute__((alias("ftruncate")));
int fallocate64(int fd, int mode, off_t offset, off_t length) __attribute__((alias("fallocate")));
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

ssize_t pwritev(int fd, const struct iovec *pieces, int number, off_t offset) {
  ssize_t (*real)(int, const struct iovec *, int, off_t) = dlsym(RTLD_NEXT, "pwritev");
  FAILING("pwritev")
  if (error == 0) return real(fd, pieces, number, offset);
  struct iovec first = {pieces[0].iov_base, pieces[0].iov_len / 2 + 1};
  return real(fd, &first, 1, offset);
}

int fdatasync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
  FAILING("fdatasync")
  return real(fd);
}

int fsync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  FAILING("fsync")
  return real(fd);
}

int ftruncate(int fd, off_t length) {
  int (*real)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate");
  FAILING("ftruncate")
  return real(fd, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
  int (*real)(int, int, off_t, off_t) = dlsym(RTLD_NEXT, "fallocate");
  FAILING("fallocate")
  return real(fd, mode, offset, length);
}

int rename(const char *from, const char *to) {
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  FAILING("rename")
  return real(from, to);
}

int close(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "close");
  FAILING("close")
  return real(fd);
}

int open(const char *path, int flags, ...) {
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  FAILING("open")
  return real(path, flags, mode);
}
