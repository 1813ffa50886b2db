// SPDX-License-Identifier: Apache-2.0
#include "deform/flesh_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace sinew {
namespace {

// Shifts below this part of the mesh, and turns below this angle, are lost in the rounding of floats.
constexpr double kUnseen = 1e-7;
constexpr double kMostValue = 128;  // of a mode

// For every set of steps: in which order, and where each goes. Returns the order, places in the set.
std::vector<std::uint16_t> order_sets(FleshTable& table) {
  const JointTable& joints = table.joints;
  std::vector<ComposedStep> steps;
  std::vector<std::uint16_t> order;
  for (std::size_t set = 0; set + 1 < joints.set_offsets.size(); ++set) {
    const std::uint32_t begin = joints.set_offsets[set], end = joints.set_offsets[set + 1];
    steps.clear();
    for (std::uint32_t k = begin; k < end; ++k) steps.push_back(table.steps[joints.set_entries[k]]);
    const StepOrder found = order_steps(table.parents, steps);
    order.insert(order.end(), found.order.begin(), found.order.end());
    for (const std::uint16_t at : found.order) table.set_steps.push_back(joints.set_entries[begin + at]);
    table.set_parent.insert(table.set_parent.end(), found.to.begin(), found.to.end());
    const auto goes_within = [&](std::size_t first) {
      return std::all_of(found.to.begin(), found.to.begin() + static_cast<std::ptrdiff_t>(first),
                         [&](std::uint16_t to) { return to <= first; });
    };
    std::size_t branches = found.to.size();
    while (branches > 0 && found.to[branches - 1] == branches && goes_within(branches - 1)) --branches;
    table.set_branches.push_back(static_cast<std::uint16_t>(branches));
  }
  return order;
}

// Writes one thing behind the other.
class Stream {
 public:
  explicit Stream(FleshTable& table) : bytes_(table.stream) {}
  std::size_t size() const { return bytes_.size(); }
  std::int8_t* append(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return bytes_.data() + bytes_.size() - count;
  }
  void append(std::span<const float, kJointGroupSize> numbers) {
    std::memcpy(append(kLaneBytes), numbers.data(), kLaneBytes);
  }

