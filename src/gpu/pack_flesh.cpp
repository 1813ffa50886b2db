// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "gpu/packer.h"
#include "sinew/rig/composed_steps.h"

namespace sinew::gpu {
namespace {

class FleshPacker : public Packer {
 public:
  using Packer::Packer;

  Result<void> pack() {
    const Flesh& flesh = rig_.flesh;
    if (flesh.empty()) return impossible("the rig has no flesh: `sinew rig` makes it");
    if (flesh.weights.vertex_count() != rig_.mesh.vertex_count())
      return bad_input("the flesh does not fit the mesh: it has another number of vertices");
    pack_functions();
    // Vertices with the same steps, children first; among them those with the same fields together.
    std::map<std::vector<ComposedStep>, std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>>>
        sets;
    std::vector<std::vector<ComposedSteps::Weighted>> weighted(rig_.mesh.vertex_count());
    of_vertex_.resize(rig_.mesh.vertex_count());
    for (std::uint32_t f = 0; f < flesh.fields.size(); ++f)
      for (std::uint32_t v = 0; v < flesh.fields[f].vertices.size(); ++v)
        of_vertex_[flesh.fields[f].vertices[v]].push_back({f, v});
    ComposedSteps maker(parents_);
    for (std::uint32_t i = 0; i < rig_.mesh.vertex_count(); ++i) {
      maker.of_vertex(flesh.weights, i, weighted[i]);
      if (weighted[i].empty() && i < rig_.weights.vertex_count() && !rig_.weights.row(i).empty()) {
        if (rig_.weights.row(i).size() > 1)
          return impossible("vertex " + std::to_string(i) +
                            " has skin weights of several joints and no flesh, which the GPU does not play");
        weighted[i].push_back({{static_cast<int>(rig_.weights.row(i)[0].joint), -1, true}, 0, 0});
      }
      std::sort(weighted[i].begin(), weighted[i].end(),
                [](const auto& a, const auto& b) { return a.step < b.step; });
      std::vector<ComposedStep> steps;
      for (const ComposedSteps::Weighted& one : weighted[i]) steps.push_back(one.step);
      std::vector<std::uint32_t> fields;
      for (const FieldPlace& place : of_vertex_[i]) fields.push_back(place.field);
      sets[steps][fields].push_back(i);
    }
    std::vector<Wanted> wanted;
    for (const auto& [steps, with_fields] : sets) {
      Wanted like{{}, {}, narrow(program_.steps.size()), steps.size(), false};
      SINEW_TRY(like.chain, pack_steps(steps));
      divide(with_fields, like, wanted);
    }
    // In the order of the mesh, so that what neighbours write meets in the cache.
    std::sort(wanted.begin(), wanted.end(),
              [](const Wanted& a, const Wanted& b) { return a.members < b.members; });
    for (const Wanted& one : wanted) pack_group(one, weighted);
    return {};
  }

 private:
  struct Wanted {  // a group to be
    std::vector<std::uint32_t> members, fields;
    std::uint32_t first_step;
    std::size_t steps;
    bool chain;
  };

  // Vertices of the same steps into groups: those of the same fields together; what is left of these goes where
  // it adds least to what is there.
  static void divide(const std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>>& with_fields,
                     const Wanted& like, std::vector<Wanted>& out) {
    const std::size_t first = out.size();
    std::vector<Wanted> rests;
    for (const auto& [fields, members] : with_fields) {
      Wanted one = like;
      one.fields = fields;
      std::size_t k = 0;
      for (; k + kGroupVertices <= members.size(); k += kGroupVertices) {
        one.members.assign(members.begin() + static_cast<std::ptrdiff_t>(k),
                           members.begin() + static_cast<std::ptrdiff_t>(k + kGroupVertices));
        out.push_back(one);
      }
      one.members.assign(members.begin() + static_cast<std::ptrdiff_t>(k), members.end());
      if (!one.members.empty()) rests.push_back(one);
    }
    std::stable_sort(rests.begin(), rests.end(),
                     [](const Wanted& a, const Wanted& b) { return a.members.size() > b.members.size(); });
    for (const Wanted& rest : rests) {
      std::size_t best = out.size(), least = 0;
      std::vector<std::uint32_t> joined;
      for (std::size_t k = first; k < out.size(); ++k) {
        if (out[k].members.size() + rest.members.size() > kGroupVertices) continue;
        joined.clear();
        std::set_union(out[k].fields.begin(), out[k].fields.end(), rest.fields.begin(), rest.fields.end(),
                       std::back_inserter(joined));
        const std::size_t more = 2 * joined.size() - out[k].fields.size() - rest.fields.size();
        if (best < out.size() && more >= least) continue;
        best = k;
        least = more;
      }
      if (best == out.size()) {
        out.push_back(rest);
        continue;
      }
      joined.clear();
      std::set_union(out[best].fields.begin(), out[best].fields.end(), rest.fields.begin(), rest.fields.end(),
                     std::back_inserter(joined));
      out[best].fields = joined;
      out[best].members.insert(out[best].members.end(), rest.members.begin(), rest.members.end());
      std::sort(out[best].members.begin(), out[best].members.end());
    }
  }

