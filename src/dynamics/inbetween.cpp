// SPDX-License-Identifier: Apache-2.0
#include "sinew/dynamics/inbetween.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dynamics/ring_response.h"

namespace sinew {
namespace dynamics {

// Curves of one length, closed or open.
struct Group {
  RingScheme scheme;
  std::vector<std::uint32_t> vertices;   // curve after curve
  std::vector<std::vector<float>> taps;  // closed and short: per frame
  std::vector<RingFilter> filter;        // else, damped: one
  std::vector<RingStepper> stepper;      // else: one
  std::size_t count() const { return vertices.size() / scheme.size; }
};

}  // namespace dynamics

namespace {

using namespace dynamics;

// Beyond this many vertices the answer to a unit force costs more than the steps.
constexpr std::uint32_t kLongRing = 512;

double ratio_of(std::uint32_t size, bool closed, const CurveMaterial& material) {
  if (size < 3) return 0;
  if (material.bending == 0 && material.damped)
    return material.slowest * material.slowest / slowest_eigenvalue(size, closed);
  if (material.bending == 0) return material.stiffest * material.stiffest / 16;
  const double cells = closed ? size : size - 1;  // 1 / h
  return material.bending / material.mass * cells * cells * cells * cells;
}

Result<void> check(int intervals, const InbetweenOptions& options) {
  const CurveMaterial& m = options.material;
  if (intervals < 1) return usage_error("in-betweens need at least two frames");
  if (!(m.bending >= 0 && std::isfinite(m.bending)) || !(m.mass > 0 && std::isfinite(m.mass)) ||
      !(m.stiffest > 0 && std::isfinite(m.stiffest)) || !(m.slowest > 0 && std::isfinite(m.slowest)))
    return usage_error("the bending, the mass and the frequencies of the curves must be positive");
  if (options.least_steps < 1 || options.least_steps > 10000)
    return usage_error("the time steps between two shapes must lie between 1 and 10000");
  return {};
}

Vec3f placed(const Vec3& from, float x, float y, float z) {
  return (from + Vec3(x, y, z)).cast<float>();
}

}  // namespace

struct Inbetween::State {
  int intervals = 1, steps = 1;
  double stiffest = 0;
  std::size_t vertex_count = 0;
  std::vector<Group> groups;
  std::vector<std::uint32_t> loose;  // on no curve
  std::vector<float> window;
  std::vector<double> rows[4], terms;

