// SPDX-License-Identifier: Apache-2.0
#include "io/flesh_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "io/flesh_plan.h"
#include "io/range_coder.h"
#include "sinew/core/parallel.h"

namespace sinew::gltf {
namespace {

constexpr std::uint32_t kTwistSteps = 65535, kTwistUnit = 257;  // 255ths, in 65535ths

// The numbers of a field that are coded, three a channel. A mode and the one that holds what rounding left of it
// are one channel.
struct Channel {
  std::uint32_t mode = 0, fine = 0, ratio = 0;  // steps of `fine` in one of `mode`; 0: there is none
};

struct CodedField {
  std::vector<Channel> channels;
  std::uint32_t twist_unit = kTwistUnit;
  std::vector<std::int32_t> row;      // per place; -1: not in the field
  std::vector<std::uint32_t> twist;   // per row, in units
  std::vector<std::int16_t> numbers;  // a row a vertex, in the vertices' order
};

std::int32_t rounded(std::int32_t number, std::int32_t ratio) {
  const std::int32_t twice = 2 * number + ratio, by = 2 * ratio;
  return twice / by - (twice % by < 0);
}

struct Recent {
  static constexpr std::uint32_t kClasses = 60;
  std::uint32_t mean = 4096;  // of late, in 1024ths

  std::uint32_t size_class() const {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(mean));
    return std::min(2 * bits + (bits > 1 ? (mean >> (bits - 2)) & 1u : 0u), kClasses - 1);
  }
  int lower_bits() const { return std::max(0, static_cast<int>(std::bit_width(mean)) - 12); }
  void saw(std::uint32_t value) { mean += (std::min(value, 1u << 18) << 5) - (mean >> 5); }
};

// What is left of numbers, by how large it was lately and just before.
class Residuals {
 public:
  template <class Coder>
  [[gnu::always_inline]] inline std::int32_t code(Coder& coder, Recent& recent, std::int32_t residual) {
    const std::uint32_t value = zigzag(residual);
    const int lower = recent.lower_bits();
    const std::uint32_t wanted = value >> lower;
    BitContext* places = places_[recent.size_class()][before_];
    std::uint32_t upper = 0;
    while (upper < kPlaces && coder.bit(places[upper], upper < wanted)) ++upper;
    if (upper == kPlaces) upper += rest_.code(coder, wanted - std::min(wanted, kPlaces));
    before_ = std::min(upper, 2u);
    const std::uint32_t found = (upper << lower) | coder.plain(value & ((1u << lower) - 1), lower);
    recent.saw(found);
    return unzigzag(found);
  }

