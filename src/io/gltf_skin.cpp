// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_skin.h"

#include <Eigen/LU>

#include "io/gltf_accessor.h"

namespace sinew::gltf {
namespace {

constexpr double kSameBind = 1e-5;  // relative, as skins of one exporter differ by rounding only

Result<std::vector<Affine3>> read_matrices(const GltfDocument& document, int index, std::size_t count,
                                           bool& repaired) {
  std::vector<Affine3> matrices(count, Affine3::Identity());
  if (index < 0) return matrices;
  const Accessor& accessor = document.accessors[at(index)];
  const std::string place = " is accessors[" + std::to_string(index) + "]";
  if (accessor.width() != 16 || accessor.component != Component::kFloat)
    return bad_input(place + ", which does not hold 4x4 float matrices");
  if (accessor.count < count)
    return bad_input(place + " with " + std::to_string(accessor.count) + " matrices for " +
                     std::to_string(count) + " joints");
  SINEW_TRY(const std::vector<float> numbers, read_floats(document, accessor));
  for (std::size_t j = 0; j < count; ++j) {
    const Eigen::Matrix4f stored = Eigen::Map<const Eigen::Matrix4f>(numbers.data() + 16 * j);
    matrices[j].matrix() = stored.cast<double>();
    if (magnitude(matrices[j]) > kLargest)
      return bad_input(place + ", whose matrix " + std::to_string(j) + " is not finite: bind the mesh again");
    repaired = repaired || stored.row(3) != Eigen::RowVector4f(0, 0, 0, 1);
    matrices[j].makeAffine();
  }
  return matrices;
}

Result<RawSkin> parse_skin(GltfDocument& document, const Json& json, std::size_t index,
                           const TreeIntervals& tree) {
  RawSkin skin;
  SINEW_TRY(skin.joints, index_list(json, "joints", document.nodes.size()));
  if (skin.joints.empty()) return bad_input(".joints is missing or empty: a skin needs joints");
  SINEW_TRY(const int matrices, index_member(json, "inverseBindMatrices", document.accessors.size()));
  bool repaired = false;
  auto read = read_matrices(document, matrices, skin.joints.size(), repaired);
  if (!read.ok()) return inside(".inverseBindMatrices", read.error());
  skin.inverse_bind = *std::move(read);
  if (repaired) {
    document.mended_binds = true;
    document.warnings.push_back(item("skins", index) +
                                ".inverseBindMatrices has a bottom row other than 0 0 0 1: read as that");
  }
  SINEW_TRY(const int root, index_member(json, "skeleton", document.nodes.size()));
  if (root >= 0 &&
      !std::all_of(skin.joints.begin(), skin.joints.end(), [&](int n) { return tree.is_below(n, root); }))
    document.warnings.push_back(item("skins", index) + ".skeleton is nodes[" + std::to_string(root) +
                                "], which is not above all its joints: ignored");
  return skin;
}

std::string joint_name(const GltfDocument& document, int node, std::size_t joint) {
  std::string name = string_member(document.json["nodes"][at(node)], "name");
  return name.empty() ? "joint" + std::to_string(joint) : name;
}

// What SINEW_rig says of a node, or null.
const Json* own_extension(const Json& node) {
  const Json* extensions = object_member(node, "extensions");
  return extensions ? object_member(*extensions, "SINEW_rig") : nullptr;
}

std::optional<Vec3> stored_tail(const Json& node) {
  const Json* ours = own_extension(node);
  if (!ours) return std::nullopt;
  const auto tail = number_list(*ours, "tail", 3);
  if (!tail.ok() || tail->empty()) return std::nullopt;
  return Vec3((*tail)[0], (*tail)[1], (*tail)[2]);
}

BoneShape stored_shape(const Json& node) {
  BoneShape shape;
  const Json* ours = own_extension(node);
  if (!ours) return shape;
  if (const auto twist = number_list(*ours, "twist", 2); twist.ok() && !twist->empty()) {
    shape.twist_head = (*twist)[0];
    shape.twist_tail = (*twist)[1];
  }
  if (const auto stretch = ours->find("stretch"); stretch != ours->end() && stretch->is_number())
    if (const double factor = stretch->get<double>(); factor > 0 && std::isfinite(factor))
      shape.stretch = factor;
  return shape;
}

std::vector<Joint> make_joints(GltfDocument& document, const JointNodes& nodes) {
  document.joint_nodes = nodes.nodes;
  document.node_joints.assign(document.nodes.size(), -1);
  for (std::size_t j = 0; j < nodes.nodes.size(); ++j)
    document.node_joints[at(nodes.nodes[j])] = static_cast<int>(j);
  std::vector<Joint> joints(nodes.nodes.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Node& node = document.nodes[at(nodes.nodes[j])];
    joints[j].name = joint_name(document, nodes.nodes[j], j);
    joints[j].parent = node.parent < 0 ? -1 : document.node_joints[at(node.parent)];
    joints[j].rest_local = node.local;
    joints[j].rest_parts = node.parts;
    joints[j].deforms = j < nodes.skin_joints;
    joints[j].tail = stored_tail(document.json["nodes"][at(nodes.nodes[j])]);
    joints[j].helper = is_helper(document, nodes.nodes[j]);
    joints[j].rest_shape = stored_shape(document.json["nodes"][at(nodes.nodes[j])]);
    if (joints[j].deforms) document.summary.joint_names.push_back(joints[j].name);
  }
  return joints;
}

bool same(const Affine3& a, const Affine3& b) {
  return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff() <=
         kSameBind * std::max(1e-30, b.matrix().topRows<3>().cwiseAbs().maxCoeff());
}

// The map A with bound_j * A = new_j for every joint that is bound already; nullopt where there is none.
std::optional<Affine3> difference(const RawSkin& skin, const GltfDocument& document,
                                  const std::vector<bool>& is_bound, const std::vector<Affine3>& bound) {
  std::optional<Affine3> map;
  bool unchanged = true, any = false;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const std::size_t joint = at(document.node_joints[at(skin.joints[k])]);
    if (!is_bound[joint]) continue;
    any = true;
    unchanged = unchanged && same(bound[joint], skin.inverse_bind[k]);
    if (map) continue;
    if (const auto back = inverted(bound[joint])) map = *back * skin.inverse_bind[k];
  }
  if (!any || unchanged) return Affine3::Identity();
  if (!map || !inverted(*map)) return std::nullopt;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const std::size_t joint = at(document.node_joints[at(skin.joints[k])]);
    if (is_bound[joint] && !same(bound[joint] * *map, skin.inverse_bind[k])) return std::nullopt;
  }
  return map;
}

