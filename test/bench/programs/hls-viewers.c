#define _GNU_SOURCE
// Viewers of low-latency HLS, who cost less than any server they watch: a playlist, then a part of it, over one connection each.
//   hls-viewers PORT VIEWERS SETTLE_SECONDS SECONDS live PLAYLIST...
//   hls-viewers PORT VIEWERS SETTLE_SECONDS SECONDS PERIOD_MS PLAYLIST PART...
// live: viewer N plays the N-th of the playlists, from the first one again after the last: reloads that wait for the next part, then the parts
// that are new. With a period: all ask for the playlist and then for the next of the parts, as files that are there, each period.
// Playlists and parts are absolute paths. Prints "measuring" when the time that counts begins, and at its end
//   bytes N requests N age P50 P99
// age: microseconds from the sending of a part's first picture by the paced source until the whole part was there; 0 without a live stream.
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
  PATH_MAX_BYTES = 256,
  READ_BYTES = 1 << 20,
  // Of an answer, what is kept: a playlist whole, and of a part what its first picture's clock is in.
  KEPT_MAX = 32 * 1024,
  PARTS_MAX = 64,
  AGES_MAX = 1 << 20,
  EVENTS_MAX = 256,
};
static const char CLOCK_MARK[] = "nvrd-paced-clock";
// "SSSS NNNNNNNNNN TTTTTTTTTTTTTTTT"
enum { CLOCK_TIME_AT = 16, CLOCK_TEXT_BYTES = 32 };

typedef struct {
  long sequence, part;
} Place;

typedef struct {
  int fd;
  const char *playlist;
  int isPlaylist, hasNext, hasHead;
  char kept[KEPT_MAX + 1];
  size_t keptBytes, headBytes;
  // Of the answer's body.
  size_t left;
  // What is to be asked for: parts that are new, and then a playlist with this one.
  Place parts[PARTS_MAX], next;
  size_t partCount, partAt;
  // Of files: when the next turn is due; 0: it is under way.
  int64_t dueUs, startedUs;
  size_t turn;
} Viewer;

static Viewer viewers[VIEWERS_MAX];
static uint32_t *ages;
static size_t ageCount, viewerCount, fileCount;
static uint64_t bytesRead, requests;
static uint8_t *buffer;
static int poller, isMeasuring;
// 0: live.
static int64_t periodUs;
static char **files;

static void fail(const char *what) {
  fprintf(stderr, "hls-viewers: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t clockUs(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void ask(Viewer *viewer, const char *path, int isPlaylist) {
  char request[PATH_MAX_BYTES * 2];
  int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n", path);
  if (length >= (int)sizeof request) errno = ENAMETOOLONG, fail(path);
  if (send(viewer->fd, request, (size_t)length, MSG_NOSIGNAL) != length) fail("send");
  viewer->isPlaylist = isPlaylist;
  viewer->hasHead = 0;
  viewer->keptBytes = 0;
}

static void askPlaylist(Viewer *viewer) {
  char path[PATH_MAX_BYTES];
  if (viewer->hasNext)
    snprintf(path, sizeof path, "%s?_HLS_msn=%ld&_HLS_part=%ld", viewer->playlist, viewer->next.sequence, viewer->next.part);
  else
    snprintf(path, sizeof path, "%s", viewer->playlist);
  ask(viewer, path, 1);
}

static void askPart(Viewer *viewer) {
  char path[PATH_MAX_BYTES];
  int directory = (int)(strrchr(viewer->playlist, '/') - viewer->playlist);
  const Place place = viewer->parts[viewer->partAt++];
  snprintf(path, sizeof path, "%.*s/p%ld.%ld.m4s", directory, viewer->playlist, place.sequence, place.part);
  ask(viewer, path, 0);
}

static int isBefore(Place one, Place other) {
  return one.sequence < other.sequence || (one.sequence == other.sequence && one.part < other.part);
}

// Notes the parts from the viewer's next one on, and what is announced as next.
static void readPlaylist(Viewer *viewer) {
  static const char PART[] = "#EXT-X-PART:", HINT[] = "#EXT-X-PRELOAD-HINT:", URI[] = "URI=\"p";
  const Place from = viewer->next;
  const int isFirst = !viewer->hasNext;
  viewer->partCount = viewer->partAt = 0;
  viewer->hasNext = 0;
  for (char *line = viewer->kept + viewer->headBytes, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    const int isHint = strncmp(line, HINT, sizeof HINT - 1) == 0;
    if (!isHint && strncmp(line, PART, sizeof PART - 1) != 0) continue;
    const char *uri = memmem(line, (size_t)(end - line), URI, sizeof URI - 1);
    Place place;
    if (uri == NULL || sscanf(uri + sizeof URI - 1, "%ld.%ld", &place.sequence, &place.part) != 2) continue;
    if (isHint) {
      viewer->next = place;
      viewer->hasNext = 1;
    } else if (!isFirst && !isBefore(place, from) && viewer->partCount < PARTS_MAX) {
      viewer->parts[viewer->partCount++] = place;
    }
  }
  if (!viewer->hasNext) errno = EPROTO, fail("no part is announced");
}

static void noteAge(Viewer *viewer) {
  const char *body = viewer->kept + viewer->headBytes;
  const char *mark = memmem(body, viewer->keptBytes - viewer->headBytes, CLOCK_MARK, sizeof CLOCK_MARK - 1);
  if (mark == NULL || periodUs > 0 || !isMeasuring || ageCount >= AGES_MAX) return;
  const char *text = mark + sizeof CLOCK_MARK - 1;
  if (text + CLOCK_TEXT_BYTES > viewer->kept + viewer->keptBytes) return;
  char digits[CLOCK_TEXT_BYTES - CLOCK_TIME_AT + 1] = {0};
  memcpy(digits, text + CLOCK_TIME_AT, sizeof digits - 1);
  const int64_t us = clockUs(CLOCK_REALTIME) - strtoll(digits, NULL, 16);
  ages[ageCount++] = us > 0 ? (uint32_t)us : 0;
}

static void goOn(Viewer *viewer) {
  if (isMeasuring) requests++;
  if (!viewer->isPlaylist) noteAge(viewer);
  if (periodUs == 0) {
    if (viewer->isPlaylist) readPlaylist(viewer);
    if (viewer->partAt < viewer->partCount)
      askPart(viewer);
    else
      askPlaylist(viewer);
    return;
  }
  if (viewer->isPlaylist)
    ask(viewer, files[viewer->turn++ % fileCount], 0);
  else
    viewer->dueUs = viewer->startedUs + (int64_t)viewer->turn * periodUs;
}

// Takes the head of an answer. Returns whether it is whole.
static int takeHead(Viewer *viewer) {
  static const char OK[] = "HTTP/1.1 200", LENGTH[] = "\r\ncontent-length:";
  viewer->kept[viewer->keptBytes] = 0;
  const char *end = strstr(viewer->kept, "\r\n\r\n");
  if (end == NULL) return 0;
  const char *length = strcasestr(viewer->kept, LENGTH);
  if (strncmp(viewer->kept, OK, sizeof OK - 1) != 0 || length == NULL || length > end) {
    fprintf(stderr, "hls-viewers: %.*s\n", (int)viewer->keptBytes, viewer->kept);
    exit(1);
  }
  viewer->headBytes = (size_t)(end - viewer->kept) + 4;
  viewer->left = strtoul(length + sizeof LENGTH - 1, NULL, 10);
  viewer->hasHead = 1;
  return 1;
}

// Requests are sent one at a time, so all that comes is of one answer.
static void take(Viewer *viewer, const uint8_t *bytes, size_t length) {
  const size_t room = KEPT_MAX - viewer->keptBytes, kept = length < room ? length : room;
  size_t before = viewer->keptBytes;
  memcpy(viewer->kept + before, bytes, kept);
  viewer->keptBytes += kept;
  viewer->kept[viewer->keptBytes] = 0;
  size_t ofBody = length;
  if (!viewer->hasHead) {
    if (!takeHead(viewer)) return;
    ofBody = before + length - viewer->headBytes;
  }
  if (ofBody > viewer->left) errno = EPROTO, fail("more than was announced");
  viewer->left -= ofBody;
  if (viewer->left == 0) goOn(viewer);
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
    take(viewer, buffer, (size_t)taken);
  }
}