 private:
  std::vector<std::int8_t, LineAllocator<std::int8_t>>& bytes_;
};

// Swings and twists of the steps of a group.
void pack_steps(const FleshTable& table, std::span<const std::uint16_t> order, std::size_t group,
                Stream& out) {
  const JointTable& joints = table.joints;
  const std::uint32_t set = joints.group_set[group];
  for (std::uint32_t k = joints.set_offsets[set]; k < joints.set_offsets[set + 1]; ++k) {
    if (table.steps[table.set_steps[k]].run) continue;
    const float* of_step = &joints.weights[joints.group_data[group] + 3 * kJointGroupSize * order[k]];
    for (const std::size_t number : {1, 2})
      out.append(
          std::span<const float, kJointGroupSize>(of_step + number * kJointGroupSize, kJointGroupSize));
  }
}

std::uint32_t pairs_of(const FleshField& field) {
  return static_cast<std::uint32_t>((field.modes() + 1) / 2);
}

// A field's numbers for the vertices of a group, its places in the field; -1: none.
void pack_block(const FleshField& field, const FleshTilt& tilt,
                const std::array<std::int64_t, kJointGroupSize>& lanes, Stream& out) {
  std::array<float, kJointGroupSize> twist{};
  for (std::size_t lane = 0; lane < kJointGroupSize; ++lane)
    if (lanes[lane] >= 0) twist[lane] = field.twist[static_cast<std::size_t>(lanes[lane])] - 0.5f;
  out.append(twist);
  const std::size_t modes = field.modes();
  for (const std::vector<std::int8_t>* numbers : {&field.values, &tilt.values})
    for (std::size_t m = 0; m < modes; m += 2) {
      std::int8_t* to = out.append(kPairBytes);
      for (std::size_t c = 0; c < 3; ++c)
        for (const std::int64_t v : lanes)
          for (std::size_t q = m; q < m + 2; ++q)
            *to++ = v < 0 || q >= modes ? std::int8_t{0}
                                        : (*numbers)[3 * (static_cast<std::size_t>(v) * modes + q) + c];
    }
}

// All that is read of groups, one after the other.
void pack_stream(const Flesh& flesh, std::span<const std::uint16_t> order, FleshTable& table) {
  const JointTable& joints = table.joints;
  struct Place {
    std::uint32_t field, vertex;
  };
  std::vector<std::vector<Place>> of_vertex(joints.vertices);
  for (std::uint32_t f = 0; f < flesh.fields.size(); ++f)
    for (std::uint32_t v = 0; v < flesh.fields[f].vertices.size(); ++v)
      of_vertex[flesh.fields[f].vertices[v]].push_back({f, v});
  Stream out(table);
  table.block_offsets.push_back(0);
  for (std::size_t group = 0; group < joints.group_count(); ++group) {
    table.group_stream.push_back(out.size());
    pack_steps(table, order, group, out);
    std::map<std::uint32_t, std::array<std::int64_t, kJointGroupSize>> found;
    for (std::size_t lane = 0; lane < kJointGroupSize; ++lane)
      for (const Place& place : of_vertex[joints.vertex[group * kJointGroupSize + lane]]) {
        auto [at, is_new] = found.try_emplace(place.field);
        if (is_new) at->second.fill(-1);
        at->second[lane] = place.vertex;
      }
    for (const auto& [f, lanes] : found) {
      table.blocks.push_back({f, pairs_of(flesh.fields[f]), out.size()});
      pack_block(flesh.fields[f], table.tilts[f], lanes, out);
    }
    table.block_offsets.push_back(static_cast<std::uint32_t>(table.blocks.size()));
  }
  table.stream.shrink_to_fit();
}

// Per vertex the number of the set of its fields.
std::vector<std::uint32_t> field_sets(const Flesh& flesh, std::size_t vertices) {
  std::vector<std::vector<std::uint32_t>> of_vertex(vertices);
  for (std::uint32_t f = 0; f < flesh.fields.size(); ++f)
    for (const std::uint32_t v : flesh.fields[f].vertices) of_vertex[v].push_back(f);
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  for (const auto& set : of_vertex) numbers[set] = 0;
  std::uint32_t next = 0;
  for (auto& [set, number] : numbers) number = next++;
  std::vector<std::uint32_t> sets;
  for (const auto& set : of_vertex) sets.push_back(numbers[set]);
  return sets;
}

using Harmonics = std::array<double, kTurnHarmonics>;

// Amounts of a mode, as a sum of harmonics of the direction in which a vertex sees the swing.
Harmonics harmonics_of(const FleshField& field, std::size_t mode, const TurnValues& factors) {
  Harmonics sums{};
  const float* mix = field.mixes.data() + mode * kTurnFunctions;
  // Without a loop, so that the sums stay in registers.
  [&]<std::size_t... q>(std::index_sequence<q...>) {
    ((sums[kHarmonicOf[q]] += static_cast<double>(mix[q]) * factors[q]), ...);
  }
  (std::make_index_sequence<kTurnFunctions>());
  for (double& sum : sums) sum *= static_cast<double>(field.steps[mode]);
  return sums;
}

// The same as a sum of powers of u, for vertices that see the share 1/2 + u of a twist: cos(k (b - c/2) - k c u)
// and the sine by their series. cosine, sine: of b - c/2.
Harmonics powers_of(const Harmonics& harmonics, double cosine, double sine, double twist) {
  Harmonics powers{harmonics[0]};
  double c = 1, s = 0;  // of the multiple of the direction
  for (std::size_t k = 1; k <= 3; ++k) {
    const double next = c * cosine - s * sine;
    s = s * cosine + c * sine;
    c = next;
    const double p = harmonics[2 * k - 1], q = harmonics[2 * k], x = static_cast<double>(k) * twist;
    const double even = p * c + q * s, odd = p * s - q * c;
    powers[0] += even;
    powers[1] += odd * x;
    powers[2] -= even * x * x / 2;
    powers[3] -= odd * x * x * x / 6;
    powers[4] += even * x * x * x * x / 24;
  }
  return powers;
}

// The form of lowest degree whose error is not seen. reach: how far the harmonics of each order move vertices
// at most.
AmountForm form_of(const std::array<double, 3>& reach, double twist, double unseen) {
  std::array<double, 3> term = reach;
  for (int degree = 0; degree <= 4; ++degree) {
    double error = 0;
    for (std::size_t k = 0; k < 3; ++k)
      error += term[k] *= static_cast<double>(k + 1) * std::abs(twist) / 2 / (degree + 1);
    if (error <= unseen) return static_cast<AmountForm>(static_cast<int>(AmountForm::kConstant) + degree);
  }
  return AmountForm::kHarmonics;
}

// The steps of normals over those of positions, and their largest.
std::vector<double> tilts_of(const FleshField& field, const FleshTilt& tilt, double* most) {
  std::vector<double> tilts;
  *most = 0;
  for (std::size_t m = 0; m < field.modes(); ++m) {
    tilts.push_back(field.steps[m] > 0 ? static_cast<double>(tilt.steps[m] / field.steps[m]) : 0);
    *most = std::max(*most, tilts.back());
  }
  return tilts;
}

void fill_drive(const FleshTable& table, std::size_t f, FleshPalette& palette) noexcept {
  constexpr double kMostAmount = 32000, kMostSum = 1 << 30, kSecond = 65536;
  FleshDrive& drive = palette.drives[f];
  drive.form = AmountForm::kStill;
  const FleshField& field = table.fields[f];
  const std::optional<FieldDrive> found = field_drive(field, palette.moves);
  if (!found) return;
  const TurnParts& parts = found->parts;
  const double twist = found->turn.z();
  double most = 0, sum = 0;
  std::array<double, 3> reach{};
  const std::size_t modes = field.modes();
  for (std::size_t m = 0; m < modes; ++m) {
    Harmonics& mode = palette.modes[m];
    mode = harmonics_of(field, m, parts.factors);
    double amount = std::abs(mode[0]);
    for (std::size_t k = 0; k < 3; ++k) {
      const double of_order = std::abs(mode[2 * k + 1]) + std::abs(mode[2 * k + 2]);
      amount += of_order;
      reach[k] += kMostValue * of_order;
    }
    most = std::max(most, amount);
    sum += amount;
  }
  const double unseen = kUnseen * table.extent;
  const auto most_tilt = static_cast<double>(palette.most_tilts[f]);
  if (!(kMostValue * sum > unseen) && !(kMostValue * sum * most_tilt > kUnseen)) return;
  drive.form = form_of(reach, twist, unseen);
  drive.cosine = static_cast<float>(parts.cosine);
  drive.sine = static_cast<float>(parts.sine);
  drive.half_twist = static_cast<float>(twist / 2);
  const double scale = std::min(kMostAmount / most, kMostSum / (kMostValue * sum));
  drive.unit = static_cast<float>(1 / scale);
  drive.tilt_unit = static_cast<float>(most_tilt / scale * (32768.0 / 32767));
  const double c = std::cos(twist / 2), s = std::sin(twist / 2);
  const double cosine = parts.cosine * c + parts.sine * s, sine = parts.sine * c - parts.cosine * s;
  for (std::size_t m = 0; m < modes; ++m) {
    const Harmonics& mode = palette.modes[m];
    const Harmonics numbers =
        drive.form == AmountForm::kHarmonics ? mode : powers_of(mode, cosine, sine, twist);
    FleshPair& pair = palette.pairs[table.first_pair[f] + m / 2];
    for (std::size_t h = 0; h < kTurnHarmonics; ++h)
      (m % 2 == 0 ? pair.first : pair.second)[h] =
          static_cast<float>((m % 2 == 0 ? scale : kSecond * scale) * numbers[h]);
    if (m % 2 == 1) pair.second[0] += static_cast<float>(kSecond / 2);
  }
}

// cof(a + s b), by powers of s.
void set_cofactors(const Mat3& a, const Mat3& b, FleshEntry& entry) noexcept {
  std::array<double, 4> determinant{};
  for (int r = 0; r < 3; ++r) {
    const Vec3 a1 = a.row((r + 1) % 3), a2 = a.row((r + 2) % 3), b1 = b.row((r + 1) % 3),
               b2 = b.row((r + 2) % 3);
    const Vec3 row[3] = {a1.cross(a2), a1.cross(b2) + b1.cross(a2), b1.cross(b2)};
    for (std::size_t power = 0; power < 3; ++power) {
      for (int c = 0; c < 3; ++c)
        entry.cofactors[power][static_cast<std::size_t>(3 * r + c)] = static_cast<float>(row[power][c]);
      if (r > 0) continue;
      determinant[power] += row[power].dot(a.row(0));
      determinant[power + 1] += row[power].dot(b.row(0));
    }
  }
  for (std::size_t power = 0; power < 4; ++power)
    entry.determinant[power] = static_cast<float>(determinant[power]);
}

void fill_step(const FleshTable& table, std::size_t k, std::span<const Affine3> matrices,
               FleshPalette& palette) noexcept {
  const ComposedStep& step = table.steps[k];
  FleshEntry& entry = palette.steps[k];
  entry.run = step.run;
  entry.still = false;
  if (step.run) {
    const Affine3& own = matrices[static_cast<std::size_t>(step.joint)];
    const Affine3 whole =
        step.above < 0 ? own : Affine3(matrices[static_cast<std::size_t>(step.above)].inverse() * own);
    entry.local = rows_of(whole);
    set_cofactors(whole.linear(), Mat3::Zero(), entry);
    return;
  }
  const JointMove& move = palette.moves[static_cast<std::size_t>(step.joint)];
  const Mat3 swing = move.swing - Mat3::Identity();
  entry.still = move.still || (swing.cwiseAbs().maxCoeff() <= kUnseen && std::abs(move.twist) <= kUnseen &&
                               move.shift.norm() <= kUnseen * table.extent);
  if (entry.still) return;
  const JointFrame& frame = table.frames[static_cast<std::size_t>(step.joint)];
  const Affine3 place = Eigen::Translation3d(frame.origin) * Affine3(frame.axes);
  entry.local = rows_of(place.inverse(Eigen::Isometry));
  entry.above = rows_of(place);
  entry.move = rows_of(swing * frame.axes, move.shift);
  entry.half_twist = static_cast<float>(move.twist / 2);
  set_cofactors(frame.axes, swing * frame.axes, entry);
}

}  // namespace

