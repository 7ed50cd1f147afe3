// A file system that passes every call on to a directory, and fails or hangs those that a control file names:
//   fault-fuse BACKING MOUNTPOINT CONTROL [mapped]
// With "mapped" its files can be mapped, and what was read once may come from the kernel's cache.
// The control file has lines "CALL FAULT": CALL is getattr, open, create, read, write, fsync, truncate, fallocate, mkdir,
// rename, unlink, readdir, statfs, or * for all; FAULT is hang (until the line is gone), an errno's number or, of write,
// short (half of the bytes are written). It is read at each call, so a change holds from the next call on.
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *backing;
static const char *control;
static int is_mapped;

#define SHORT -2

// What the control file says of a call: 0 nothing, -1 hang, SHORT, else an errno.
static int fault_of(const char *call) {
  FILE *file = fopen(control, "re");
  if (file == NULL) return 0;
  char name[32], fault[32];
  int found = 0;
  while (found == 0 && fscanf(file, "%31s %31s", name, fault) == 2) {
    if (strcmp(name, call) != 0 && strcmp(name, "*") != 0) continue;
    found = strcmp(fault, "hang") == 0 ? -1 : strcmp(fault, "short") == 0 ? SHORT : atoi(fault);
  }
  fclose(file);
  return found;
}

static int meet(const char *call) {
  int fault = fault_of(call);
  while (fault == -1) {
    usleep(10000);
    fault = fault_of(call);
  }
  return fault == SHORT ? 0 : -fault;
}

#define MEET(call)             \
  do {                         \
    int fault_ = meet(call);   \
    if (fault_ != 0) return fault_; \
  } while (0)

#define ANSWER(result) return (result) == -1 ? -errno : 0

static const char *real(const char *path, char *buffer) {
  snprintf(buffer, PATH_MAX, "%s%s", backing, path);
  return buffer;
}
#define REAL(path) real(path, (char[PATH_MAX]){0})

static void *f_init(struct fuse_conn_info *conn, struct fuse_config *config) {
  (void)conn;
  config->use_ino = 1;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  return NULL;
}
static int f_getattr(const char *path, struct stat *out, struct fuse_file_info *fi) {
  MEET("getattr");
  ANSWER(fi != NULL ? fstat((int)fi->fh, out) : lstat(REAL(path), out));
}
static int f_mkdir(const char *path, mode_t mode) {
  MEET("mkdir");
  ANSWER(mkdir(REAL(path), mode));
}
static int f_unlink(const char *path) {
  MEET("unlink");
  ANSWER(unlink(REAL(path)));
}
static int f_rmdir(const char *path) {
  MEET("unlink");
  ANSWER(rmdir(REAL(path)));
}
static int f_rename(const char *from, const char *to, unsigned int flags) {
  MEET("rename");
  ANSWER(renameat2(AT_FDCWD, REAL(from), AT_FDCWD, REAL(to), flags));
}
static int f_truncate(const char *path, off_t size, struct fuse_file_info *fi) {
  MEET("truncate");
  ANSWER(fi != NULL ? ftruncate((int)fi->fh, size) : truncate(REAL(path), size));
}
static int take_fd(int fd, struct fuse_file_info *fi) {
  if (fd == -1) return -errno;
  fi->fh = (uint64_t)fd;
  // Each read is a call here: the kernel's cache would answer in the place of a disk that hangs. Such files cannot be mapped.
  fi->direct_io = !is_mapped;
  return 0;
}
static int f_open(const char *path, struct fuse_file_info *fi) {
  MEET("open");
  return take_fd(open(REAL(path), fi->flags), fi);
}
static int f_create(const char *path, mode_t mode, struct fuse_file_info *fi) {
  MEET("create");
  return take_fd(open(REAL(path), fi->flags, mode), fi);
}
static int f_read(const char *path, char *bytes, size_t size, off_t at, struct fuse_file_info *fi) {
  (void)path;
  MEET("read");
  const ssize_t count = pread((int)fi->fh, bytes, size, at);
  return count == -1 ? -errno : (int)count;
}
static int f_write(const char *path, const char *bytes, size_t size, off_t at, struct fuse_file_info *fi) {
  (void)path;
  MEET("write");
  if (size > 1 && fault_of("write") == SHORT) size /= 2;
  const ssize_t count = pwrite((int)fi->fh, bytes, size, at);
  return count == -1 ? -errno : (int)count;
}
static int f_statfs(const char *path, struct statvfs *out) {
  MEET("statfs");
  ANSWER(statvfs(REAL(path), out));
}
static int f_chmod(const char *path, mode_t mode, struct fuse_file_info *fi) {
  (void)fi;
  ANSWER(chmod(REAL(path), mode));
}
static int f_release(const char *path, struct fuse_file_info *fi) {
  (void)path;
  ANSWER(close((int)fi->fh));
}
static int f_fsync(const char *path, int data_only, struct fuse_file_info *fi) {
  (void)path;
  MEET("fsync");
  ANSWER(data_only ? fdatasync((int)fi->fh) : fsync((int)fi->fh));
}
static int f_fsyncdir(const char *path, int data_only, struct fuse_file_info *fi) {
  (void)path, (void)data_only, (void)fi;
  MEET("fsync");
  return 0;
}
static int f_fallocate(const char *path, int mode, off_t at, off_t length, struct fuse_file_info *fi) {
  (void)path;
  MEET("fallocate");
  ANSWER(fallocate((int)fi->fh, mode, at, length));
}
static int f_readdir(const char *path, void *out, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *fi,
                     enum fuse_readdir_flags flags) {
  (void)at, (void)fi, (void)flags;
  MEET("readdir");
  DIR *directory = opendir(REAL(path));
  if (directory == NULL) return -errno;
  for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    const struct stat stat = {.st_ino = entry->d_ino, .st_mode = (mode_t)entry->d_type << 12};
    if (fill(out, entry->d_name, &stat, 0, 0) != 0) break;
  }
  closedir(directory);
  return 0;
}

static const struct fuse_operations operations = {
    .init = f_init,         .getattr = f_getattr,   .mkdir = f_mkdir,     .unlink = f_unlink,
    .rmdir = f_rmdir,       .rename = f_rename,     .truncate = f_truncate, .open = f_open,
    .chmod = f_chmod,       .create = f_create,     .read = f_read,         .write = f_write,     .statfs = f_statfs,
    .release = f_release,   .fsync = f_fsync,       .fsyncdir = f_fsyncdir, .fallocate = f_fallocate,
    .readdir = f_readdir,
};

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    fprintf(stderr, "usage: %s BACKING MOUNTPOINT CONTROL [mapped]\n", argv[0]);
    return 2;
  }
  backing = argv[1];
  control = argv[3];
  is_mapped = argc == 5;
  char *arguments[] = {argv[0], argv[2], "-f", NULL};
  return fuse_main(3, arguments, &operations, NULL);
}