 private:
  static constexpr std::uint32_t kPlaces = 12;
  BitContext places_[Recent::kClasses][3][kPlaces];
  NumberContext rest_;
  std::uint32_t before_ = 0;
};

template <class Coder>
bool code_levels(Coder& coder, FleshPlan& plan) {
  BitContext contexts[2][kLevels];
  std::uint32_t before = 0;
  for (std::uint8_t& level : plan.levels) {
    std::uint32_t node = 1;
    for (int bit = 3; bit >= 0; --bit)
      node = 2 * node + coder.bit(contexts[before > 0][node], (level >> bit) & 1);
    before = level = static_cast<std::uint8_t>(node - kLevels);
    if (coder.overrun()) return false;
  }
  return true;
}

template <class Coder>
bool code_parents(Coder& coder, FleshPlan& plan) {
  BitContext counts[8];
  NumberContext places[kMostParents], weights[kMostParents][2];
  for (std::size_t at = 0; at < plan.parents.size(); ++at) {
    Parents& parents = plan.parents[at];
    std::uint32_t node = 1;
    for (int bit = 2; bit >= 0; --bit) node = 2 * node + coder.bit(counts[node], (parents.count >> bit) & 1);
    parents.count = node - 8;
    if (parents.count > kMostParents || coder.overrun()) return false;
    std::int32_t left = kWholeWeight;
    for (std::uint32_t k = 0; k < parents.count; ++k) {
      const std::uint32_t back =
          1 + places[k].code(coder, static_cast<std::uint32_t>(at) - 1 - parents.place[k]);
      if (back > at) return false;
      parents.place[k] = static_cast<std::uint32_t>(at) - back;
      // The last is told from the others, since weights sum up to about one.
      const bool last = k + 1 == parents.count;
      const std::int32_t expected = last ? left : 0;
      parents.weight[k] =
          expected + unzigzag(weights[k][last].code(coder, zigzag(parents.weight[k] - expected)));
      if (std::abs(parents.weight[k]) > kMostWeight) return false;
      left -= parents.weight[k];
    }
  }
  return true;
}

template <class Coder>
bool code_channels(Coder& coder, std::size_t modes, std::vector<Channel>& channels, std::uint32_t& unit) {
  NumberContext numbers;
  BitContext any, units;
  unit = coder.bit(units, unit == 1) ? 1 : kTwistUnit;
  std::vector<Channel> of_mode(modes);
  for (const Channel& channel : channels)
    if (channel.ratio > 0) of_mode[channel.fine] = channel;
  std::vector<std::uint32_t> channel_of(modes, std::numeric_limits<std::uint32_t>::max());
  std::vector<Channel> found;
  for (std::uint32_t m = 0; m < modes; ++m) {
    if (!coder.bit(any, of_mode[m].ratio > 0)) {
      channel_of[m] = static_cast<std::uint32_t>(found.size());
      found.push_back({m, 0, 0});
      continue;
    }
    const std::uint32_t mode = numbers.code(coder, of_mode[m].mode), ratio = coder.plain(of_mode[m].ratio, 8);
    if (mode >= m || channel_of[mode] >= found.size() || ratio < 2 || coder.overrun()) return false;
    Channel& channel = found[channel_of[mode]];
    if (channel.ratio > 0) return false;
    channel.fine = m;
    channel.ratio = ratio;
  }
  channels = std::move(found);
  return true;
}

template <class Coder>
void code_listed(Coder& coder, const FleshPlan& plan, std::vector<std::uint8_t>& listed) {
  BitContext contexts[kMostParents + 1][kMostParents + 1];
  for (std::size_t at = 0; at < plan.parents.size(); ++at) {
    const Parents& parents = plan.parents[at];
    std::size_t count = 0;
    for (std::uint32_t k = 0; k < parents.count; ++k) count += listed[parents.place[k]];
    listed[at] = coder.bit(contexts[parents.count][count], listed[at] != 0);
  }
}

// Numbers of the vertices at `parents`, by their weights.
void tell(const CodedField& field, const Parents& parents, std::span<std::int32_t> told) {
  std::fill(told.begin(), told.end(), kWholeWeight / 2);
  for (std::uint32_t k = 0; k < parents.count; ++k) {
    const std::int32_t row = field.row[parents.place[k]];
    if (row < 0) continue;
    const std::int16_t* from = field.numbers.data() + static_cast<std::size_t>(row) * told.size();
    const std::int32_t weight = parents.weight[k];
    for (std::size_t c = 0; c < told.size(); ++c) told[c] += weight * from[c];
  }
}

// The same of twists, where all parents have one; else that of the first that has.
std::int32_t told_twist(const CodedField& field, const Parents& parents) {
  std::int64_t sum = kWholeWeight / 2;
  std::int32_t first = -1;
  bool all = true;
  for (std::uint32_t k = 0; k < parents.count; ++k) {
    const std::int32_t row = field.row[parents.place[k]];
    all = all && row >= 0;
    if (row < 0) continue;
    const std::uint32_t twist = field.twist[static_cast<std::size_t>(row)];
    if (first < 0) first = static_cast<std::int32_t>(twist);
    sum += std::int64_t{parents.weight[k]} * twist;
  }
  if (first < 0) return 0;
  return all ? static_cast<std::int32_t>(std::clamp<std::int64_t>(sum >> kWeightBits, 0, kTwistSteps))
             : first;
}

template <class Coder>
[[gnu::always_inline]] inline bool code_rows(Coder& coder, const FleshPlan& plan, CodedField& field) {
  Residuals residuals, twists;
  const std::size_t width = 3 * field.channels.size();
  std::vector<Recent> recent(field.channels.size());
  Recent recent_twist;
  std::vector<std::int32_t> told(width);
  const std::uint32_t most_twist = kTwistSteps / field.twist_unit;
  std::vector<std::int32_t> most(width);
  for (std::size_t c = 0; c < width; ++c) most[c] = field.channels[c / 3].ratio > 0 ? 32767 : 127;
  for (std::size_t at = 0; at < plan.parents.size(); ++at) {
    if (field.row[at] < 0) continue;
    const auto row = static_cast<std::size_t>(field.row[at]);
    const std::int32_t expected = told_twist(field, plan.parents[at]);
    const std::int64_t twist =
        std::int64_t{expected} +
        twists.code(coder, recent_twist, static_cast<std::int32_t>(field.twist[row]) - expected);
    if (twist < 0 || twist > std::int64_t{most_twist}) return false;
    field.twist[row] = static_cast<std::uint32_t>(twist);
    tell(field, plan.parents[at], told);
    std::int16_t* numbers = field.numbers.data() + row * width;
    for (std::size_t c = 0; c < width; ++c) {
      const std::int32_t from = told[c] >> kWeightBits;
      const std::int64_t number =
          std::int64_t{from} + residuals.code(coder, recent[c / 3], numbers[c] - from);
      if (number > most[c] || number < -most[c] - 1) return false;
      numbers[c] = static_cast<std::int16_t>(number);
    }
    if (coder.overrun()) return false;
  }
  return true;
}

template <class Coder>
bool code_numbers(Coder& coder, const FleshPlan& plan, CodedField& field) {
  Coder own = std::move(coder);  // whose state stays in registers
  const bool good = code_rows(own, plan, field);
  coder = std::move(own);
  return good;
}

// Whether mode b holds what rounding left of mode a: how many steps of b are one of a; 0: it does not.
std::uint32_t ratio_of(const FleshField& field, std::size_t a, std::size_t b) {
  const auto mix = [&](std::size_t m) {
    return field.mixes.begin() + static_cast<std::ptrdiff_t>(m * kTurnFunctions);
  };
  if (!(field.steps[b] > 0) || !std::equal(mix(a), mix(a + 1), mix(b))) return 0;
  const double ratio = std::round(static_cast<double>(field.steps[a]) / static_cast<double>(field.steps[b]));
  if (!(ratio >= 2 && ratio <= 254)) return 0;
  const std::size_t modes = field.modes();
  const auto whole = static_cast<std::int32_t>(ratio);
  for (std::size_t k = 0; k < 3 * field.vertices.size(); ++k) {
    const std::size_t row = k / 3 * 3 * modes + k % 3;
    const std::int32_t coarse = field.values[row + 3 * a];
    if (rounded(whole * coarse + field.values[row + 3 * b], whole) != coarse) return 0;
  }
  return static_cast<std::uint32_t>(whole);
}

CodedField coded_field(const FleshField& field) {
  CodedField coded;
  const std::size_t modes = field.modes(), rows = field.vertices.size();
  std::vector<std::size_t> channel_of(modes);
  for (std::uint32_t m = 0; m < modes; ++m) {
    bool is_fine = false;
    for (Channel& channel : coded.channels) {
      if (channel.ratio > 0) continue;
      channel.ratio = ratio_of(field, channel.mode, m);
      channel.fine = m;
      if ((is_fine = channel.ratio > 0)) break;
    }
    if (!is_fine) coded.channels.push_back({m, 0, 0});
  }
  for (const float share : field.twist)
    coded.twist.push_back(static_cast<std::uint32_t>(
        std::lround(std::clamp(static_cast<double>(share), 0.0, 1.0) * kTwistSteps)));
  if (std::any_of(coded.twist.begin(), coded.twist.end(),
                  [](std::uint32_t t) { return t % kTwistUnit != 0; }))
    coded.twist_unit = 1;
  for (std::uint32_t& twist : coded.twist) twist /= coded.twist_unit;
  coded.numbers.reserve(3 * rows * coded.channels.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (const Channel& channel : coded.channels)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::int8_t* values = field.values.data() + 3 * modes * r + c;
        std::int32_t number = values[3 * channel.mode];
        if (channel.ratio > 0)
          number = static_cast<std::int32_t>(channel.ratio) * number + values[3 * channel.fine];
        coded.numbers.push_back(static_cast<std::int16_t>(number));
      }
  return coded;
}

void put_number(std::string& bytes, std::size_t number) {
  for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<char>(number >> (8 * k) & 255));
}

