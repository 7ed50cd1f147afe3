#define _GNU_SOURCE
// Viewers of one stream of the paced source over RTSP/TCP, who cost less than any server they watch, and when frames arrive at them.
//   rtsp-viewers PORT URL TRACK VIEWERS SETTLE_SECONDS SECONDS
// Prints "measuring" when the time that counts begins, and at its end, in microseconds from the sending of a frame:
//   bytes N frames N first P50 P99 whole P50 P99
// first: until the first bytes of the frame came; whole: until its last one, which is when a decoder can begin.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  VIEWERS_MAX = 1000,
  READ_BYTES = 1 << 20,
  TIMES_MAX = 4 << 20,
  ANSWER_MAX = 64 * 1024,
  EVENTS_MAX = 256,
  // `$`, channel, length, and of the RTP header the bytes with version and marker (RFC 2326, 10.12; RFC 3550, 5.1).
  PREFIX_BYTES = 6,
  INTERLEAVED_HEADER_BYTES = 4,
  // The clock lies before the picture: in one of a frame's first packets, near its beginning.
  CLOCK_PACKETS_MAX = 6,
  CLOCK_WITHIN_BYTES = 1024,
};
static const char CLOCK_MARK[] = "nvrd-paced-clock";
// "SSSS NNNNNNNNNN TTTTTTTTTTTTTTTT"
enum { CLOCK_TIME_AT = 16, CLOCK_TEXT_BYTES = 32 };

typedef struct {
  int fd;
  uint8_t prefix[PREFIX_BYTES];
  size_t prefixBytes;
  // Of the packet that is being read.
  size_t left;
  int endsFrame;
  // Packets of the frame so far, and when it was sent; 0: not known.
  int packets;
  int64_t sentUs;
} Viewer;

typedef struct {
  uint32_t *us;
  size_t count;
} Times;

static Viewer viewers[VIEWERS_MAX];
static Times first, whole;
static uint64_t bytesRead;
static uint8_t *buffer;
static int poller, isMeasuring;

