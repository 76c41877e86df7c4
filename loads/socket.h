#pragma once

#include "base/address.h"
#include "base/descriptor.h"
#include "base/time.h"

#include <span>

namespace loads {

using base::Address;
using base::Descriptor;
using base::Nanoseconds;

/// How long either end waits for the other where it must answer at once.
constexpr Nanoseconds answer_patience = std::chrono::seconds(5);

/// All throw std::system_error with the address that was tried.
Descriptor connect_tcp(const Address& address);
Descriptor connect_udp(const Address& address);
Descriptor listen_tcp(const Address& address);
Descriptor bind_udp(const Address& address);
/// Waits `answer_patience` at most.
Descriptor accept_tcp(int listener);

void set_option(int fd, int level, int name, int value, const char* tried);
/// A blocking receive gives up after `timeout` with EAGAIN.
void set_receive_timeout(int fd, Nanoseconds timeout);

/// Sends everything. A peer that is gone is a std::system_error.
void send_all(int fd, std::span<const char> data, int flags = 0);

/// Fills `data`; false if the stream ended before its first byte, std::runtime_error if it ended
/// later. With MSG_DONTWAIT among the flags it spins.
bool receive_exactly(int fd, std::span<char> data, int flags = 0);

} // namespace loads