  std::uint32_t step_entry_of(const ComposedStep& step) {
    const auto [at, is_new] = known_steps_.try_emplace(step, narrow(program_.entry.size()));
    if (is_new) {
      EntryRest entry = entry_of(step.joint);
      entry.run = step.run ? 1 : 0;
      if (step.run) entry.above = step.above;
      add_entry(entry);
      const double* a = entry.axes;
      const Vec3 axis(a[2], a[5], a[8]);
      const Vec3f along = axis.cast<float>(),
                  at_origin =
                      -axis.cross(Vec3(entry.origin[0], entry.origin[1], entry.origin[2])).cast<float>();
      program_.step_axis.push_back(
          {along.x(), along.y(), along.z(), 0, at_origin.x(), at_origin.y(), at_origin.z(), 0});
    }
    return at->second;
  }

  // Whether each step goes on into the next.
  Result<bool> pack_steps(const std::vector<ComposedStep>& steps) {
    const StepOrder order = order_steps(parents_, steps);
    const std::size_t count = steps.size();
    std::vector<std::vector<std::size_t>> into(count + 1);  // places in `order`
    for (std::size_t k = 0; k < count; ++k) into[order.to[k]].push_back(k);
    // One branch after the other, with an explicit stack of where we are.
    std::vector<std::size_t> way;  // places in `order`, children first
    std::vector<std::uint8_t> sum(count, 0);
    const auto visit = [&](const auto& self, std::size_t to, std::uint8_t open) -> bool {
      const bool several = into[to].size() > 1;
      if (several && ++open > kMostSums) return false;
      for (const std::size_t child : into[to]) {
        if (!self(self, child, open)) return false;
        if (several) sum[child] = open;
        way.push_back(child);
      }
      return true;
    };
    if (!visit(visit, count, 0)) return impossible("more joints branch at a vertex than the GPU plays");
    std::vector<std::size_t> place(count + 1, count);
    for (std::size_t k = 0; k < count; ++k) place[way[k]] = k;
    bool chain = true;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = way[k], to = order.to[at];
      FleshStep step{};
      step.entry = step_entry_of(steps[order.order[at]]);
      step.weights = order.order[at];
      step.to = static_cast<std::uint8_t>(place[to]);
      step.run = steps[order.order[at]].run ? 1 : 0;
      step.leaf = order.leaf[at];
      step.sum = sum[at];
      step.first = into[to].front() == at ? 1 : 0;
      step.last = into[to].back() == at ? 1 : 0;
      chain = chain && sum[at] == 0;
      program_.steps.push_back(step);
    }
    return chain;
  }

  // What every turn function adds to a vertex: modes times their mixes.
  void pack_functions() {
    const std::vector<FleshTilt> tilts = flesh_tilts(rig_.mesh, rig_.flesh);
    for (std::size_t f = 0; f < rig_.flesh.fields.size(); ++f) {
      const FleshField& field = rig_.flesh.fields[f];
      program_.field_joints.push_back(entry_of(static_cast<int>(field.joint)));
      program_.fields.push_back({field.range.swing, field.range.twist, 0, 0, -1});
      values_.of_field.push_back(functions_of(field, field.steps, field.values));
      tilts_.of_field.push_back(functions_of(field, tilts[f].steps, tilts[f].values));
    }
    for (std::size_t f = 0; f < rig_.flesh.fields.size(); ++f)
      if (const auto& partner = rig_.flesh.fields[f].partner) {
        FieldRest& rest = program_.fields[f];
        rest.partner = static_cast<std::int32_t>(program_.field_joints.size());
        rest.partner_swing = partner->range.swing;
        rest.partner_twist = partner->range.twist;
        program_.field_joints.push_back(entry_of(static_cast<int>(partner->joint)));
      }
    program_.shape.value_step = values_.choose_step();
    program_.shape.tilt_step = tilts_.choose_step();
  }
  static std::vector<float> functions_of(const FleshField& field, std::span<const float> steps,
                                         std::span<const std::int8_t> values) {
    std::vector<float> out(kFunctionValues * field.vertices.size(), 0.0f);
    const std::size_t modes = field.modes();
    for (std::size_t v = 0; v < field.vertices.size(); ++v)
      for (std::size_t q = 0; q < kFunctions; ++q)
        for (std::size_t c = 0; c < 3; ++c) {
          double sum = 0;
          for (std::size_t m = 0; m < modes; ++m)
            sum += static_cast<double>(field.mixes[m * kFunctions + q]) * static_cast<double>(steps[m]) *
                   values[3 * (v * modes + m) + c];
          out[kFunctionValues * v + 3 * q + c] = static_cast<float>(sum);
        }
    return out;
  }

