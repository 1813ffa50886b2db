// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include "characters/blueprint.h"
#include "sinew/mesh/catmull_clark.h"

namespace sinew::characters {
namespace {

using Row = std::vector<Influence>;

std::vector<Row> sparse_rows(const std::vector<std::vector<double>>& dense) {
  std::vector<Row> rows(dense.size());
  for (std::size_t i = 0; i < dense.size(); ++i)
    for (std::size_t j = 0; j < dense[i].size(); ++j)
      if (dense[i][j] > 0) rows[i].push_back({static_cast<std::uint32_t>(j), dense[i][j]});
  return rows;
}

std::vector<Row> apply_to_rows(const Stencils& stencils, const std::vector<Row>& rows, std::size_t joints) {
  std::vector<Row> refined(stencils.row_count());
  std::vector<double> sum(joints, 0.0);
  std::vector<std::uint32_t> touched;
  for (std::size_t i = 0; i < refined.size(); ++i) {
    touched.clear();
    for (std::uint32_t k = stencils.offsets[i]; k < stencils.offsets[i + 1]; ++k)
      for (const Influence& influence : rows[stencils.sources[k]]) {
        if (sum[influence.joint] == 0) touched.push_back(influence.joint);
        sum[influence.joint] += influence.weight * stencils.weights[k];
      }
    refined[i].reserve(touched.size());
    for (const std::uint32_t j : touched) {
      if (sum[j] > 0) refined[i].push_back({j, sum[j]});
      sum[j] = 0;
    }
  }
  return refined;
}

// Who mirrors whom among the vertices of the refined mesh: images of vertices, edges and faces are vertices,
// edges, faces.
std::vector<std::uint32_t> refine_mirror(const PolyMesh& coarse, const Refinement& fine,
                                         std::vector<std::uint32_t> mirror) {
  const std::size_t vertices = coarse.vertex_count();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> half_edges;  // from << 32 | to, face
  const auto key = [](std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32 | to; };
  half_edges.reserve(coarse.face_vertices.size());
  for (std::uint32_t f = 0; f < coarse.face_count(); ++f) {
    const auto corners = coarse.face(f);
    for (std::size_t c = 0; c < corners.size(); ++c)
      half_edges.push_back({key(corners[c], corners[(c + 1) % corners.size()]), f});
  }
  std::sort(half_edges.begin(), half_edges.end());
  for (const auto& [a, b] : fine.edges) {
    std::array<std::uint32_t, 2> image = {mirror[a], mirror[b]};
    if (image[0] > image[1]) std::swap(image[0], image[1]);
    const auto found = std::lower_bound(fine.edges.begin(), fine.edges.end(), image);
    assert(found != fine.edges.end() && *found == image);
    mirror.push_back(
        static_cast<std::uint32_t>(vertices + static_cast<std::size_t>(found - fine.edges.begin())));
  }
  for (std::uint32_t f = 0; f < coarse.face_count(); ++f) {
    const auto corners = coarse.face(f);
    const std::pair<std::uint64_t, std::uint32_t> image{key(mirror[corners[1]], mirror[corners[0]]), 0};
    const auto found = std::lower_bound(half_edges.begin(), half_edges.end(), image);
    assert(found != half_edges.end() && found->first == image.first);
    mirror.push_back(static_cast<std::uint32_t>(vertices + fine.edges.size()) + found->second);
  }
  return mirror;
}

// The sums of subdivision differ in the last bit between the sides; takes the left one for both.
void make_symmetric(const std::vector<std::uint32_t>& mirror, const std::vector<JointSpec>& joints,
                    PolyMesh& mesh, std::vector<Row>& rows) {
  std::vector<std::uint32_t> other(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (std::size_t k = 0; k < joints.size(); ++k)
      if (joints[k].name == mirrored_name(joints[j].name)) other[j] = static_cast<std::uint32_t>(k);
  for (std::size_t i = 0; i < mirror.size(); ++i) {
    if (mirror[i] == i) {
      mesh.positions[i].x() = 0;
    } else if (mesh.positions[i].x() > 0) {
      const Vec3& p = mesh.positions[i];
      mesh.positions[mirror[i]] = Vec3(-p.x(), p.y(), p.z());
      rows[mirror[i]] = rows[i];
      for (Influence& influence : rows[mirror[i]]) influence.joint = other[influence.joint];
    }
  }
}

}  // namespace

int subdivision_steps(std::size_t faces, int resolution) {
  int level = 0;
  while (static_cast<double>(faces) * std::pow(4.0, level) * 2 < resolution) ++level;
  return level;
}

void add_normalised_row(Row row, SkinWeights& weights) {
  std::sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  if (row.size() > 4) {
    const double fifth = row[4].weight;
    row.resize(4);
    for (Influence& influence : row) influence.weight -= fifth;
  }
  double sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  for (Influence& influence : row) influence.weight /= sum;
  // Crumbs below what a file can hold are given to the largest.
  while (row.size() > 1 && row.back().weight < 1e-6) row.pop_back();
  double rest = 1;
  for (std::size_t k = 1; k < row.size(); ++k) rest -= row[k].weight;
  row[0].weight = rest;
  weights.add_row(row);
}

Result<Rig> finish_rig(Rig rig, std::string_view name, const std::vector<JointSpec>& joints,
                       std::vector<Clip> clips) {
  SINEW_TRY(rig.skeleton, build_skeleton(joints));
  for (const JointSpec& joint : joints) {
    Affine3 inverse = Affine3::Identity();
    inverse.translation() = -joint.head;
    rig.inverse_bind.push_back(inverse);
  }
  const TriangleView view = triangulate(rig.mesh);
  rig.mesh.normals.reserve(rig.mesh.vertex_count());
  for (const Vec3& n : vertex_normals({rig.mesh.positions, view.triangles}))
    rig.mesh.normals.push_back(n.cast<float>());
  MeshPart part;
  part.name = name;
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skinned = true;
  rig.parts = {part};
  rig.clips = std::move(clips);
  SINEW_CHECK(validate(rig));
  return rig;
}

Result<Rig> build_rig(const Blueprint& blueprint, std::string_view name, int resolution) {
  const Cage& cage = *blueprint.cage;
  const std::size_t joints = blueprint.joints.size();
  PolyMesh mesh = cage.mesh();
  std::vector<Row> rows = sparse_rows(cage.weights());
  std::vector<std::uint32_t> mirror = cage.mirror_map();
  for (int level = subdivision_steps(mesh.face_count(), resolution); level > 0; --level) {
    SINEW_TRY(Refinement refinement, refine_catmull_clark(mesh));
    rows = apply_to_rows(refinement.stencils, rows, joints);
    if (!mirror.empty()) mirror = refine_mirror(mesh, refinement, std::move(mirror));
    mesh = std::move(refinement.mesh);
  }
  SINEW_TRY(const Stencils limit, catmull_clark_limit(mesh));
  std::vector<Vec3> positions(mesh.vertex_count());
  limit.apply<Vec3>(mesh.positions, Vec3::Zero(), positions);
  mesh.positions = std::move(positions);
  rows = apply_to_rows(limit, rows, joints);
  if (!mirror.empty()) make_symmetric(mirror, blueprint.joints, mesh, rows);
  Rig rig;
  rig.mesh = std::move(mesh);
  for (Row& row : rows) add_normalised_row(std::move(row), rig.weights);
  return finish_rig(std::move(rig), name, blueprint.joints, blueprint.clips);
}

}  // namespace sinew::characters
