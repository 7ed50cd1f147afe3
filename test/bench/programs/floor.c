/*
 * The floor of recording: `floor PORT STREAMS DIRECTORY` plays rtsp://127.0.0.1:PORT/<0..STREAMS-1> over TCP
 * interleaved, reads each socket at once through epoll and writes the very bytes it received to one file a stream.
 * Nothing is parsed. Prints "ready" when all streams play, and ends on SIGTERM with "written BYTES".
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
#include <unistd.h>

enum { STREAMS_MAX = 1024, READ_BYTES = 256 * 1024, RESPONSE_BYTES_MAX = 8192 };

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

static int play(int port, int stream) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
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

static void copy(int stream) {
  ssize_t got = read(sockets[stream], buffer, READ_BYTES);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) fail("a stream ended");
  if (write(files[stream], buffer, (size_t)got) != got) fail("write");
  written += (unsigned long long)got;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: floor PORT STREAMS DIRECTORY\n");
    return 2;
  }
  int port = atoi(argv[1]), streams = atoi(argv[2]), epollFd = epoll_create1(EPOLL_CLOEXEC);
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, NULL);
  for (int i = 0; i < streams && i < STREAMS_MAX; i++) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%d.bin", argv[3], i);
    files[i] = open(name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    if (files[i] < 0) fail(name);
    sockets[i] = play(port, i);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = i};
    epoll_ctl(epollFd, EPOLL_CTL_ADD, sockets[i], &event);
  }
  printf("ready\n");
  fflush(stdout);
  while (!stopped) {
    struct epoll_event events[64];
    int count = epoll_wait(epollFd, events, 64, -1);
    for (int i = 0; i < count; i++) copy(events[i].data.fd);
  }
  printf("written %llu\n", written);
  return 0;
}
