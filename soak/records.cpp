#include "soak/records.h"

#include <bit>

namespace soak {
namespace {

using TallyWords = std::array<int64_t, sizeof(Tally) / sizeof(int64_t)>;

} // namespace

void RecordEncoder::begin(std::string& to, Ticks edge, const Reading& reading) {
    state_ = {};
    put_varint(to, static_cast<uint64_t>(RecordCode::begin));
    put_signed(to, edge);
    readings(to, edge, {&reading, 1});
}

void RecordEncoder::end(std::string& to, Ticks edge, Ticks time, bool switched,
                        std::span<const Reading> readings) {
    marked(to, RecordCode::end, edge, time, switched, readings);
}

void RecordEncoder::chunk(std::string& to, Ticks now, Ticks time, bool switched,
                          std::span<const Reading> readings) {
    marked(to, RecordCode::chunk, now, time, switched, readings);
}

void RecordEncoder::resume(std::string& to, const Accountant::State& state, uint64_t lost_bytes) {
    state_ = {.cpu_ns = state.reference.cpu_ns};
    put_varint(to, static_cast<uint64_t>(RecordCode::resume));
    put_varint(to, lost_bytes);
    for (const int64_t word : std::bit_cast<TallyWords>(state.tally))
        put_signed(to, word);
    for (const int64_t word :
         {state.reference.before, state.reference.cpu_ns, state.reference.after})
        put_signed(to, word);
    put_varint(to, (state.switched ? 1 : 0) | (state.clock_stops ? 2 : 0));
}

void RecordEncoder::marked(std::string& to, RecordCode code, Ticks at, Ticks time, bool switched,
                           std::span<const Reading> all) {
    put_varint(to, static_cast<uint64_t>(code));
    put_varint(to, all.size() << 1 | (switched ? 1 : 0));
    put_signed(to, time);
    readings(to, at, all);
}

void RecordEncoder::readings(std::string& to, Ticks at, std::span<const Reading> all) {
    for (const auto& reading : all) {
        put_signed(to, reading.before - at);
        put_signed(to, reading.cpu_ns - state_.cpu_ns);
        put_signed(to, reading.after - reading.before);
        state_.cpu_ns = reading.cpu_ns;
        at = reading.after;
    }
}

Call RecordDecoder::next(VarintReader& from) {
    Call call{.kind = scheduled_chunk(number_)};
    const uint64_t number = from.take();
    switch (static_cast<RecordCode>(number)) {
    case RecordCode::begin:
        call.type = Call::Type::begin;
        call.time = from.take_signed();
        state_ = {};
        number_ = 0;
        readings(from, 1, call);
        break;
    case RecordCode::end:
        call.type = Call::Type::end;
        marked(from, call);
        break;
    case RecordCode::chunk:
        marked(from, call);
        ++number_;
        break;
    case RecordCode::resume:
        call.type = Call::Type::resume;
        resume(from, call);
        break;
    default:
        plain(number, call);
        ++number_;
    }
    return call;
}

void RecordDecoder::plain(uint64_t number, Call& call) {
    auto& last = state_.last_time[index(call.kind)];
    last += unzigzag(number - static_cast<uint64_t>(RecordCode::plain));
    call.time = last;
}

void RecordDecoder::marked(VarintReader& from, Call& call) {
    const uint64_t marks = from.take();
    if (marks >> 1 > Accountant::most_tries + 1) from.fail("too many clock readings");
    call.switched = (marks & 1) != 0;
    call.time = from.take_signed();
    readings(from, marks >> 1, call);
}

void RecordDecoder::readings(VarintReader& from, size_t count, Call& call) {
    Ticks at = 0; // the call's own time
    for (size_t i = 0; i < count; ++i) {
        Reading reading;
        reading.before = at + from.take_signed();
        reading.cpu_ns = state_.cpu_ns += from.take_signed();
        reading.after = at = reading.before + from.take_signed();
        call.readings.push_back(reading);
    }
}

void RecordDecoder::resume(VarintReader& from, Call& call) {
    call.lost_bytes = from.take();
    TallyWords words;
    for (auto& word : words)
        word = from.take_signed();
    call.state.tally = std::bit_cast<Tally>(words);
    auto& reference = call.state.reference;
    reference.before = from.take_signed();
    reference.cpu_ns = from.take_signed();
    reference.after = from.take_signed();
    const uint64_t marks = from.take();
    call.state.switched = (marks & 1) != 0;
    call.state.clock_stops = (marks & 2) != 0;
    state_ = {.cpu_ns = reference.cpu_ns};
    number_ = static_cast<uint32_t>(call.state.tally.chunks_done());
}

} // namespace soak
