// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/keys.h"

#include <algorithm>

#include "sinew/core/parallel.h"

namespace sinew {
namespace {

constexpr std::size_t kKeyGrain = 4096;

void add_scaled(std::span<const Vec3f> deltas, float weight, std::span<Vec3f> out) noexcept {
  parallel_for(out.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] += weight * deltas[i];
  });
}

class Keys : public Deformer {
 public:
  explicit Keys(const Rig& rig) : keys_(rig.keys) {
    for (const ShapeKey& key : keys_) defaults_.push_back(key.default_weight);
  }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }

  Status deform(const FrameInput& input, Workspace&, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    const std::span<const double> weights = input.key_weights.empty() ? defaults_ : input.key_weights;
    std::copy(input.positions.begin(), input.positions.end(), out_positions.begin());
    if (!out_normals.empty()) std::copy(input.normals.begin(), input.normals.end(), out_normals.begin());
    bool turned = false;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const float weight = static_cast<float>(weights[k]);
      if (weight == 0) continue;
      add_scaled(keys_[k].deltas, weight, out_positions);
      if (out_normals.empty() || keys_[k].normal_deltas.empty()) continue;
      add_scaled(keys_[k].normal_deltas, weight, out_normals);
      turned = true;
    }
    if (!turned) return Status::kOk;
    for (Vec3f& normal : out_normals)
      if (const float length = normal.norm(); length > 0) normal /= length;
    return Status::kOk;
  }

 private:
  std::vector<ShapeKey> keys_;
  std::vector<double> defaults_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_keys(const Rig& rig) {
  return std::unique_ptr<Deformer>(std::make_unique<Keys>(rig));
}

}  // namespace sinew
