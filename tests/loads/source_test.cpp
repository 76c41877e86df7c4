#include "base/files.h"
#include "loads/ends.h"
#include "loads/socket.h"
#include "loads/source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace loads {
namespace {

struct Connection {
    base::Descriptor near, far;
};

Connection make_connection() {
    const auto listener = listen_tcp(base::read_addresses({"127.0.0.1", 0}).front());
    auto near = connect_tcp(Address::of_socket(listener.get()));
    return {std::move(near), accept_tcp(listener.get())};
}

std::string receive_all(int fd) {
    std::string text;
    char piece[4096];
    ssize_t got = 0;
    while ((got = recv(fd, piece, sizeof piece, 0)) > 0)
        text.append(piece, static_cast<size_t>(got));
    return text;
}

class Sources : public testing::TestWithParam<How> {};

TEST_P(Sources, send_the_file_again_and_again) {
    std::string content;
    for (int i = 0; content.size() < 30'000; ++i)
        content += std::to_string(i) + '\n';
    std::string path = testing::TempDir() + "cyclesoak-source-XXXXXX";
    base::Descriptor(mkstemp(path.data())).close();
    base::replace_file(path, content);

    auto connection = make_connection();
    std::string received;
    std::thread receiver([&] { received = receive_all(connection.far.get()); });
    Tally tally;
    const auto source = make_source({.how = GetParam(), .file = path, .buffer_bytes = 7000}, tally);
    const auto buffers_a_round = (content.size() + 6999) / 7000;
    for (size_t i = 0; i < 2 * buffers_a_round; ++i)
        source->send_next(connection.near.get());
    source->finish(connection.near.get());
    connection.near.close();
    receiver.join();
    unlink(path.c_str());
    EXPECT_TRUE(received == content + content);
}

INSTANTIATE_TEST_SUITE_P(Hows, Sources,
                         testing::Values(How::send, How::write, How::sendfile, How::splice,
                                         How::zerocopy),
                         [](const auto& how) { return std::string(name_of(how.param)); });

// What is still under way belongs to the time that is reported.
TEST(Stream, sender_ends_after_the_receiver_has_everything) {
    auto connection = make_connection();
    std::atomic<bool> read_all = false;
    std::thread receiver([&] {
        receive_all(connection.far.get());
        base::sleep_until(base::monotonic_now() + std::chrono::milliseconds(20));
        read_all = true;
        connection.far.close();
    });
    Stop stop;
    stop.now();
    Tally tally;
    send_stream({}, connection.near.get(), stop, tally);
    EXPECT_TRUE(read_all);
    receiver.join();
}

} // namespace
} // namespace loads
