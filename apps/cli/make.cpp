// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sinew/binding/bind.h"
#include "sinew/characters/characters.h"
#include "sinew/io/write_mesh.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {

void add_make(Program& program) {
  struct MakeArguments {
    std::string kind, out;
    CharacterOptions character;
    BindRequest bind;
  };
  auto options = std::make_shared<MakeArguments>();
  const Verb verb = add_verb(program, "make", "make a built-in character: mesh, skeleton, weights and a clip",
                             "  sinew make biped -o biped.glb\n"
                             "  sinew make hand --resolution 50000 -o hand.obj\n");
  std::string kinds;
  for (const CharacterKind& kind : character_kinds())
    kinds += fmt::format("\n  {:<10} {}", kind.name, kind.description);
  verb.option("KIND", options->kind, "one of" + kinds).required();
  verb.option("-o,--output", options->out, "the file to write: .glb, .gltf, .obj, .ply, .off, .stl")
      .required();
  verb.option("--weights", options->bind.method,
              "weight method: rings (of the built-in mesh), or a method of `sinew weights`")
      .show_default();
  verb.option("--resolution", options->character.resolution, "about this many vertices");
  verb.runs([&program, options]() -> Result<void> {
    const Console& console = program.console;
    SINEW_CHECK(writable_kind(options->out));
    SINEW_CHECK(check_writable(options->out, console.overwrite()));
    Asset asset;
    SINEW_TRY(asset.rig, make_character(options->kind, options->character));
    options->bind.progress = console.progress();
    // A plain mesh has no place for weights.
    const FileKind kind = kind_of(options->out);
    if (options->bind.method != "rings" && (kind == FileKind::kGlb || kind == FileKind::kGltf)) {
      SINEW_TRY(const BindReport report, bind(asset.rig, options->bind));
      console.warnings(options->out, report.warnings);
    }
    if (is_cancelled(console.progress())) return cancelled();
    SINEW_CHECK(save_asset(asset, options->out, console.overwrite()));
    const Rig& rig = asset.rig;
    console.print(
        {{"kind", options->kind},
         {"vertices", rig.mesh.vertex_count()},
         {"faces", rig.mesh.face_count()},
         {"joints", rig.skeleton.deforming_count()},
         {"output", options->out}},
        fmt::format("{}: {}, {}, {}", options->out, counted(rig.mesh.vertex_count(), "vertex", "vertices"),
                    counted(rig.mesh.face_count(), "face"),
                    counted(rig.skeleton.deforming_count(), "joint")));
    return {};
  });
}

}  // namespace sinew::cli
