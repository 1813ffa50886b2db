// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_edges.h"

#include "io/gltf_write_parts.h"

namespace sinew::gltf {

void read_edges(GltfDocument& document, Rig& rig) {
  const Json* ours = &document.json;
  for (const char* key : {"extensions", "SINEW_rig"})
    if (ours = object_member(*ours, key); !ours) return;
  if (!ours->contains("edges")) return;
  const auto list = number_list(*ours, "edges", 0);
  bool whole = list.ok() && list->size() % 2 == 0;
  const auto fits = [&](double index) {
    return index >= 0 && index < static_cast<double>(rig.mesh.vertex_count()) &&
           index == std::uint32_t(index);
  };
  for (std::size_t k = 0; whole && k < list->size(); k += 2) {
    const double a = (*list)[k], b = (*list)[k + 1];
    if (fits(a) && fits(b))
      rig.loose_edges.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
    else
      whole = false;
  }
  if (whole) return;
  rig.loose_edges.clear();
  document.warnings.push_back("extensions.SINEW_rig.edges names vertices that do not exist: left out");
}

void put_edges(Json& root, const Rig& rig) {
  Json list;
  for (const auto& edge : rig.loose_edges) {
    list.push_back(edge[0]);
    list.push_back(edge[1]);
  }
  put_own_property(root, "edges", std::move(list));
}

}  // namespace sinew::gltf