bool fill_field(const CodedField& coded, FleshField& field) {
  const std::size_t modes = field.modes(), rows = field.vertices.size(), width = 3 * coded.channels.size();
  for (const std::uint32_t twist : coded.twist)
    field.twist.push_back(static_cast<float>(static_cast<double>(twist * coded.twist_unit) / kTwistSteps));
  field.values.resize(3 * modes * rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < width; ++k) {
      const Channel& channel = coded.channels[k / 3];
      const std::int32_t number = coded.numbers[width * r + k];
      std::int8_t* values = field.values.data() + 3 * modes * r + k % 3;
      if (channel.ratio == 0) {
        values[3 * channel.mode] = static_cast<std::int8_t>(number);
        continue;
      }
      const auto ratio = static_cast<std::int32_t>(channel.ratio);
      const std::int32_t coarse = rounded(number, ratio);
      if (coarse < -128 || coarse > 127) return false;
      values[3 * channel.mode] = static_cast<std::int8_t>(coarse);
      values[3 * channel.fine] = static_cast<std::int8_t>(number - ratio * coarse);
    }
  return true;
}

// Vertices of the field, ascending, and their rows at their places.
void set_rows(const FleshPlan& plan, std::span<const std::uint8_t> listed,
              std::vector<std::uint32_t>& vertices, std::vector<std::int32_t>& row) {
  std::vector<std::int32_t> row_of(plan.levels.size(), -1);
  for (std::size_t at = 0; at < listed.size(); ++at)
    if (listed[at]) row_of[plan.order[at]] = 0;
  for (std::uint32_t v = 0; v < row_of.size(); ++v) {
    if (row_of[v] < 0) continue;
    row_of[v] = static_cast<std::int32_t>(vertices.size());
    vertices.push_back(v);
  }
  row.resize(listed.size());
  for (std::size_t at = 0; at < listed.size(); ++at) row[at] = row_of[plan.order[at]];
}

