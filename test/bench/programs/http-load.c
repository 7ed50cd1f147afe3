#define _GNU_SOURCE
// Asks for one thing over HTTP/1.1 again and again, on connections that stay open, and says how many answers came and
// how long they took: a client that costs less than any server it is held against.
//   http-load PORT CONNECTIONS SECONDS REQUESTS_PER_SECOND REQUEST_FILE      (0 requests a second: as fast as it goes)
// Prints: requests N wrong N seconds S p50 US p99 US max US
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 256
#define ANSWER_MAX (256 * 1024)
#define TIMES_MAX (4 * 1024 * 1024)

struct connection {
  int fd;
  int busy;
  size_t have;
  int64_t due_us;
  char answer[ANSWER_MAX];
};

static struct connection *connections;
static uint32_t *times;
static size_t answers, wrong;
static char request[16 * 1024];
static size_t request_bytes;

static void fail(const char *what) {
  fprintf(stderr, "http-load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void ask(struct connection *one, int64_t due_us) {
  one->busy = 1;
  one->have = 0;
  one->due_us = due_us;
  if (write(one->fd, request, request_bytes) != (ssize_t)request_bytes) fail("write");
}

// Bytes of the whole answer; 0 until its head is there.
static size_t answer_bytes(struct connection *one) {
  one->answer[one->have] = 0;
  char *end = strstr(one->answer, "\r\n\r\n");
  if (end == NULL) return 0;
  char *length = strcasestr(one->answer, "\r\ncontent-length:");
  if (length == NULL || length > end) {
    fprintf(stderr, "http-load: an answer without a length\n");
    exit(1);
  }
  return (size_t)(end + 4 - one->answer) + strtoul(length + 17, NULL, 10);
}

// Whether the answer is complete; it is counted then.
static int take(struct connection *one) {
  ssize_t got = read(one->fd, one->answer + one->have, ANSWER_MAX - 1 - one->have);
  if (got <= 0) fail("read");
  one->have += (size_t)got;
  size_t whole = answer_bytes(one);
  if (whole == 0 || one->have < whole) return 0;
  if (memcmp(one->answer, "HTTP/1.1 200", 12) != 0 || one->have != whole) wrong += 1;
  if (answers < TIMES_MAX) times[answers] = (uint32_t)(now_us() - one->due_us);
  answers += 1;
  one->busy = 0;
  return 1;
}

static int by_size(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

static void open_all(int port, int count, int poll) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  for (int at = 0; at < count; at++) {
    int one = 1;
    connections[at].fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connections[at].fd, (struct sockaddr *)&to, sizeof to) != 0) fail("connect");
    setsockopt(connections[at].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)at};
    epoll_ctl(poll, EPOLL_CTL_ADD, connections[at].fd, &event);
  }
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  int count = atoi(argv[2]);
  double rate = atof(argv[4]);
  FILE *file = fopen(argv[5], "rb");
  if (file == NULL || count < 1 || count > CONNECTIONS_MAX) fail("arguments");
  request_bytes = fread(request, 1, sizeof request, file);
  connections = calloc((size_t)count, sizeof *connections);
  times = malloc(TIMES_MAX * sizeof *times);
  int poll = epoll_create1(0);
  open_all(atoi(argv[1]), count, poll);
  int64_t started = now_us(), until = started + (int64_t)(atof(argv[3]) * 1e6), now = started;
  uint64_t asked = 0;
  struct epoll_event events[CONNECTIONS_MAX];
  if (rate == 0) for (int at = 0; at < count; at++) ask(&connections[at], now);
  while (now < until) {
    int ready = epoll_wait(poll, events, CONNECTIONS_MAX, rate > 0 ? 1 : 100);
    for (int at = 0; at < ready; at++) {
      struct connection *one = &connections[events[at].data.u32];
      if (take(one) && rate == 0) ask(one, now_us());
    }
    now = now_us();
    // What is late counts from when it was due, however few connections are free.
    for (int at = 0; rate > 0 && at < count; at++) {
      int64_t due = started + (int64_t)((double)asked * 1e6 / rate);
      if (due > now) break;
      if (connections[at].busy) continue;
      ask(&connections[at], due);
      asked += 1;
    }
  }
  size_t kept = answers < TIMES_MAX ? answers : TIMES_MAX;
  if (kept == 0) fail("no answer");
  qsort(times, kept, sizeof *times, by_size);
  printf("requests %zu wrong %zu seconds %.3f p50 %u p99 %u max %u\n", answers, wrong, (double)(now - started) / 1e6,
         times[kept / 2], times[kept * 99 / 100], times[kept - 1]);
  return 0;
}
