#include "base/descriptor.h"

#include "base/error.h"

#include <fcntl.h>

namespace base {

Descriptor make_descriptor(int fd, const std::string& tried) {
    if (fd < 0) throw system_error(tried);
    return Descriptor(fd);
}

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw system_error("pipe2");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

} // namespace base