std::uint32_t add_alias(GltfDocument& document, BoundSkeleton& skeleton, std::size_t joint,
                        const Affine3& inverse_bind, const std::string& why) {
  Joint alias;
  alias.name = skeleton.joints[joint].name + why;
  alias.parent = static_cast<int>(joint);
  alias.deforms = false;
  skeleton.joints.push_back(std::move(alias));
  skeleton.inverse_bind.push_back(inverse_bind);
  skeleton.bind.push_back(inverted(inverse_bind).value_or(Affine3::Identity()));
  document.joint_nodes.push_back(-1);
  return static_cast<std::uint32_t>(skeleton.joints.size() - 1);
}

BoundSkin bind_skin(GltfDocument& document, const RawSkin& skin, std::size_t index,
                    std::vector<bool>& is_bound, BoundSkeleton& skeleton) {
  BoundSkin result;
  const auto map = difference(skin, document, is_bound, skeleton.inverse_bind);
  if (map) result.to_bind = *map;
  const Affine3 back = inverted(result.to_bind).value_or(Affine3::Identity());
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const std::size_t joint = at(document.node_joints[at(skin.joints[k])]);
    const Affine3 wanted = skin.inverse_bind[k] * back;
    if (!is_bound[joint]) {
      is_bound[joint] = true;
      skeleton.inverse_bind[joint] = wanted;
      result.joints.push_back(static_cast<std::uint32_t>(joint));
    } else if (same(skeleton.inverse_bind[joint], wanted)) {
      result.joints.push_back(static_cast<std::uint32_t>(joint));
    } else {
      result.joints.push_back(
          add_alias(document, skeleton, joint, wanted, " (skin " + std::to_string(index) + ")"));
    }
  }
  return result;
}

