// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "autorig/limb_tips.h"
#include "autorig/ring_growth.h"

namespace sinew::autorig {

struct FoundLimb {
  std::uint32_t tip = kNone;  // kNone: a stretch behind others
  bool seam = false;          // it ends where it opens, or where it met another limb's end
  RingList rings;             // tip first
};

// Rings of the limbs and of the body, every vertex that has a face once.
class LimbRings {
 public:
  LimbRings(const PolyMesh& mesh, const HalfEdges& edges)
      : mesh_(mesh), edges_(edges), tips_(mesh, edges), growth_(edges), mark_(mesh.vertex_count(), 0) {}

  // `tips` empty: they are found.
  void find(std::span<const std::uint32_t> tips);

  const std::vector<FoundLimb>& limbs() const { return limbs_; }
  const std::vector<RingList>& parts() const { return parts_; }  // of the body

 private:
  struct Start {
    LimbTip tip;
    Front ring;                         // body on its left
    std::vector<std::uint32_t> inside;  // vertices between it and the tip
    double length = 0;
  };
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  struct Sought {  // a ring that parts a tip from the body
    LimbTip tip;
    double longest = kInfinite;
    bool inside = true;  // whether all vertices between it and the tip are needed
  };
  void find_limbs(const TipField& field);
  void find_body(const TipField& field);
  void find_rest();

  bool is_on(const WayInward& way, float saddle) const {
    return way.vertex() != kNone && tips_.distance(way.vertex()) > saddle;
  }
  bool first_ring(const LimbTip& tip, Start& start);
  bool first_ring_of_stretch(const LimbTip& tip, Start& start);
  bool ring_at_border(std::uint32_t tip, Start& start);
  bool ring_through(std::uint32_t v, const Sought& sought, Start& start);
  bool ring_by_angle(std::uint32_t v, const LimbTip& tip, Start& start);
  bool accept(std::vector<std::uint32_t> loop, const Sought& sought, Start& start);
  bool collect_inside(const LimbTip& tip, std::vector<std::uint32_t>& inside);
  const std::vector<std::uint32_t>& faces_of_limb(const LimbTip& tip);
  std::vector<std::uint32_t> angle_loop(std::uint32_t h, const Vec3& normal, const LimbTip& tip) const;

  void grow(const Start& start);
  void grow_cap(const Start& start, std::uint32_t who, RingList& cap);
  void grow_side(const Front& front, std::uint32_t who, RingList& rings);
  void grow_down(const Start& start, std::uint32_t who, FoundLimb& limb);
  bool ring_behind(const LimbTip& tip, std::uint32_t who, double longest, Start& behind);
  bool is_behind_fork(const LimbTip& tip) const;
  bool pass_by(const Start& start, std::uint32_t who, Front& front, FoundLimb& limb);
  void cut_back(FoundLimb& limb, std::size_t rings);
  double length_of(const Front& front) const;
  bool give_up(std::uint32_t vertex, std::uint32_t who);
  void grow_part(const Front& front, std::uint32_t who);
  bool loop_of_body(std::uint32_t v, Front& front);
  void chain(std::uint32_t v, std::uint32_t who, RingList& rings);
  float mean_distance(std::span<const std::uint32_t> ring) const;

  const PolyMesh& mesh_;
  const HalfEdges& edges_;
  TipFinder tips_;
  RingGrowth growth_;
  std::vector<LimbTip> all_tips_;
  std::vector<std::uint32_t> mark_;  // scratch: floods, each with its own number
  std::uint32_t mark_now_ = 0;
  std::vector<std::uint32_t> limb_faces_;
  std::uint32_t limb_faces_of_ = kNone;
  std::vector<std::uint32_t> contested_;  // curves that two limbs ended at
  std::vector<FoundLimb> limbs_;
  std::vector<RingList> parts_;
};

}  // namespace sinew::autorig
