#include "agent/passwords.h"
#include "base/error.h"
#include "tests/agent/some_passwords.h"

#include <gmock/gmock.h>

namespace agent {
namespace {

using testing::Key;
using testing::UnorderedElementsAre;

TEST(Passwords, are_read_a_line_each) {
    const auto hash = bcrypt("x");
    const auto passwords =
        parse_passwords("# who may\n\nanna:" + hash + "\r\n  \nbert:" + hash, "users");
    EXPECT_THAT(passwords, UnorderedElementsAre(Key("anna"), Key("bert")));
    EXPECT_EQ(passwords.at("anna"), hash);
    EXPECT_THAT(parse_passwords("", "users"), UnorderedElementsAre());
}

/// File and line, if the second line is `line`.
std::string complaint_about(const std::string& line) {
    try {
        parse_passwords("# first\n" + line + "\n", "users");
    } catch (const base::ParseError& error) {
        return std::string(error.what()).substr(0, 8);
    }
    return "";
}

TEST(Passwords, that_are_none_are_named_with_their_line) {
    const auto hash = bcrypt("x");
    auto strange = hash;
    strange[20] = '!';
    const std::vector<std::string> wrong = {"anna",
                                            ":",
                                            ":" + hash,
                                            "anna:secret",
                                            "anna:$apr1$12345678$abcdefghijklmnopqrstu.",
                                            "anna:" + hash + "a",
                                            "anna:" + hash.substr(1),
                                            "anna:" + strange,
                                            "anna:$2y$31" + hash.substr(6),
                                            "anna:$2y$03" + hash.substr(6),
                                            "anna:$2y$0x" + hash.substr(6),
                                            "anna:" + hash + "\nanna:" + hash};
    for (const auto& line : wrong)
        EXPECT_EQ(complaint_about(line), line.find('\n') != line.npos ? "users:3:" : "users:2:")
            << line;
}

TEST(Passwords, are_those_that_were_hashed) {
    // A test vector of bcrypt: "U*U".
    const Passwords passwords = {
        {"anna", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
        {"bert", bcrypt("with:colon")}};
    EXPECT_TRUE(is_right(passwords, "anna:U*U"));
    EXPECT_TRUE(is_right(passwords, "bert:with:colon"));
    for (const char* wrong :
         {"anna:U*", "anna:U*U ", "anna:", "anna", "bert:U*U", "carl:U*U", ":U*U", ""})
        EXPECT_FALSE(is_right(passwords, wrong)) << wrong;
    EXPECT_FALSE(is_right({}, "anna:U*U"));
}

TEST(Authorization, is_read_if_it_is_basic) {
    EXPECT_EQ(parse_basic_authorization("Basic YW5uYTpz"), "anna:s");
    EXPECT_EQ(parse_basic_authorization("basic  YW5uYTpz "), "anna:s");
    EXPECT_EQ(parse_basic_authorization("Basic " + base64("ä:")), "ä:");
    for (const std::string& malformed :
         {std::string(), std::string("Basic"), std::string("Basic "), std::string("Basic ***"),
          std::string("Bearer YW5uYTpz"), std::string("BasicYW5uYTpz"), "Basic " + base64("anna"),
          "Basic " + base64(std::string("anna:s\0x", 8))})
        EXPECT_EQ(parse_basic_authorization(malformed), std::nullopt) << malformed;
}

} // namespace
} // namespace agent