static void fail(const char *what) {
  fprintf(stderr, "rtsp-viewers: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t clockUs(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void add(Times *times, int64_t us) {
  if (isMeasuring && times->count < TIMES_MAX) times->us[times->count++] = us > 0 ? (uint32_t)us : 0;
}

// A clock cut in two by the end of a read is left out: there are enough others.
static void lookForClock(Viewer *viewer, const uint8_t *packet, size_t length, int64_t nowUs) {
  const uint8_t *mark = memmem(packet, length, CLOCK_MARK, sizeof CLOCK_MARK - 1);
  if (mark == NULL) return;
  const uint8_t *text = mark + sizeof CLOCK_MARK - 1;
  if (text + CLOCK_TEXT_BYTES > packet + length) return;
  char digits[CLOCK_TEXT_BYTES - CLOCK_TIME_AT + 1] = {0};
  memcpy(digits, text + CLOCK_TIME_AT, sizeof digits - 1);
  viewer->sentUs = strtoll(digits, NULL, 16);
  add(&first, nowUs - viewer->sentUs);
}

// Takes a packet's prefix; returns how many bytes it took. What is no packet (an answer of the server) is passed byte by byte.
static size_t beginPacket(Viewer *viewer, const uint8_t *bytes, size_t length, int64_t nowUs) {
  size_t at = 0;
  uint8_t *prefix = viewer->prefix;
  while (at < length && viewer->prefixBytes < PREFIX_BYTES) prefix[viewer->prefixBytes++] = bytes[at++];
  if (viewer->prefixBytes < PREFIX_BYTES) return at;
  const size_t packetBytes = (size_t)prefix[2] << 8 | prefix[3];
  const size_t known = PREFIX_BYTES - INTERLEAVED_HEADER_BYTES;
  if (prefix[0] != '$' || prefix[1] > 1 || prefix[4] >> 6 != 2 || packetBytes < known) {
    memmove(prefix, prefix + 1, --viewer->prefixBytes);
    return at;
  }
  viewer->prefixBytes = 0;
  viewer->left = packetBytes - known;
  const int isRtp = prefix[1] == 0;
  viewer->endsFrame = isRtp && (prefix[5] & 0x80) != 0;
  if (isRtp && viewer->sentUs == 0 && viewer->packets++ < CLOCK_PACKETS_MAX) {
    size_t seen = viewer->left < length - at ? viewer->left : length - at;
    lookForClock(viewer, bytes + at, seen < CLOCK_WITHIN_BYTES ? seen : CLOCK_WITHIN_BYTES, nowUs);
  }
  return at;
}

static void take(Viewer *viewer, const uint8_t *bytes, size_t length, int64_t nowUs) {
  size_t at = 0;
  while (at < length) {
    if (viewer->left == 0) at += beginPacket(viewer, bytes + at, length - at, nowUs);
    size_t taken = viewer->left < length - at ? viewer->left : length - at;
    viewer->left -= taken;
    at += taken;
    if (viewer->left > 0 || !viewer->endsFrame) continue;
    if (viewer->sentUs != 0) add(&whole, nowUs - viewer->sentUs);
    viewer->sentUs = 0;
    viewer->packets = viewer->endsFrame = 0;
  }
}

// Reads what is there of all viewers, waiting for up to `waitMs`.
static void readAll(int waitMs) {
  struct epoll_event events[EVENTS_MAX];
  int count = epoll_wait(poller, events, EVENTS_MAX, waitMs);
  for (int at = 0; at < count; at++) {
    Viewer *viewer = events[at].data.ptr;
    ssize_t taken = recv(viewer->fd, buffer, READ_BYTES, MSG_DONTWAIT);
    if (taken == 0) errno = ECONNRESET;
    if (taken < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (taken <= 0) fail("a viewer's connection ended");
    if (isMeasuring) bytesRead += (uint64_t)taken;
    take(viewer, buffer, (size_t)taken, clockUs(CLOCK_REALTIME));
  }
}

// Sends a request and reads its answer, with its body. Returns its length in `answer`; what follows it is there too.
static size_t ask(int fd, const char *request, char *answer, int isPlay) {
  size_t length = strlen(request), have = 0;
  if (write(fd, request, length) != (ssize_t)length) fail("write");
  for (;;) {
    ssize_t taken = recv(fd, answer + have, ANSWER_MAX - 1 - have, 0);
    if (taken <= 0) fail("no answer");
    have += (size_t)taken;
    answer[have] = 0;
    // Some servers send the first packets before they answer PLAY.
    if (isPlay && (answer[0] == '$' || strstr(answer, "RTSP/1.0 200") != NULL)) return have;
    char *end = strstr(answer, "\r\n\r\n");
    if (end == NULL) continue;
    if (strncmp(answer, "RTSP/1.0 200", 12) != 0) {
      fprintf(stderr, "rtsp-viewers: refused: %.200s\n", answer);
      exit(1);
    }
    char *bodyLength = strcasestr(answer, "\r\nContent-Length:");
    size_t body = bodyLength != NULL && bodyLength < end ? (size_t)atol(bodyLength + 17) : 0;
    if (have >= (size_t)(end + 4 - answer) + body) return have;
  }
}

static void watch(Viewer *viewer, int port, const char *url, const char *track) {
  char answer[ANSWER_MAX], request[4096], session[256] = "";
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  viewer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (viewer->fd < 0 || connect(viewer->fd, (struct sockaddr *)&to, sizeof to) != 0) fail("connect");
  snprintf(request, sizeof request, "DESCRIBE %s RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n\r\n", url);
  ask(viewer->fd, request, answer, 0);
  snprintf(request, sizeof request,
           "SETUP %s/%s RTSP/1.0\r\nCSeq: 2\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n", url, track);
  ask(viewer->fd, request, answer, 0);
  char *id = strcasestr(answer, "\r\nSession:");
  if (id != NULL) sscanf(id + 10, " %255[^;\r\n]", session);
  snprintf(request, sizeof request, "PLAY %s/ RTSP/1.0\r\nCSeq: 3\r\nSession: %s\r\n\r\n", url, session);
  size_t have = ask(viewer->fd, request, answer, 1);
  take(viewer, (uint8_t *)answer, have, clockUs(CLOCK_REALTIME));
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = viewer};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, viewer->fd, &event) != 0) fail("epoll_ctl");
}

static void readFor(double seconds) {
  const int64_t endUs = clockUs(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e6);
  for (;;) {
    int64_t leftUs = endUs - clockUs(CLOCK_MONOTONIC);
    if (leftUs <= 0) return;
    readAll((int)(leftUs / 1000) + 1);
  }
}

static int ascending(const void *a, const void *b) {
  const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
  return one < other ? -1 : one > other;
}

static uint32_t percentile(Times *times, double share) {
  if (times->count == 0) return 0;
  size_t at = (size_t)((double)times->count * share);
  return times->us[at < times->count ? at : times->count - 1];
}

int main(int argc, char **argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: rtsp-viewers PORT URL TRACK VIEWERS SETTLE_SECONDS SECONDS\n");
    return 2;
  }
  const int count = atoi(argv[4]);
  if (count < 1 || count > VIEWERS_MAX) return 2;
  buffer = malloc(READ_BYTES);
  first.us = malloc(TIMES_MAX * sizeof *first.us);
  whole.us = malloc(TIMES_MAX * sizeof *whole.us);
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (buffer == NULL || first.us == NULL || whole.us == NULL || poller < 0) fail("start");
  for (int at = 0; at < count; at++) {
    watch(&viewers[at], atoi(argv[1]), argv[2], argv[3]);
    readAll(0);
  }
  readFor(atof(argv[5]));
  printf("measuring\n");
  fflush(stdout);
  isMeasuring = 1;
  readFor(atof(argv[6]));
  qsort(first.us, first.count, sizeof *first.us, ascending);
  qsort(whole.us, whole.count, sizeof *whole.us, ascending);
  printf("bytes %llu frames %zu first %u %u whole %u %u\n", (unsigned long long)bytesRead, whole.count,
         percentile(&first, 0.5), percentile(&first, 0.99), percentile(&whole, 0.5), percentile(&whole, 0.99));
  return 0;
}
