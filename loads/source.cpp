#include "loads/source.h"

#include "base/error.h"
#include "loads/socket.h"
#include "loads/zerocopy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <utility>

namespace loads {
namespace {

struct File {
    base::Descriptor fd;
    int64_t bytes = 0;
};

/// The file to send; without one, memory that can be sent like a file.
File open_file(const Options& options) {
    if (!options.file) {
        File memory{base::make_descriptor(memfd_create("load", MFD_CLOEXEC), "memfd_create"),
                    options.buffer_bytes};
        const std::vector<char> content(static_cast<size_t>(memory.bytes), 'x');
        if (pwrite(memory.fd.get(), content.data(), content.size(), 0) != memory.bytes)
            throw base::system_error("fill memory");
        return memory;
    }
    File file{base::make_descriptor(open(options.file->c_str(), O_RDONLY | O_CLOEXEC),
                                    "open " + *options.file)};
    struct stat status {};
    if (fstat(file.fd.get(), &status) < 0) throw base::system_error("stat " + *options.file);
    if (!S_ISREG(status.st_mode) || status.st_size == 0)
        throw std::runtime_error(*options.file + ": not a file with something in it");
    file.bytes = status.st_size;
    return file;
}

[[noreturn]] void file_shrank() {
    throw std::runtime_error("the file that is sent became shorter");
}

/// A file mapped for reading.
class Mapping {
  public:
    explicit Mapping(const File& file) : bytes_(static_cast<size_t>(file.bytes)) {
        data_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file.fd.get(), 0);
        if (data_ == MAP_FAILED) throw base::system_error("map the file to send");
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { munmap(data_, bytes_); }

    std::span<const char> at(int64_t offset, size_t bytes) const {
        return {static_cast<const char*>(data_) + offset, bytes};
    }

  private:
    void* data_;
    size_t bytes_;
};

/// read (where there is a file) and send or write.
class CopySource : public Source {
  public:
    explicit CopySource(const Options& options)
        : CopySource(options, options.file ? open_file(options)
                                           : File{base::Descriptor(), options.buffer_bytes}) {}

  private:
    CopySource(const Options& options, File file)
        : Source(file.bytes, options.buffer_bytes), file_(std::move(file)), how_(options.how),
          buffer_(static_cast<size_t>(std::min(file_.bytes, options.buffer_bytes)), 'x') {}

    void send(int socket, int64_t offset, size_t bytes) override {
        if (file_.fd) fill(offset, bytes);
        const auto data = std::span(buffer_).first(bytes);
        if (how_ == How::send)
            send_all(socket, data);
        else
            write_all(socket, data);
    }

    void fill(int64_t offset, size_t bytes) {
        for (size_t done = 0; done < bytes;) {
            const auto got = pread(file_.fd.get(), buffer_.data() + done, bytes - done,
                                   offset + static_cast<int64_t>(done));
            if (got < 0) throw base::system_error("read the file to send");
            if (got == 0) file_shrank();
            done += static_cast<size_t>(got);
        }
    }

    static void write_all(int socket, std::span<const char> data) {
        while (!data.empty()) {
            const auto written = write(socket, data.data(), data.size());
            if (written < 0) throw base::system_error("write");
            data = data.subspan(static_cast<size_t>(written));
        }
    }

    File file_;
    How how_;
    std::vector<char> buffer_;
};

class SendfileSource : public Source {
  public:
    explicit SendfileSource(const Options& options) : SendfileSource(options, open_file(options)) {}

  private:
    SendfileSource(const Options& options, File file)
        : Source(file.bytes, options.buffer_bytes), file_(std::move(file)) {}

    void send(int socket, int64_t offset, size_t bytes) override {
        while (bytes > 0) {
            const auto sent = sendfile(socket, file_.fd.get(), &offset, bytes);
            if (sent < 0) throw base::system_error("sendfile");
            if (sent == 0) file_shrank();
            bytes -= static_cast<size_t>(sent);
        }
    }

    File file_;
};

/// File to pipe to socket.
class SpliceSource : public Source {
  public:
    explicit SpliceSource(const Options& options) : SpliceSource(options, open_file(options)) {}

  private:
    SpliceSource(const Options& options, File file)
        : Source(file.bytes, options.buffer_bytes), file_(std::move(file)),
          pipe_(base::make_pipe()) {
        // A buffer that is larger than the pipe may become goes through it in pieces.
        fcntl(pipe_.write.get(), F_SETPIPE_SZ,
              static_cast<int>(std::min<int64_t>(options.buffer_bytes, 1 << 20)));
    }

    void send(int socket, int64_t offset, size_t bytes) override {
        while (bytes > 0) {
            const auto filled =
                splice(file_.fd.get(), &offset, pipe_.write.get(), nullptr, bytes, SPLICE_F_MOVE);
            if (filled < 0) throw base::system_error("splice from the file");
            if (filled == 0) file_shrank();
            bytes -= static_cast<size_t>(filled);
            empty_pipe(socket, static_cast<size_t>(filled), bytes > 0 ? SPLICE_F_MORE : 0);
        }
    }

    void empty_pipe(int socket, size_t bytes, unsigned more) {
        while (bytes > 0) {
            const auto sent =
                splice(pipe_.read.get(), nullptr, socket, nullptr, bytes, SPLICE_F_MOVE | more);
            if (sent < 0) throw base::system_error("splice to the socket");
            bytes -= static_cast<size_t>(sent);
        }
    }

    File file_;
    base::Pipe pipe_;
};

class ZerocopySource : public Source {
  public:
    ZerocopySource(const Options& options, Tally& tally)
        : ZerocopySource(options, open_file(options), tally) {}

    void finish(int socket) override { zerocopy_.finish(socket); }

  private:
    ZerocopySource(const Options& options, const File& file, Tally& tally)
        : Source(file.bytes, options.buffer_bytes), mapping_(file), zerocopy_(tally) {}

    void send(int socket, int64_t offset, size_t bytes) override {
        zerocopy_.send(socket, mapping_.at(offset, bytes));
    }

    Mapping mapping_;
    Zerocopy zerocopy_;
};

} // namespace

void Source::send_next(int socket) {
    const auto bytes = next_bytes();
    send(socket, offset_, static_cast<size_t>(bytes));
    offset_ = (offset_ + bytes) % size_;
}

std::unique_ptr<Source> make_source(const Options& options, Tally& tally) {
    switch (options.how) {
    case How::sendfile:
        return std::make_unique<SendfileSource>(options);
    case How::splice:
        return std::make_unique<SpliceSource>(options);
    case How::zerocopy:
        return std::make_unique<ZerocopySource>(options, tally);
    case How::send:
    case How::write:
        break;
    }
    return std::make_unique<CopySource>(options);
}

} // namespace loads
