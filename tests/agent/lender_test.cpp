#include "agent/lender.h"
#include "base/error.h"
#include "tests/recorded_root.h"

#include <gmock/gmock.h>

#include <csignal>
#include <future>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

namespace agent {
namespace {

using namespace std::chrono_literals;

base::Descriptor make_socket() {
    return base::make_descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
}

/// The path as socket calls take it.
struct Address {
    explicit Address(const std::filesystem::path& path) {
        path.native().copy(address.sun_path, sizeof address.sun_path - 1);
    }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
    sockaddr_un address{.sun_family = AF_UNIX};
};

base::Descriptor connect_to(const std::filesystem::path& path) {
    auto connection = make_socket();
    EXPECT_EQ(connect(connection.get(), Address(path).get(), sizeof(sockaddr_un)), 0) << path;
    return connection;
}

base::Descriptor listen_at(const std::filesystem::path& path) {
    auto listener = make_socket();
    EXPECT_EQ(bind(listener.get(), Address(path).get(), sizeof(sockaddr_un)), 0) << path;
    EXPECT_EQ(listen(listener.get(), 1), 0);
    return listener;
}

/// What has arrived; "end" if nothing more will, "" if nothing has yet.
std::string received(const base::Descriptor& connection) {
    char text[100];
    const ssize_t size = recv(connection.get(), text, sizeof text, MSG_DONTWAIT | MSG_PEEK);
    if (size < 0 && errno == EAGAIN) return "";
    return size > 0 ? std::string(text, static_cast<size_t>(size)) : "end";
}

pid_t dead_pid() {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    waitpid(pid, nullptr, 0);
    return pid;
}

class Lending : public testing::Test {
  protected:
    /// Lets the loop run until `done`; only a test that fails waits long.
    void serve_until(const std::function<bool()>& done) {
        const auto patience = base::monotonic_now() + 10s;
        while (!done() && base::monotonic_now() < patience)
            loop_.run_until(base::monotonic_now() + 1ms);
        EXPECT_TRUE(done());
    }
    base::Descriptor borrow_raw() { return connect_to(lender_path(lock_, getpid())); }

