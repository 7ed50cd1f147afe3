// See volume_disk.h.
#include "volume_disk.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nvrd::volume_disk {

namespace {

constexpr const char* kIdentityFile = "volume.json";
constexpr double kMsPerSecond = 1e3;
constexpr double kNsPerMs = 1e6;

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
  place_ = place;
}

void MountGuard::Check() const {
  if (!is_pinned_) return;
  struct stat found {};
  const int result = ::stat(Join(directory_, kIdentityFile).c_str(), &found);
  if (result != 0 && errno != ENOENT) throw Failure::OfCall("stat");
  const double identity_ms = static_cast<double>(found.st_mtim.tv_sec) * kMsPerSecond +
                             static_cast<double>(found.st_mtim.tv_nsec) / kNsPerMs;
  if (result != 0 || static_cast<double>(found.st_dev) != place_.device || identity_ms != place_.identity_ms)
    throw Failure("VOLUME_GONE", "the disk is no longer mounted at " + directory_);
}

}  // namespace nvrd::volume_disk
