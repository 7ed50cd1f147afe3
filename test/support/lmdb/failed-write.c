// Commits transactions whose writes of pages fail, and prints each error's text: failed-write DIRECTORY. Compiled with
// mdb.c, whose pwrite() and writev() are `faulty_pwrite` and `faulty_writev` (-Dpwrite=..., -Dwritev=...).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include "lmdb.h"

#define VALUES 40
#define VALUE_BYTES 3000
#define LARGE_BYTES (1100u << 20)

// What the next writes do: 0 nothing, -1 half of the bytes, else the errno they fail with.
static int fault = 0;

static ssize_t answer(ssize_t bytes) {
  if (fault == -1) return bytes / 2;
  errno = fault;
  return -1;
}

ssize_t faulty_pwrite(int fd, const void *bytes, size_t size, off_t at) {
  // The large value: a hole, so that pages behind it have positions of ten digits.
  if (size > LARGE_BYTES / 2) return ftruncate(fd, at + (off_t)size) == 0 ? (ssize_t)size : -1;
  return fault == 0 ? pwrite(fd, bytes, size, at) : answer((ssize_t)size);
}

ssize_t faulty_writev(int fd, const struct iovec *buffers, int count) {
  if (fault == 0) return writev(fd, buffers, count);
  ssize_t size = 0;
  for (int at = 0; at < count; at++) size += (ssize_t)buffers[at].iov_len;
  return answer(size);
}

static void check(int rc, const char *what) {
  if (rc == 0) return;
  fprintf(stderr, "%s: %s\n", what, mdb_strerror(rc));
  exit(2);
}

// Fills the stack that the commit will use with numbers of the longest kind.
__attribute__((noinline)) static void spray(void) {
  volatile unsigned char room[64 * 1024];
  for (size_t at = 0; at < sizeof(room); at++) room[at] = 0x88;
}

static void put_large_value(MDB_env *env, MDB_dbi dbi) {
  MDB_txn *txn;
  int number = VALUES;
  MDB_val key = {sizeof(number), &number}, value = {LARGE_BYTES, NULL};
  check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
  check(mdb_put(txn, dbi, &key, &value, MDB_RESERVE), "put the large value");
  check(mdb_txn_commit(txn), "commit the large value");
}

static int commit_with(MDB_env *env, MDB_dbi dbi, int kind, int values) {
  MDB_txn *txn;
  check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
  char bytes[VALUE_BYTES];
  memset(bytes, kind, sizeof(bytes));
  for (int number = 0; number < values; number++) {
    MDB_val key = {sizeof(number), &number}, value = {sizeof(bytes), bytes};
    check(mdb_put(txn, dbi, &key, &value, 0), "put");
  }
  fault = kind;
  spray();
  const int rc = mdb_txn_commit(txn);
  fault = 0;
  return rc;
}

int main(int argc, char **argv) {
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  if (argc != 2) return 2;
  check(mdb_env_create(&env), "create");
  check(mdb_env_set_mapsize(env, (size_t)4 << 30), "map size");
  check(mdb_env_open(env, argv[1], 0, 0600), "open");
  check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
  check(mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi), "table");
  check(mdb_txn_commit(txn), "first commit");
  put_large_value(env, dbi);
  const int kinds[] = {EIO, ENOSPC, -1};
  for (int at = 0; at < 3; at++) {
    for (int values = 1; values <= VALUES; values += 3) {
      // Pages that lie apart are written one by one.
      check(commit_with(env, dbi, 0, values), "commit between the faults");
      printf("%s\n", mdb_strerror(commit_with(env, dbi, kinds[at], values)));
    }
  }
  check(commit_with(env, dbi, 0, VALUES), "commit after the faults");
  mdb_env_close(env);
  return 0;
}
