// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
    std::map<std::pair<std::vector<ComposedStep>, std::vector<std::uint32_t>>, std::vector<std::uint32_t>>
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
      sets[{steps, fields}].push_back(i);
    }
    for (const auto& [key, members] : sets) {
      const std::uint32_t first_step = narrow(program_.steps.size());
      SINEW_TRY(const bool chain, pack_steps(key.first));
      for (std::size_t first = 0; first < members.size(); first += kGroupVertices)
        pack_group(
            std::span(members).subspan(first, std::min<std::size_t>(kGroupVertices, members.size() - first)),
            first_step, key.first.size(), chain, key.second, weighted);
    }
    return {};
  }

 private:
  std::uint32_t step_entry_of(const ComposedStep& step) {
    const auto [at, is_new] = known_steps_.try_emplace(step, narrow(program_.entry.size()));
    if (is_new) {
      EntryRest entry = entry_of(step.joint);
      entry.run = step.run ? 1 : 0;
      if (step.run) entry.above = step.above;
      add_entry(entry);
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
      program_.fields.push_back({field.range.swing, field.range.twist});
      function_values_.push_back(functions_of(field, field.steps, field.values));
      function_normals_.push_back(functions_of(field, tilts[f].steps, tilts[f].values));
    }
  }
  static std::vector<float> functions_of(const FleshField& field, std::span<const float> steps,
                                         std::span<const std::int8_t> values) {
    std::vector<float> out(kFieldValues * field.vertices.size(), 0.0f);
    const std::size_t modes = field.modes();
    for (std::size_t v = 0; v < field.vertices.size(); ++v)
      for (std::size_t q = 0; q < kFunctions; ++q)
        for (std::size_t c = 0; c < 3; ++c) {
          double sum = 0;
          for (std::size_t m = 0; m < modes; ++m)
            sum += static_cast<double>(field.mixes[m * kFunctions + q]) * static_cast<double>(steps[m]) *
                   values[3 * (v * modes + m) + c];
          out[kFieldValues * v + 3 * q + c] = static_cast<float>(sum);
        }
    return out;
  }

  void pack_group(std::span<const std::uint32_t> members, std::uint32_t first_step, std::size_t steps,
                  bool chain, std::span<const std::uint32_t> fields,
                  const std::vector<std::vector<ComposedSteps::Weighted>>& weighted) {
    FleshGroup group{};
    group.used = narrow(members.size());
    group.steps = narrow(steps);
    group.first_step = first_step;
    group.chain = chain ? 1 : 0;
    group.first_weight = narrow(program_.step_weights.size());
    group.first_block = narrow(program_.blocks.size());
    group.blocks = narrow(fields.size());
    const auto member = [&](std::size_t i) { return members[std::min(i, members.size() - 1)]; };
    for (std::size_t i = 0; i < kGroupVertices; ++i) group.vertex[i] = member(i);
    for (std::size_t k = 0; k < steps; ++k)
      for (std::size_t i = 0; i < kGroupVertices; ++i) {
        program_.step_weights.push_back(weighted[member(i)][k].swing);
        program_.step_weights.push_back(weighted[member(i)][k].twist);
      }
    for (std::size_t b = 0; b < fields.size(); ++b) {
      const std::uint32_t f = fields[b];
      program_.blocks.push_back(
          {f, narrow(program_.field_twist.size()), narrow(program_.field_values.size())});
      const auto place = [&](std::size_t i) { return std::size_t{of_vertex_[member(i)][b].vertex}; };
      for (std::size_t i = 0; i < kGroupVertices; ++i)
        program_.field_twist.push_back(rig_.flesh.fields[f].twist[place(i)]);
      for (const std::vector<float>* numbers : {&function_values_[f], &function_normals_[f]})
        for (std::size_t i = 0; i < kGroupVertices; ++i)
          for (std::size_t k = 0; k < kFieldValues; k += 4) {
            const float* from = numbers->data() + kFieldValues * place(i) + k;
            program_.field_values.push_back({{from[0], from[1], from[2], from[3]}});
          }
    }
    program_.groups.push_back(group);
  }

  std::map<ComposedStep, std::uint32_t> known_steps_;
  struct FieldPlace {
    std::uint32_t field, vertex;
  };
  std::vector<std::vector<FieldPlace>> of_vertex_;
  std::vector<std::vector<float>> function_values_, function_normals_;
};

}  // namespace

Result<void> pack_flesh(const Rig& rig, Program& program) {
  return FleshPacker(rig, program).pack();
}

}  // namespace sinew::gpu
