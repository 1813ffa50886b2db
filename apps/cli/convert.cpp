// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sinew/io/write_mesh.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {

void add_convert(Program& program) {
  struct ConvertArguments {
    std::string in, out;
    bool keep_invalid = false;
  };
  auto options = std::make_shared<ConvertArguments>();
  const Verb verb = add_verb(program, "convert", "read a file and write it in another format",
                             "  sinew convert scan.ply -o scan.glb\n"
                             "  sinew convert rig.glb -o posed.obj\n");
  verb.option("IN", options->in, "a .glb, .gltf, .obj, .ply, .off, .stl, .mesh, .bvh, .tgf or skeleton .json")
      .required();
  verb.option("-o,--output", options->out, "the file to write: .glb, .gltf, .usda, .obj, .ply, .off, .stl")
      .required();
  verb.flag(
      "--keep-invalid", options->keep_invalid,
      "keep weights that are NaN, negative or do not sum to 1 and binds that are not affine as a .glb or "
      ".gltf has them, instead of repairing them");
  verb.runs([&program, options]() -> Result<void> {
    const Console& console = program.console;
    SINEW_CHECK(writable_kind(options->out));
    SINEW_CHECK(check_writable(options->out, console.overwrite()));
    SINEW_TRY(const Asset asset, console.read(options->in));
    console.warnings(options->in, asset.warnings);
    if (is_cancelled(console.progress())) return cancelled();
    GltfWriteOptions write;
    write.keep_invalid = options->keep_invalid;
    SINEW_CHECK(save_asset(asset, options->out, console.overwrite(), write));
    console.print(
        {{"vertices", asset.rig.mesh.vertex_count()},
         {"faces", asset.rig.mesh.face_count()},
         {"joints", asset.rig.skeleton.deforming_count()},
         {"output", options->out}},
        fmt::format("{}: {}, {}", options->out, counted(asset.rig.mesh.vertex_count(), "vertex", "vertices"),
                    counted(asset.rig.mesh.face_count(), "face")));
    return {};
  });
}

}  // namespace sinew::cli
