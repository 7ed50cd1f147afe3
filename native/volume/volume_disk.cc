// See volume_disk.h.
#include "volume_disk.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nvrd::volume_disk {

namespace {

constexpr const char* kIdentityFile = "volume.json";
constexpr double kMsPerSecond = 1e3;
constexpr double kNsPerMs = 1e6;
// A longer file is no identity.
constexpr size_t kIdentityBytesMax = 4096;

bool Says(const std::string& path, const std::string& volume_id) {
  const File file(path, O_RDONLY | O_NONBLOCK);
  char text[kIdentityBytesMax];
  const ssize_t length = ::read(file.fd(), text, sizeof text);
  if (length < 0) throw Failure::OfCall("read");
  return !volume_id.empty() && std::string_view(text, static_cast<size_t>(length)).find(volume_id) != std::string_view::npos;
}

}  // namespace

std::string ErrnoName(int error) {
  if (error == 0) return "";
  const char* const name = strerrorname_np(error);
  return name != nullptr ? name : "E" + std::to_string(error);
}

Failure Failure::OfCall(const char* call) {
  const int error = errno;
  const std::string code = ErrnoName(error);
  return {code, code + ": " + std::strerror(error) + ", " + call};
}

std::string Join(const std::string& directory, const std::string& path) { return directory + "/" + path; }

File::File(const std::string& path, int flags, mode_t mode) {
  do {
    fd_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd_ < 0 && errno == EINTR);
  if (fd_ < 0) throw Failure::OfCall("open");
}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = other.fd_;
    other.fd_ = -1;
  }
  return *this;
}

File::~File() { Close(); }

std::string File::Close() {
  if (fd_ < 0) return "";
  const int fd = fd_;
  fd_ = -1;
  // Interrupted or not, Linux has released it (close(2)).
  return ::close(fd) == 0 || errno == EINTR ? "" : ErrnoName(errno);
}

void SyncDirectory(const std::string& path) {
  const File directory(path, O_RDONLY);
  if (::fsync(directory.fd()) != 0) throw Failure::OfCall("fsync");
}

void MountGuard::Pin(Place place) {
  is_pinned_ = true;
  place_ = std::move(place);
}

void MountGuard::Check() {
  if (!is_pinned_) return;
  const std::string path = Join(directory_, kIdentityFile);
  struct stat found {};
  const int result = ::stat(path.c_str(), &found);
  if (result != 0 && errno != ENOENT) throw Failure::OfCall("stat");
  const double identity_ms = static_cast<double>(found.st_mtim.tv_sec) * kMsPerSecond +
                             static_cast<double>(found.st_mtim.tv_nsec) / kNsPerMs;
  const bool is_on_device = result == 0 && static_cast<double>(found.st_dev) == place_.device;
  if (is_on_device && identity_ms == place_.identity_ms) return;
  if (!is_on_device || !Says(path, place_.volume_id))
    throw Failure("VOLUME_GONE", "the disk is no longer mounted at " + directory_);
  // It was touched, or put back as it was.
  place_.identity_ms = identity_ms;
}

}  // namespace nvrd::volume_disk
