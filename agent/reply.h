#pragma once

#include <memory>
#include <string>

namespace agent {

/// What a path answers. The body is shared by all who ask for it.
struct Reply {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::shared_ptr<const std::string> body;
};

} // namespace agent