static void askWhatIsDue(int64_t nowUs) {
  for (size_t at = 0; at < viewerCount; at++) {
    if (viewers[at].dueUs == 0 || viewers[at].dueUs > nowUs) continue;
    viewers[at].dueUs = 0;
    askPlaylist(&viewers[at]);
  }
}

static void playFor(double seconds) {
  const int64_t endUs = clockUs(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e6);
  for (int64_t nowUs; (nowUs = clockUs(CLOCK_MONOTONIC)) < endUs;) {
    if (periodUs > 0) askWhatIsDue(nowUs);
    readAll(periodUs > 0 ? 2 : 50);
  }
}

static int connectTo(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  return fd;
}

static int compare(const void *one, const void *other) {
  const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
  return a < b ? -1 : a > b;
}

static uint32_t age(double share) {
  return ageCount == 0 ? 0 : ages[(size_t)((double)(ageCount - 1) * share)];
}

int main(int count, char **given) {
  if (count < 7) {
    fprintf(stderr, "usage: hls-viewers PORT VIEWERS SETTLE_SECONDS SECONDS live|PERIOD_MS PLAYLIST...\n");
    return 2;
  }
  viewerCount = strtoul(given[2], NULL, 10);
  if (viewerCount < 1 || viewerCount > VIEWERS_MAX) errno = ERANGE, fail("viewers");
  periodUs = strcmp(given[5], "live") == 0 ? 0 : (int64_t)(atof(given[5]) * 1000);
  files = given + 7;
  fileCount = (size_t)count - 7;
  if (periodUs > 0 && fileCount == 0) errno = EINVAL, fail("no parts");
  ages = calloc(AGES_MAX, sizeof *ages);
  buffer = malloc(READ_BYTES);
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (ages == NULL || buffer == NULL || poller < 0) fail("memory");
  const int64_t startUs = clockUs(CLOCK_MONOTONIC);
  for (size_t at = 0; at < viewerCount; at++) {
    Viewer *viewer = &viewers[at];
    viewer->fd = connectTo(atoi(given[1]));
    viewer->playlist = given[6 + (periodUs > 0 ? 0 : at % ((size_t)count - 6))];
    viewer->startedUs = startUs + periodUs * (int64_t)at / (int64_t)viewerCount;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = viewer};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, viewer->fd, &event) != 0) fail("epoll_ctl");
    if (periodUs > 0)
      viewer->dueUs = viewer->startedUs;
    else
      askPlaylist(viewer);
  }
  playFor(atof(given[3]));
  printf("measuring\n");
  fflush(stdout);
  isMeasuring = 1;
  playFor(atof(given[4]));
  qsort(ages, ageCount, sizeof *ages, compare);
  printf("bytes %llu requests %llu age %u %u\n", (unsigned long long)bytesRead, (unsigned long long)requests, age(0.5), age(0.99));
  return 0;
}
