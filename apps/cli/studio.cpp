// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "sinew/io/asset.h"
#include "sinew/io/write_mesh.h"
#include "verbs.h"
#ifdef SINEW_HAVE_STUDIO
#include "studio/browser.h"
#include "studio/server.h"
#endif

namespace sinew::cli {
namespace {

struct StudioArguments {
  std::string in, page;
  std::uint16_t port = 0;
  bool no_open = false;
};

#ifdef SINEW_HAVE_STUDIO

// The file as the page will get it, read once here so that a broken one is known before anything starts.
Result<void> give_file(const StudioArguments& options, const Console& console,
                       studio::ServerOptions& server) {
  if (options.in.empty()) return {};
  SINEW_TRY(const Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  const std::filesystem::path path = options.in;
  if (kind_of(path) == FileKind::kGltf) {
    // What lies beside a .gltf the page could not open.
    server.file_name = path.stem().string() + ".glb";
    SINEW_TRY(server.file_bytes, write_gltf(asset.rig, asset.document.get()));
  } else {
    server.file_name = path.filename().string();
    SINEW_TRY(server.file_bytes, read_file(path, server.limits.files.file_bytes));
  }
  return {};
}

Result<void> give_page(const StudioArguments& options, const Console& console,
                       studio::ServerOptions& server) {
  const std::filesystem::path folder =
      options.page.empty() ? studio::find_page_folder() : std::filesystem::path(options.page);
  if (folder.empty()) {
    console.warn("the page is not built; `./dev page` in a checkout builds it");
    return {};
  }
  SINEW_TRY(server.page, studio::Page::load(folder));
  return {};
}

Result<void> run_studio(const StudioArguments& options, const Console& console) {
  studio::ServerOptions wanted;
  wanted.port = options.port;
  SINEW_CHECK(give_file(options, console, wanted));
  SINEW_CHECK(give_page(options, console, wanted));
  SINEW_TRY(const auto server, studio::Server::open(std::move(wanted)));
  std::puts(server->address().c_str());
  SINEW_CHECK(flush_output());
  if (options.no_open)
    console.note("open this address in a browser on this computer; Ctrl-C ends the server");
  else if (studio::open_browser(server->address()))
    console.note("the page opens in the browser; Ctrl-C ends the server");
  else
    console.warn("no browser could be started: open the address yourself; Ctrl-C ends the server");
  // A job that does not look up cannot be waited for; it has written nothing.
  if (!server->run()) _exit(0);
  return {};
}

#else

Result<void> run_studio(const StudioArguments&, const Console&) {
  return impossible("this program was built without the studio; './dev studio' in a checkout adds it");
}

#endif

}  // namespace

void add_studio(Program& program) {
  auto options = std::make_shared<StudioArguments>();
  const Verb verb = add_verb(program, "studio", "view, pose and compare a rig in the browser",
                             "  sinew studio biped.glb\n"
                             "  sinew studio body.obj --no-open --port 8080\n");
  verb.option("IN", options->in, "the file to open first: .glb, .gltf, .obj, .ply, .off, .stl");
  verb.flag("--no-open", options->no_open, "print the address, but do not start a browser");
  verb.option("--port", options->port, "listen on this port (default: any free port)").range(0, 65535);
  verb.option("--page", options->page, "the folder of the built page (default: beside the program)");
  verb.footer(
      "The page is served to this computer only (127.0.0.1), and only with the token in the address, which "
      "is\nthe first line of stdout. Ctrl-C or SIGTERM stops the server: exit 0.");
  verb.runs([&program, options] { return run_studio(*options, program.console); });
}

}  // namespace sinew::cli
