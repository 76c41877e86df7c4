#pragma once

#include <string>
#include <unistd.h>
#include <utility>

namespace base {

/// Owns a file descriptor; closes it at the end of its life. Move-only.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    void close() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

  private:
    int fd_ = -1;
};

/// Takes what a system call returned: throws std::system_error with `tried` if that is negative.
Descriptor make_descriptor(int fd, const std::string& tried);

struct Pipe {
    Descriptor read, write;
};

/// A close-on-exec pipe.
Pipe make_pipe();

} // namespace base