// Joints of no skin keep their place relative to the parent: bind = bind of the parent * rest. Where a node
// has no inverse (a scale of 0 hides many a mesh) it takes the parent's, so that its vertices still have a
// place in bind space.
void bind_others(const GltfDocument& document, const std::vector<bool>& is_bound, BoundSkeleton& skeleton) {
  for (const int node : document.node_order) {
    const int j = document.node_joints[at(node)];
    if (j < 0) continue;
    const Joint& joint = skeleton.joints[at(j)];
    const Affine3 above = joint.parent < 0 ? Affine3::Identity() : skeleton.bind[at(joint.parent)];
    if (is_bound[at(j)]) {
      skeleton.bind[at(j)] = inverted(skeleton.inverse_bind[at(j)]).value_or(above * joint.rest_local);
      continue;
    }
    const Affine3 bind = above * joint.rest_local;
    const auto inverse = inverted(bind);
    skeleton.bind[at(j)] = inverse ? bind : above;
    skeleton.inverse_bind[at(j)] = inverse ? *inverse : inverted(above).value_or(Affine3::Identity());
  }
}

Result<void> check_rest(const GltfDocument& document, const BoundSkeleton& skeleton) {
  std::vector<Affine3> globals(skeleton.joints.size());
  for (const int node : document.node_order) {
    const int j = document.node_joints[at(node)];
    if (j < 0) continue;
    const Joint& joint = skeleton.joints[at(j)];
    globals[at(j)] = joint.parent < 0 ? joint.rest_local : globals[at(joint.parent)] * joint.rest_local;
    if (magnitude(globals[at(j)] * skeleton.inverse_bind[at(j)]) > kLargest)
      return bad_input(item("nodes", at(node)) +
                       " and its inverse bind matrix are too large to compute with: bind the mesh again");
  }
  return {};
}

}  // namespace

std::optional<Affine3> inverted(const Affine3& transform) {
  const Mat3 inverse = transform.linear().inverse();
  if (!inverse.allFinite()) return std::nullopt;
  if (!((transform.linear() * inverse - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-6)) return std::nullopt;
  Affine3 result = Affine3::Identity();
  result.linear() = inverse;
  result.translation() = -(inverse * transform.translation());
  if (magnitude(result) > kLargest) return std::nullopt;
  return result;
}

Result<std::vector<RawSkin>> parse_skins(GltfDocument& document) {
  SINEW_TRY(const Json* list, object_list(document.json, "skins"));
  const TreeIntervals tree = tree_intervals(document);
  std::vector<RawSkin> skins;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto skin = parse_skin(document, (*list)[i], i, tree);
    if (!skin.ok()) return inside(item("skins", i), skin.error());
    skins.push_back(*std::move(skin));
  }
  return skins;
}

Result<BoundSkeleton> build_skeleton(GltfDocument& document, const std::vector<RawSkin>& skins) {
  std::vector<std::vector<int>> skin_joints;
  for (const RawSkin& skin : skins) skin_joints.push_back(skin.joints);
  BoundSkeleton skeleton;
  skeleton.joints = make_joints(document, joint_nodes(document, skin_joints));
  skeleton.inverse_bind.assign(skeleton.joints.size(), Affine3::Identity());
  skeleton.bind.assign(skeleton.joints.size(), Affine3::Identity());
  std::vector<bool> is_bound(skeleton.joints.size());
  for (std::size_t i = 0; i < skins.size(); ++i)
    skeleton.skins.push_back(bind_skin(document, skins[i], i, is_bound, skeleton));
  bind_others(document, is_bound, skeleton);
  SINEW_CHECK(check_rest(document, skeleton));
  return skeleton;
}

std::uint32_t rigid_joint(GltfDocument& document, BoundSkeleton& skeleton, int node) {
  const std::size_t joint = at(document.node_joints[at(node)]);
  if (inverted(skeleton.inverse_bind[joint])) return static_cast<std::uint32_t>(joint);
  return add_alias(document, skeleton, joint, Affine3::Identity(), " (mesh)");
}

}  // namespace sinew::gltf
