/*
 * The floor of recording: `floor PORT STREAMS DIRECTORY [PERIOD]` plays rtsp://127.0.0.1:PORT/<0..STREAMS-1> over TCP
 * interleaved and writes the very bytes it received to one file a stream. It reads each socket at once through epoll, or,
 * with a PERIOD in milliseconds, all of them each PERIOD, from a receive buffer that holds what came meanwhile. Nothing is
 * parsed. Prints "ready" when all streams play, and ends on SIGTERM with "written BYTES".
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STREAMS_MAX = 1024, READ_BYTES = 256 * 1024, RECEIVE_BYTES = 8 * 1024 * 1024, RESPONSE_BYTES_MAX = 8192 };

static int files[STREAMS_MAX], sockets[STREAMS_MAX];
static char buffer[READ_BYTES];
static unsigned long long written;
static volatile sig_atomic_t stopped;

static void fail(const char *what) {
  fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void stop(int signal) { (void)signal; stopped = 1; }

/* Sends a request and reads the head of its response byte by byte, so that nothing beyond it is taken. */
static void request(int fd, const char *method, const char *url, int cseq, const char *headers, char *response) {
  char text[1024];
  int length = snprintf(text, sizeof text, "%s %s RTSP/1.0\r\nCSeq: %d\r\n%s\r\n", method, url, cseq, headers);
  if (write(fd, text, (size_t)length) != length) fail(method);
  size_t at = 0;
  while (at < RESPONSE_BYTES_MAX - 1 && (at < 4 || memcmp(response + at - 4, "\r\n\r\n", 4) != 0)) {
    if (read(fd, response + at, 1) != 1) fail(method);
    at += 1;
  }
  response[at] = 0;
  if (strncmp(response, "RTSP/1.0 200", 12) != 0) {
    fprintf(stderr, "floor: %s %s: %.40s\n", method, url, response);
    exit(1);
  }
}

/* A buffer that holds what comes within a period; beyond the machine's limit where that is allowed. */
static void enlarge(int fd) {
  int bytes = RECEIVE_BYTES;
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) == 0) return;
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) < 0) fail("SO_RCVBUF");
}

static int play(int port, int stream, int isBatched) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (isBatched) enlarge(fd);
  char url[64], response[RESPONSE_BYTES_MAX], session[128] = "", headers[256];
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  snprintf(url, sizeof url, "rtsp://127.0.0.1:%d/%d/trackID=0", port, stream);
  request(fd, "SETUP", url, 1, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n", response);
  const char *at = strstr(response, "Session: ");
  if (at != NULL) sscanf(at + 9, "%127[^;\r]", session);
  snprintf(url, sizeof url, "rtsp://127.0.0.1:%d/%d/", port, stream);
  snprintf(headers, sizeof headers, "Session: %s\r\n", session);
  request(fd, "PLAY", url, 2, headers, response);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

/* Returns how many bytes it copied: less than READ_BYTES when no more are there. */
static ssize_t copy(int stream) {
  ssize_t got = read(sockets[stream], buffer, READ_BYTES);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got <= 0) fail("a stream ended");
  if (write(files[stream], buffer, (size_t)got) != got) fail("write");
  written += (unsigned long long)got;
  return got;
}

static void readAtOnce(int streams) {
  int epollFd = epoll_create1(EPOLL_CLOEXEC);
  if (epollFd < 0) fail("epoll_create1");
  for (int i = 0; i < streams; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = i};
    if (epoll_ctl(epollFd, EPOLL_CTL_ADD, sockets[i], &event) < 0) fail("epoll_ctl");
  }
  while (!stopped) {
    struct epoll_event events[64];
    int count = epoll_wait(epollFd, events, 64, -1);
    for (int i = 0; i < count; i++) copy(events[i].data.fd);
  }
}

static void readEach(long periodMs, int streams) {
  struct timespec period = {.tv_sec = periodMs / 1000, .tv_nsec = periodMs % 1000 * 1000000};
  while (!stopped) {
    nanosleep(&period, NULL);
    for (int i = 0; i < streams; i++)
      while (copy(i) == READ_BYTES) continue;
  }
}

int main(int argc, char **argv) {
  long periodMs = argc == 5 ? atol(argv[4]) : 0;
  if (argc < 4 || argc > 5 || (argc == 5 && periodMs <= 0)) {
    fprintf(stderr, "usage: floor PORT STREAMS DIRECTORY [PERIOD]\n");
    return 2;
  }
  int port = atoi(argv[1]), streams = atoi(argv[2]);
  if (streams > STREAMS_MAX) streams = STREAMS_MAX;
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, NULL);
  for (int i = 0; i < streams; i++) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%d.bin", argv[3], i);
    files[i] = open(name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    if (files[i] < 0) fail(name);
    sockets[i] = play(port, i, periodMs > 0);
  }
  printf("ready\n");
  fflush(stdout);
  if (periodMs > 0) readEach(periodMs, streams);
  else readAtOnce(streams);
  printf("written %llu\n", written);
  return 0;
}