Result<FleshTable> pack_flesh(const Rig& rig) {
  const Flesh& flesh = rig.flesh;
  if (flesh.empty()) return impossible("the rig has no flesh: `sinew rig` makes it");
  FleshTable table;
  table.parents = bone_parents(rig.skeleton);
  table.frames = joint_frames(bones_of(rig.skeleton, bind_transforms(rig)), table.parents);
  if (flesh.weights.vertex_count() != rig.mesh.vertex_count())
    return bad_input("the flesh does not fit the mesh: it has another number of vertices");
  std::map<ComposedStep, std::uint16_t> known;
  ComposedSteps maker(table.parents);
  std::vector<ComposedSteps::Weighted> steps;
  bool too_many = false;
  const auto row = [&](std::size_t i, std::vector<JointLane>& lanes) {
    lanes.clear();
    maker.of_vertex(flesh.weights, i, steps);
    for (const auto& [step, swing, twist] : steps) {
      const auto [at, is_new] = known.try_emplace(step, static_cast<std::uint16_t>(table.steps.size()));
      if (is_new) table.steps.push_back(step);
      too_many = too_many || table.steps.size() > 65'000;
      lanes.push_back({at->second, 1, swing, twist});
    }
  };
  const std::size_t vertices = rig.mesh.vertex_count();
  table.joints = pack_groups(vertices, row, field_sets(flesh, vertices));
  if (too_many) return impossible("more than 65,000 runs of joints carry vertices");
  table.tilts = flesh_tilts(rig.mesh, flesh);
  pack_stream(flesh, order_sets(table), table);
  table.joints.weights = {};
  table.joints.ends = {};
  table.extent = bounding_box(rig.mesh.positions).diagonal().norm();
  table.fields = flesh.fields;
  std::size_t pairs = 0;
  for (FleshField& field : table.fields) {
    table.first_pair.push_back(pairs);
    pairs += pairs_of(field);
    field.values.clear();
    field.vertices.clear();
    field.twist.clear();
  }
  for (FleshTilt& tilt : table.tilts) tilt.values.clear();
  return table;
}

FleshPalette::FleshPalette(const FleshTable& table)
    : steps(table.steps.size()), drives(table.fields.size()), moves(table.frames.size()) {
  for (std::size_t f = 0; f < table.fields.size(); ++f) {
    const FleshField& field = table.fields[f];
    double most = 0;
    const std::vector<double> tilts = tilts_of(field, table.tilts[f], &most);
    most_tilts.push_back(static_cast<float>(most));
    modes.resize(std::max(modes.size(), tilts.size()));
    for (std::size_t m = 0; m < tilts.size(); ++m) {
      if (m % 2 == 0) pairs.emplace_back();
      pairs.back().tilts[m % 2] =
          static_cast<std::int16_t>(most > 0 ? std::lround(32767 * tilts[m] / most) : 0);
    }
  }
}

void fill_flesh(const FleshTable& table, std::span<const Affine3> matrices, FleshPalette& palette) noexcept {
  joint_moves(table.frames, table.parents, matrices, palette.moves);
  for (std::size_t k = 0; k < table.steps.size(); ++k) fill_step(table, k, matrices, palette);
  for (std::size_t f = 0; f < table.fields.size(); ++f) fill_drive(table, f, palette);
}

}  // namespace sinew
