#include "soak/varint.h"

#include "base/error.h"

#include <fmt/format.h>

namespace soak {

uint64_t VarintReader::take_long() {
    uint64_t value = 0;
    for (unsigned shift = 0; at_ < bytes_.size() && shift < 64; shift += 7) {
        const uint64_t byte = static_cast<uint8_t>(bytes_[at_]);
        if (shift == 63 && byte > 1) break;
        ++at_;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    fail("a number is not whole");
}

void VarintReader::fail(std::string_view what) const {
    throw base::ParseError(std::string(file_), 0,
                           fmt::format("damaged at byte {}: {}", place(), what));
}

} // namespace soak