bool decode_field(std::span<const std::uint8_t> bytes, const FleshPlan& plan, std::size_t rows,
                  FleshField& field) {
  RangeDecoder coder(bytes);
  CodedField coded;
  if (!code_channels(coder, field.modes(), coded.channels, coded.twist_unit)) return false;
  std::vector<std::uint8_t> listed(plan.order.size(), 0);
  code_listed(coder, plan, listed);
  if (static_cast<std::size_t>(std::count(listed.begin(), listed.end(), 1)) != rows) return false;
  set_rows(plan, listed, field.vertices, coded.row);
  coded.twist.resize(rows);
  coded.numbers.resize(3 * rows * coded.channels.size());
  return code_numbers(coder, plan, coded) && !coder.overrun() && fill_field(coded, field);
}

}  // namespace

std::string encode_fields(std::span<const Vec3> positions, std::span<const FleshField> fields) {
  std::vector<CodedField> coded(fields.size());
  parallel_for(fields.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) coded[f] = coded_field(fields[f]);
  });
  std::vector<NumberRows> rows;
  for (std::size_t f = 0; f < fields.size(); ++f)
    rows.push_back({fields[f].vertices, coded[f].numbers, 3 * coded[f].channels.size()});
  FleshPlan plan = plan_flesh(positions, rows);
  RangeEncoder coder;
  code_levels(coder, plan);
  code_parents(coder, plan);
  std::vector<std::string> parts(fields.size() + 1);
  parts[0] = coder.finish();
  parallel_for(fields.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      RangeEncoder own;
      code_channels(own, fields[f].modes(), coded[f].channels, coded[f].twist_unit);
      std::vector<std::uint8_t> in_field(positions.size(), 0), listed;
      for (const std::uint32_t v : fields[f].vertices) in_field[v] = 1;
      for (const std::uint32_t v : plan.order) listed.push_back(in_field[v]);
      code_listed(own, plan, listed);
      std::vector<std::uint32_t> vertices;
      set_rows(plan, listed, vertices, coded[f].row);
      code_numbers(own, plan, coded[f]);
      parts[f + 1] = own.finish();
    }
  });
  std::string bytes;
  put_number(bytes, parts[0].size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    put_number(bytes, parts[f + 1].size());
    put_number(bytes, fields[f].vertices.size());
  }
  for (const std::string& part : parts) bytes += part;
  return bytes;
}

Result<void> decode_fields(std::span<const std::uint8_t> bytes, std::size_t vertices, double most_bytes,
                           std::span<FleshField> fields) {
  const std::size_t table = 4 + 8 * fields.size();
  if (bytes.size() < table) return bad_input(" is shorter than the table of its fields");
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 4; k-- > 0;) value = value << 8 | bytes[at + k];
    return std::size_t{value};
  };
  std::vector<std::size_t> begin{table};
  std::vector<std::size_t> rows;
  double total = 0;
  for (std::size_t f = 0; f <= fields.size(); ++f)
    begin.push_back(begin.back() + number(f == 0 ? 0 : 8 * f - 4));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    rows.push_back(number(8 * f + 8));
    if (rows.back() > vertices) return bad_input(" lists more vertices than there are");
    total += 9.0 * static_cast<double>(fields[f].modes()) * static_cast<double>(rows.back()) +
             8.0 * static_cast<double>(vertices);
  }
  if (begin.back() != bytes.size()) return bad_input(" is not as long as its fields");
  if (total > most_bytes) return bad_input(" would hold more than the file can");
  const auto part = [&](std::size_t k) { return bytes.subspan(begin[k], begin[k + 1] - begin[k]); };
  FleshPlan plan;
  plan.levels.resize(vertices);
  RangeDecoder coder(part(0));
  if (!code_levels(coder, plan)) return bad_input(" is cut short");
  plan.set_order();
  if (!code_parents(coder, plan) || coder.overrun())
    return bad_input(" names vertices that come later, or is cut short");
  std::vector<std::uint8_t> good(fields.size(), 0);
  parallel_for(fields.size(), 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t f = from; f < to; ++f) good[f] = decode_field(part(f + 1), plan, rows[f], fields[f]);
  });
  const auto bad = std::find(good.begin(), good.end(), 0);
  if (bad != good.end())
    return bad_input(" is damaged or cut short at field " + std::to_string(bad - good.begin()));
  return {};
}

}  // namespace sinew::gltf
