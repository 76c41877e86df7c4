#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace soak {

/// Appends `value` in LEB128: seven bits a byte, the lowest first; the top bit says that more follow.
inline void put_varint(std::string& to, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        to.push_back(static_cast<char>(value | 0x80));
    to.push_back(static_cast<char>(value));
}

/// Signed numbers near zero as small unsigned ones: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
constexpr uint64_t zigzag(int64_t value) {
    return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) {
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}
inline void put_signed(std::string& to, int64_t value) { put_varint(to, zigzag(value)); }

/// Takes numbers from the front of `bytes`.
class VarintReader {
  public:
    /// `place`: of the first byte in `file`, for errors.
    VarintReader(std::string_view bytes, std::string_view file, uint64_t place)
        : bytes_(bytes), file_(file), place_(place) {}

    bool at_end() const { return at_ == bytes_.size(); }
    /// In the file, of the next byte.
    uint64_t place() const { return place_ + at_; }

    /// Both throw base::ParseError where no whole number of 64 bits is left.
    uint64_t take() {
        if (at_ < bytes_.size() && static_cast<uint8_t>(bytes_[at_]) < 0x80) [[likely]]
            return static_cast<uint8_t>(bytes_[at_++]);
        return take_long();
    }
    int64_t take_signed() { return unzigzag(take()); }

    /// Throws base::ParseError that names the file and this place.
    [[noreturn]] void fail(std::string_view what) const;

  private:
    uint64_t take_long();

    std::string_view bytes_;
    std::string_view file_;
    uint64_t place_;
    size_t at_ = 0;
};

} // namespace soak