  void run_taps(const Group& group, std::span<const Vec3> from, std::span<const Vec3> to,
                std::span<const std::span<Vec3f>> frames);
  void run_steps(const Group& group, std::span<const Vec3> from, std::span<const Vec3> to,
                 std::span<const std::span<Vec3f>> frames);
  void run_filter(const Group& group, std::span<const Vec3> from, std::span<const Vec3> to,
                  std::span<const std::span<Vec3f>> frames);
  Result<void> prepare(Group& group);
};

Inbetween::Inbetween(std::unique_ptr<State> state) : state_(std::move(state)) {}
Inbetween::Inbetween(Inbetween&&) noexcept = default;
Inbetween& Inbetween::operator=(Inbetween&&) noexcept = default;
Inbetween::~Inbetween() = default;
int Inbetween::intervals() const {
  return state_->intervals;
}
double Inbetween::stiffest() const {
  return state_->stiffest;
}

Result<void> Inbetween::State::prepare(Group& group) {
  stiffest = std::max(stiffest, group.scheme.stiffest());
  const std::size_t stride = static_cast<std::size_t>(steps / intervals);
  // A wave that is back where it began after the whole time feels no constant force at all.
  const double turn = 2 * std::atan(group.scheme.stiffest() / (2 * steps)) * steps;
  if (!group.scheme.damped && turn > 2 * std::numbers::pi * (1 - 1e-9))
    return impossible("the curves are too stiff: a curve of " + std::to_string(group.scheme.size) +
                      " vertices has modes that oscillate more than once between two shapes, which no "
                      "constant force can control; lower the bending");
  if (group.scheme.closed && group.scheme.size <= kLongRing) {
    for (int k = 1; k < intervals; ++k)
      group.taps.push_back(closed_taps(group.scheme, k * static_cast<int>(stride)));
    std::size_t longest = 0;
    for (const auto& taps : group.taps) longest = std::max(longest, taps.size());
    window.resize(std::max(window.size(), 3 * (group.scheme.size + 2 * longest)));
    return {};
  }
  if (group.scheme.damped) {
    SINEW_TRY(RingFilter filter, RingFilter::build(group.scheme));
    terms.resize(
        std::max(terms.size(), 3 * group.vertices.size() * std::max<std::size_t>(1, filter.terms())));
    group.filter.push_back(std::move(filter));
    return {};
  }
  SINEW_TRY(RingStepper stepper, RingStepper::build(group.scheme));
  group.stepper.push_back(std::move(stepper));
  for (auto& buffer : rows) buffer.resize(std::max(buffer.size(), 3 * group.vertices.size()));
  return {};
}

Result<Inbetween> Inbetween::build(const IsoCurves& curves, std::size_t vertex_count, int intervals,
                                   const InbetweenOptions& options) {
  SINEW_CHECK(check(intervals, options));
  SINEW_CHECK(validate(curves, vertex_count));
  auto state = std::make_unique<State>();
  state->intervals = intervals;
  const bool damped = options.material.damped;  // exact at any time
  state->steps = damped ? intervals : intervals * ((options.least_steps + intervals - 1) / intervals);
  state->vertex_count = vertex_count;
  std::map<std::pair<std::uint32_t, bool>, std::size_t> index;
  std::vector<std::uint8_t> on_curve(vertex_count, 0);
  for (std::size_t r = 0; r < curves.ring_count(); ++r) {
    const auto ring = curves.ring(r);
    const auto size = static_cast<std::uint32_t>(ring.size());
    if (size < 3) continue;
    const auto [entry, fresh] = index.try_emplace({size, curves.is_closed(r)}, state->groups.size());
    if (fresh) {
      state->groups.push_back({});
      state->groups.back().scheme = {size, curves.is_closed(r),
                                     ratio_of(size, curves.is_closed(r), options.material), state->steps,
                                     damped};
    }
    Group& group = state->groups[entry->second];
    group.vertices.insert(group.vertices.end(), ring.begin(), ring.end());
    for (const std::uint32_t v : ring) on_curve[v] = 1;
  }
  for (std::uint32_t v = 0; v < vertex_count; ++v)
    if (!on_curve[v]) state->loose.push_back(v);
  for (Group& group : state->groups) SINEW_CHECK(state->prepare(group));
  return Inbetween(std::move(state));
}

// A circular convolution: the ring's ways with its ends repeated on both sides, x y z interleaved, so that
// the inner loops run over consecutive numbers.
void Inbetween::State::run_taps(const Group& group, std::span<const Vec3> from, std::span<const Vec3> to,
                                std::span<const std::span<Vec3f>> frames) {
  const std::size_t n = group.scheme.size;
  std::size_t reach = 0;
  for (const auto& taps : group.taps) reach = std::max(reach, taps.size() - 1);
  float* const middle = window.data() + 3 * reach;
  constexpr std::size_t kBlock = 48;
  for (std::size_t ring = 0; ring < group.count(); ++ring) {
    const std::uint32_t* const vertex = &group.vertices[ring * n];
    for (std::size_t i = 0; i < n; ++i)
      Eigen::Vector3f::Map(middle + 3 * i) = (to[vertex[i]] - from[vertex[i]]).cast<float>();
    for (std::size_t j = 1; j <= reach; ++j) {
      std::copy_n(middle + 3 * ((n - j % n) % n), 3, middle - 3 * j);
      std::copy_n(middle + 3 * ((j - 1) % n), 3, middle + 3 * (n + j - 1));
    }
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const auto& taps = group.taps[k];
      for (std::size_t begin = 0; begin < 3 * n; begin += kBlock) {
        const std::size_t count = std::min(kBlock, 3 * n - begin);
        float sum[kBlock];
        const float* const here = middle + begin;
        for (std::size_t c = 0; c < count; ++c) sum[c] = taps[0] * here[c];
        for (std::size_t j = 1; j < taps.size(); ++j) {
          const float *const left = here - 3 * j, *const right = here + 3 * j;
          for (std::size_t c = 0; c < count; ++c) sum[c] += taps[j] * (left[c] + right[c]);
        }
        for (std::size_t c = 0; c < count; c += 3) {
          const std::uint32_t v = vertex[(begin + c) / 3];
          frames[k][v] = placed(from[v], sum[c], sum[c + 1], sum[c + 2]);
        }
      }
    }
  }
}

