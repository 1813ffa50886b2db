// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/io/asset.h"

namespace sinew {

/// What colours a mesh, as the materials of a glTF file say: base colours alone, no light.
struct SurfaceLooks {
  struct Material {
    Vec3f factor = Vec3f::Ones();  ///< linear
    std::string image;             ///< the bytes of a PNG or JPEG; empty: none
    bool repeat_u = true, repeat_v = true;
    int index = -1;  ///< among the file's materials; -1: the part has none
  };
  std::vector<Material> materials;
  std::vector<std::uint32_t> of_face;        ///< per face of the rig's mesh: its material
  std::vector<Vec2f> texcoords;              ///< per vertex, of its material's texture
  std::array<std::vector<Vec2f>, 2> stored;  ///< per vertex, TEXCOORD_0 and 1 as the file has them; or empty
  std::vector<Vec3f> colours;                ///< per vertex, linear; or empty
  std::vector<std::string> warnings;         ///< what could not be read, one sentence each

  /// A file without any colour is as good as none.
  bool empty() const { return materials.empty(); }
};

/// Empty where the file is no glTF, or nothing in it has a texture, a colour of a material but white, or
/// colours of vertices. Never fails: what is missing is white, with a note.
SurfaceLooks read_surface_looks(const Asset& asset);

}  // namespace sinew
