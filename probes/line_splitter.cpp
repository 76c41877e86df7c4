#include "probes/line_splitter.h"

namespace probes {
namespace {

constexpr size_t longest_line_bytes = size_t{64} * 1024;

} // namespace

void LineSplitter::add(std::string_view text, const TakeLine& take) {
    for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        begun_.append(text.substr(0, end));
        take(begun_);
        begun_.clear();
        text.remove_prefix(end + 1);
    }
    begun_.append(text);
    if (begun_.size() >= longest_line_bytes) finish(take);
}

void LineSplitter::finish(const TakeLine& take) {
    if (!begun_.empty()) take(begun_);
    begun_.clear();
}

} // namespace probes