    const RecordedRoot folder_;
    const std::filesystem::path lock_ = folder_.root().at("cyclesoak.lock");
    base::Loop loop_;
    std::string calls_;
    std::function<void()> pause_ = [this] { calls_ += "pause "; };
    std::function<void()> resume_ = [this] { calls_ += "resume "; };
};

TEST_F(Lending, pauses_for_the_first_and_resumes_after_the_last) {
    Lender lender(lock_, loop_, pause_, resume_);
    auto first = borrow_raw(), second = borrow_raw();
    serve_until([&] { return received(first) == "paused\n" && received(second) == "paused\n"; });
    EXPECT_TRUE(lender.paused());
    first.close();
    auto third = borrow_raw();
    serve_until([&] { return received(third) == "paused\n"; });
    second.close();
    third.close();
    serve_until([&] { return !lender.paused(); });
    EXPECT_EQ(calls_, "pause resume ");
}

TEST_F(Lending, answers_when_it_has_paused) {
    base::Descriptor borrower;
    std::string before = "not called";
    Lender lender(
        lock_, loop_, [&] { before = received(borrower); }, resume_);
    borrower = borrow_raw();
    serve_until([&] { return received(borrower) == "paused\n"; });
    EXPECT_EQ(before, "");
}

TEST_F(Lending, a_loan_lasts_as_long_as_it_is_kept) {
    Lender lender(lock_, loop_, pause_, resume_);
    auto asked = std::async(std::launch::async, [&] { return borrow(lock_, getpid(), 20s); });
    serve_until([&] { return asked.wait_for(0s) == std::future_status::ready; });
    auto loan = asked.get();
    ASSERT_TRUE(loan);
    EXPECT_EQ(calls_, "pause ");
    loan.reset();
    serve_until([&] { return !lender.paused(); });
    EXPECT_EQ(calls_, "pause resume ");
}

TEST_F(Lending, resumes_however_the_borrower_ends) {
    Lender lender(lock_, loop_, pause_, resume_);
    const auto path = lender_path(lock_, getpid());
    const pid_t borrower = fork();
    if (borrower == 0) {
        const auto connection = connect_to(path);
        for (;;)
            ::pause();
    }
    serve_until([&] { return lender.paused(); });
    kill(borrower, SIGKILL);
    waitpid(borrower, nullptr, 0);
    serve_until([&] { return !lender.paused(); });
    EXPECT_EQ(calls_, "pause resume ");
}

TEST_F(Lending, who_has_gone_before_the_answer_does_no_harm) {
    Lender lender(lock_, loop_, pause_, resume_);
    borrow_raw().close();
    serve_until([&] { return calls_ == "pause resume "; });
}

TEST_F(Lending, rubbish_ends_its_own_connection_only) {
    Lender lender(lock_, loop_, pause_, resume_);
    const auto good = borrow_raw(), bad = borrow_raw();
    ASSERT_EQ(send(bad.get(), "GET / HTTP/1.1\r\n", 16, 0), 16);
    serve_until([&] { return received(good) == "paused\n"; });
    char answer[7];
    serve_until([&] {
        recv(bad.get(), answer, sizeof answer, MSG_DONTWAIT);
        return received(bad) == "end";
    });
    EXPECT_TRUE(lender.paused());
    EXPECT_EQ(calls_, "pause ");
}

TEST_F(Lending, only_so_many_at_once) {
    Lender lender(lock_, loop_, pause_, resume_);
    std::vector<base::Descriptor> borrowers;
    for (size_t i = 0; i < Lender::most_borrowers; ++i)
        borrowers.push_back(borrow_raw());
    const auto one_more = borrow_raw();
    serve_until([&] { return received(one_more) == "end"; });
    for (const auto& borrower : borrowers)
        EXPECT_EQ(received(borrower), "paused\n");
}

TEST_F(Lending, every_user_may_ask_while_it_lives) {
    const auto path = lender_path(lock_, getpid());
    const mode_t mask = umask(077);
    {
        Lender lender(lock_, loop_, pause_, resume_);
        umask(mask);
        struct stat status {};
        ASSERT_EQ(stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0666u);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Lending, removes_what_dead_lenders_left_and_only_that) {
    const auto dead = lender_path(lock_, dead_pid()), own = lender_path(lock_, getpid()),
               alive = lender_path(lock_, 1), file = lender_path(lock_, dead_pid()),
               foreign = folder_.root().at("cyclesoak-x.sock");
    for (const auto& path : {dead, own, alive, foreign})
        listen_at(path);
    folder_.write(file.filename(), "no socket");
    Lender lender(lock_, loop_, pause_, resume_);
    EXPECT_FALSE(std::filesystem::exists(dead));
    for (const auto& path : {alive, file, foreign})
        EXPECT_TRUE(std::filesystem::exists(path)) << path;
    const auto borrower = borrow_raw();
    serve_until([&] { return received(borrower) == "paused\n"; });
}

TEST_F(Lending, what_is_in_the_way_is_told_and_kept) {
    const auto own = lender_path(lock_, getpid());
    folder_.write(own.filename(), "no socket");
    EXPECT_THROW(Lender(lock_, loop_, pause_, resume_), std::system_error);
    EXPECT_EQ(base::read_file(own), "no socket");
    EXPECT_THROW(Lender(folder_.root().at("absent/cyclesoak.lock"), loop_, pause_, resume_),
                 std::system_error);
}

TEST_F(Lending, no_loan_where_nobody_lends) {
    EXPECT_FALSE(borrow(lock_, getpid())) << "no socket";
    listen_at(lender_path(lock_, getpid()));
    EXPECT_FALSE(borrow(lock_, getpid())) << "nobody listens";
    EXPECT_FALSE(borrow("/" + std::string(200, 'x') + "/cyclesoak.lock", 1)) << "no such address";
}

/// A lender that says something else.
TEST_F(Lending, no_loan_for_another_answer) {
    const auto listener = listen_at(lender_path(lock_, getpid()));
    for (const std::string answer : {"", "pau", "not now", "paused?"}) {
        auto asked = std::async(std::launch::async, [&] { return borrow(lock_, getpid(), 20s); });
        base::Descriptor borrower(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        ASSERT_EQ(send(borrower.get(), answer.data(), answer.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(answer.size()));
        borrower.close();
        EXPECT_FALSE(asked.get()) << answer;
    }
}

TEST_F(Lending, patience_ends) {
    const auto listener = listen_at(lender_path(lock_, getpid()));
    EXPECT_FALSE(borrow(lock_, getpid(), 1ms));
    EXPECT_FALSE(borrow(lock_, getpid(), 1ms));
    EXPECT_FALSE(borrow(lock_, getpid(), 1ms)) << "the queue is full";
}

} // namespace
} // namespace agent