  void pack_group(const Wanted& wanted, const std::vector<std::vector<ComposedSteps::Weighted>>& weighted) {
    FleshGroup group{};
    group.used = narrow(wanted.members.size());
    group.steps = narrow(wanted.steps);
    group.first_step = wanted.first_step;
    group.chain = wanted.chain ? 1 : 0;
    group.first_weight = narrow(program_.step_weights.size());
    group.first_block = narrow(program_.blocks.size());
    group.blocks = narrow(wanted.fields.size());
    const auto member = [&](std::size_t i) { return wanted.members[std::min(i, wanted.members.size() - 1)]; };
    for (std::size_t i = 0; i < kGroupVertices; ++i) {
      group.vertex[i] = member(i);
      for (std::size_t c = 0; c < 3; ++c) {
        program_.group_positions.push_back(program_.positions[3 * std::size_t{member(i)} + c]);
        program_.group_normals.push_back(program_.normals[3 * std::size_t{member(i)} + c]);
      }
    }
    for (std::size_t k = 0; k < wanted.steps; ++k)
      for (std::size_t i = 0; i < kGroupVertices; ++i) {
        program_.step_weights.push_back(weighted[member(i)][k].swing);
        program_.step_weights.push_back(weighted[member(i)][k].twist);
      }
    for (const std::uint32_t field : wanted.fields) pack_block(field, member);
    program_.groups.push_back(group);
  }

  template <class Member>
  void pack_block(std::uint32_t field, Member&& member) {
    program_.blocks.push_back({field});
    std::array<const float*, kGroupVertices> values{}, tilts{};
    for (std::size_t i = 0; i < kGroupVertices; ++i) {
      const std::vector<FieldPlace>& places = of_vertex_[member(i)];
      const auto at = std::find_if(places.begin(), places.end(),
                                   [&](const FieldPlace& place) { return place.field == field; });
      program_.field_twist.push_back(at == places.end() ? 0.0f : rig_.flesh.fields[field].twist[at->vertex]);
      if (at == places.end()) continue;
      values[i] = values_.of_field[field].data() + kFunctionValues * std::size_t{at->vertex};
      tilts[i] = tilts_.of_field[field].data() + kFunctionValues * std::size_t{at->vertex};
    }
    put_values(values, program_.shape.value_step, program_.field_values, program_.field_cubic);
    put_values(tilts, program_.shape.tilt_step, program_.field_tilts, program_.field_tilts_cubic);
  }

  // The numbers of one block; null: of a vertex that the field does not move.
  static void put_values(const std::array<const float*, kGroupVertices>& functions, float step,
                         std::vector<std::uint32_t>& words, std::vector<float>& cubic) {
    const std::size_t first = words.size(), first_cubic = cubic.size();
    words.resize(first + kValueWords, 0);
    cubic.resize(first_cubic + kCubicValues, 0.0f);
    for (int i = 0; i < kGroupVertices; ++i)
      for (int c = 0; c < 3; ++c) {
        const float* from = functions[static_cast<std::size_t>(i)];
        if (!from) continue;
        const FieldPowers powers([&](int q) { return q < 0 ? 0.0f : from[3 * q + c] / step; });
        const auto put = [&](ValueWord high, ValueWord low, int place, int low_place, float number) {
          const Halves halves = split_halves(number);
          const auto shift = [](int k) { return 16 * (k % 2); };
          words[first + static_cast<std::size_t>(value_word(i, c, high, place))] |= halves.high
                                                                                    << shift(place);
          words[first + static_cast<std::size_t>(value_word(i, c, low, low_place))] |= halves.low
                                                                                       << shift(low_place);
        };
        for (int k = 0; k < 8; ++k) {
          put(kOneHigh, kOneLow, k, k, powers.one[k]);
          put(kCosHigh, kCosLow, k, k, powers.cosine[k]);
          put(kSinHigh, kSinLow, k, k, powers.sine[k]);
        }
        for (int k = 0; k < 4; ++k) {
          put(kCosCos, kCosCos, k, 4 + k, powers.cosine_cosine[k]);
          put(kCosSin, kCosSin, k, 4 + k, powers.cosine_sine[k]);
        }
        for (int s = 0; s < 2; ++s)
          cubic[first_cubic + static_cast<std::size_t>(cubic_value(i, c, s))] = powers.cubic[s];
      }
  }

  std::map<ComposedStep, std::uint32_t> known_steps_;
  struct FieldPlace {
    std::uint32_t field, vertex;
  };
  std::vector<std::vector<FieldPlace>> of_vertex_;
  static constexpr std::size_t kFunctionValues = 3 * kFunctions;
  struct Functions {
    std::vector<std::vector<float>> of_field;  // kFunctionValues a vertex

    // A power of two such that half precision holds the largest value and parts of it of 1e-9.
    float choose_step() const {
      float most = 0;
      for (const std::vector<float>& values : of_field)
        for (const float value : values) most = std::max(most, std::abs(value));
      return most > 0 && std::isfinite(most) ? std::ldexp(1.0f, std::ilogb(most) - 9) : 1.0f;
    }
  };
  Functions values_, tilts_;
};

}  // namespace

Result<void> pack_flesh(const Rig& rig, Program& program) {
  return FleshPacker(rig, program).pack();
}

}  // namespace sinew::gpu
