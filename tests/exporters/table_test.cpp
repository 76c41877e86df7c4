#include "base/text.h"
#include "exporters/numbers.h"
#include "exporters/table.h"
#include "tests/exporters/full_report.h"
#include "tests/exporters/golden.h"

#include <gmock/gmock.h>

namespace {

using exporters::ScreenOptions;
using testing::HasSubstr;
using testing::Not;

std::string table(const demand::Report& report, const ScreenOptions& options) {
    std::ostringstream out;
    exporters::write_table(out, report, options);
    return out.str();
}

size_t widest(const std::string& text) {
    size_t most = 0;
    for (const std::string_view line : base::lines(text)) {
        size_t columns = 0;
        for (const char byte : line)
            columns += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
        most = std::max(most, columns);
    }
    return most;
}

TEST(Table, of_a_full_report) { expect_golden("table.txt", table(full_report(), {})); }

TEST(Table, of_many_cpus_on_a_narrow_terminal_without_unicode) {
    const std::string text = table(full_report(128), {.width = 60, .unicode = false});
    expect_golden("table_narrow.txt", text);
    EXPECT_LE(widest(text), 60u);
    for (const char byte : text)
        EXPECT_LT(static_cast<unsigned char>(byte), 128);
}

TEST(Table, of_one_method) {
    auto measurement = sample::Machine().measure_only(demand::PhaseKind::free, 8);
    expect_golden("table_free.txt", table(demand::make_report(measurement), {}));
}

TEST(Table, says_what_the_other_end_did_not_tell) {
    auto report = full_report();
    report.peer->demands.clear();
    report.peer->absent = "it is gone";
    EXPECT_THAT(table(report, {}), HasSubstr("other end, bench2:12001: not known"));
    report = full_report();
    report.peer->soaked_absent = "too few windows";
    EXPECT_THAT(table(report, {}), HasSubstr("nothing soaked from there: too few windows"));
}

TEST(Table, of_nothing_says_why) {
    const std::string text = table(demand::make_report({}), {});
    EXPECT_THAT(text, HasSubstr("Service demand\n  none"));
    EXPECT_THAT(text, HasSubstr("no-work"));
}

TEST(Table, fits_its_width) {
    for (const int cpus : {1, 2, 5, 8, 16, 17})
        for (const int width : {60, 80, 132, 200})
            EXPECT_LE(widest(table(full_report(cpus, 6), {.width = width})),
                      static_cast<size_t>(width))
                << cpus;
}

TEST(Table, shows_up_to_16_cpus_where_there_is_room) {
    EXPECT_THAT(table(full_report(15, 6), {.width = 200}), HasSubstr(" cpu14"));
    EXPECT_THAT(table(full_report(17, 6), {.width = 200}), HasSubstr("most: cpu"));
}

TEST(Table, colours_only_when_told) {
    EXPECT_THAT(table(full_report(), {}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(table(full_report(), {.colour = true}), HasSubstr("\x1b[1mService demand\x1b[0m"));
}

TEST(Table, lets_no_control_characters_through) {
    auto report = full_report();
    report.benchmark->command.emplace_back("\x1b]0;title\x07");
    EXPECT_THAT(table(report, {}), HasSubstr("?]0;title?"));
}

TEST(Table, tells_of_a_benchmark_that_failed) {
    auto report = full_report();
    report.benchmark->exit_status = 137;
    EXPECT_THAT(table(report, {}), HasSubstr("exit status 137"));
}

TEST(Numbers, have_significant_digits) {
    EXPECT_EQ(exporters::format_number(0.012345), "0.0123");
    EXPECT_EQ(exporters::format_number(17.249), "17.2");
    EXPECT_EQ(exporters::format_number(9.996), "10.0");
    EXPECT_EQ(exporters::format_number(30'612), "30600");
    EXPECT_EQ(exporters::format_number(0), "0.00");
    EXPECT_EQ(exporters::format_number(-17.249), "-17.2");
}

TEST(Numbers, have_no_more_digits_than_their_interval_is_worth) {
    EXPECT_EQ(exporters::format_estimate({17.2345, 16.7, 17.7}), "17.2 ± 2.9 %");
    EXPECT_EQ(exporters::format_estimate({17.2345, 17.23, 17.24}), "17.23 ± 0.029 %");
    EXPECT_EQ(exporters::format_estimate({17.2345, 9, 25}), "17 ± 46 %");
    EXPECT_EQ(exporters::format_estimate({17.2345, {}, {}}), "17.2");
    EXPECT_EQ(exporters::format_estimate({17.2345e-6, 16.7e-6, 17.7e-6}, 1e6), "17.2 ± 2.9 %");
    EXPECT_EQ(exporters::format_estimate({0.3, -0.5, 1.1}), "0.30 (-0.50–1.1)");
    EXPECT_EQ(exporters::format_estimate({0, 0, 0}), "0.0 (0.0–0.0)");
    EXPECT_EQ(exporters::format_ratio({0.2512, 0.23, 0.27}), "×0.25 (0.23–0.27)");
    EXPECT_EQ(exporters::format_ratio({12.3, 9.1, 15.9}), "×12 (9–16)");
    EXPECT_EQ(exporters::format_ratio({0.2512, {}, {}}), "×0.25");
}

TEST(Numbers, of_large_amounts_are_short) {
    EXPECT_EQ(exporters::format_amount(128), "128");
    EXPECT_EQ(exporters::format_amount(12'345'678), "12.35 M");
    EXPECT_EQ(exporters::format_amount(9'999), "9999");
    EXPECT_EQ(exporters::format_amount(10'000), "10.00 k");
    EXPECT_EQ(exporters::format_percent(0.6123), "61.2");
    EXPECT_EQ(exporters::format_percent(-0.0001), "0.0");
}

} // namespace
