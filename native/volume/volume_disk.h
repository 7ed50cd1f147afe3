// The disk as a volume's own threads call it, and what they report of a call that failed. `src/archive/disk/` says when these calls are
// made, and why.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace nvrd::volume_disk {

// A call of the disk that failed. `code` is the name of its errno (errno(3)), or VOLUME_GONE.
class Failure : public std::runtime_error {
 public:
  Failure(std::string code, const std::string& message) : std::runtime_error(message), code_(std::move(code)) {}
  // Of errno, as Node words it: "EIO: Input/output error, fdatasync".
  static Failure OfCall(const char* call);

  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

// "" without an error.
std::string ErrnoName(int error);

std::string Join(const std::string& directory, const std::string& path);

// A descriptor that is closed with its owner. `Close` returns an error, once.
class File {
 public:
  File() = default;
  // Throws Failure.
  File(const std::string& path, int flags, mode_t mode = 0);
  File(File&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  File& operator=(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  int fd() const { return fd_; }
  // The name of its errno; "" when it was closed without one. The descriptor is gone either way (close(2)).
  std::string Close();

 private:
  int fd_ = -1;
};

// Makes the entries of a directory durable. Throws Failure.
void SyncDirectory(const std::string& path);

// Identifies a volume's file system: its st_dev, when its identity file was written, in ms as Node has
// them (Stats.mtimeMs), and what that file says.
struct Place {
  double device = 0;
  double identity_ms = 0;
  std::string volume_id;
};

// Keeps a volume's thread from writing elsewhere than into the volume: after a lazy unmount open files stay on the old disk, but
// every new name would be made in the mount point on the system disk, or on another disk that was mounted there since.
class MountGuard {
 public:
  explicit MountGuard(std::string directory) : directory_(std::move(directory)) {}
  // From now on the directory has to be this one.
  void Pin(Place place);
  // Throws Failure: VOLUME_GONE when the directory is another one, or the disk's own error.
  void Check();

 private:
  const std::string directory_;
  bool is_pinned_ = false;
  Place place_;
};

}  // namespace nvrd::volume_disk