// All curves of the group side by side: row i holds vertex i of each.
void Inbetween::State::run_steps(const Group& group, std::span<const Vec3> from, std::span<const Vec3> to,
                                 std::span<const std::span<Vec3f>> frames) {
  const std::size_t n = group.scheme.size, count = group.count(), columns = 3 * count;
  const std::span<double> first(rows[0].data(), n * columns), scratch(rows[1].data(), n * columns);
  std::span<double> before(rows[2].data(), n * columns), now(rows[3].data(), n * columns);
  const auto vertex = [&](std::size_t i, std::size_t ring) { return group.vertices[ring * n + i]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t ring = 0; ring < count; ++ring)
      Vec3::Map(&first[i * columns + 3 * ring]) = to[vertex(i, ring)] - from[vertex(i, ring)];
  group.stepper[0].first_step(first, columns, scratch);
  std::fill(before.begin(), before.end(), 0.0);
  std::copy(first.begin(), first.end(), now.begin());
  const int stride = steps / intervals;
  for (int step = 1; step < steps; ++step) {
    if (step % stride == 0)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t ring = 0; ring < count; ++ring) {
          const std::uint32_t v = vertex(i, ring);
          frames[static_cast<std::size_t>(step / stride - 1)][v] =
              (from[v] + Vec3::Map(&now[i * columns + 3 * ring])).cast<float>();
        }
    if (step / stride == intervals - 1) break;
    group.stepper[0].next(before, now, first, scratch, columns);
    std::swap(before, now);
  }
}

void Inbetween::State::run_filter(const Group& group, std::span<const Vec3> from, std::span<const Vec3> to,
                                  std::span<const std::span<Vec3f>> frames) {
  const std::size_t n = group.scheme.size, count = group.count(), columns = 3 * count, all = n * columns;
  const RingFilter& filter = group.filter[0];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t ring = 0; ring < count; ++ring) {
      const std::uint32_t v = group.vertices[ring * n + i];
      Vec3::Map(&terms[i * columns + 3 * ring]) = to[v] - from[v];
    }
  for (std::size_t m = 1; m < filter.terms(); ++m)
    filter.next({&terms[(m - 1) * all], all}, m < 2 ? nullptr : &terms[(m - 2) * all], {&terms[m * all], all},
                columns);
  for (std::size_t k = 0; k < frames.size(); ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t ring = 0; ring < count; ++ring) {
        const std::size_t place = i * columns + 3 * ring;
        Vec3 way = Vec3::Zero();
        for (std::size_t m = 0; m < filter.terms(); ++m)
          way += filter.coefficient(k, m) * Vec3::Map(&terms[m * all + place]);
        const std::uint32_t v = group.vertices[ring * n + i];
        frames[k][v] = (from[v] + way).cast<float>();
      }
}

void Inbetween::run(std::span<const Vec3> from, std::span<const Vec3> to,
                    std::span<const std::span<Vec3f>> frames) {
  State& s = *state_;
  if (s.intervals < 2) return;
  for (const Group& group : s.groups) {
    if (!group.filter.empty())
      s.run_filter(group, from, to, frames);
    else if (group.taps.empty())
      s.run_steps(group, from, to, frames);
    else
      s.run_taps(group, from, to, frames);
  }
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const double t = static_cast<double>(k + 1) / s.intervals;
    for (const std::uint32_t v : s.loose) frames[k][v] = (from[v] + t * t * (to[v] - from[v])).cast<float>();
  }
}

}  // namespace sinew
