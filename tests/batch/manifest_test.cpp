// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/manifest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace sinew {
namespace {

namespace fs = std::filesystem;

struct ManifestFolder {
  fs::path path = fs::temp_directory_path() / ("sinew-manifest-" + std::to_string(::getpid()));
  ManifestFolder() { fs::create_directories(path); }
  ~ManifestFolder() { fs::remove_all(path); }
  void touch(const std::string& name) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << "x";
  }
};

TEST(Manifest, HoldsWhatItsLinesSay) {
  const auto jobs = parse_manifest(
      "{\"verb\": \"rig\", \"args\": [\"a b.obj\", \"--voxels\", 64], \"out\": \"x/a.glb\"}\n\r\n"
      "  \n{\"out\":\"b.png\",\"verb\":\"render\"}",
      "m");
  ASSERT_TRUE(jobs.ok()) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 2U);
  EXPECT_EQ((*jobs)[0].line, 1U);
  EXPECT_EQ((*jobs)[0].args, (std::vector<std::string>{"a b.obj", "--voxels", "64"}));
  EXPECT_EQ((*jobs)[0].out, "x/a.glb");
  EXPECT_EQ((*jobs)[1].line, 4U);
  EXPECT_TRUE((*jobs)[1].args.empty());
}

TEST(Manifest, NamesTheLineThatIsBroken) {
  const std::string good = "{\"verb\": \"rig\", \"args\": [], \"out\": \"a.glb\"}\n";
  const std::vector<BatchVerb> verbs = {{"rig"}, {"render"}};
  for (const auto& [line, words] : std::vector<std::pair<std::string, std::string>>{
           {"{\"verb\": \"rig\"", "is not JSON"},
           {"[1]", "is not a JSON object"},
           {"{\"args\": [], \"out\": \"b\"}", "no \"verb\""},
           {"{\"verb\": 3, \"out\": \"b\"}", "\"verb\" is not a string"},
           {"{\"verb\": \"rgi\", \"out\": \"b\"}", "did you mean 'rig'"},
           {"{\"verb\": \"rig\"}", "no \"out\""},
           {"{\"verb\": \"rig\", \"out\": \"b\", \"output\": \"c\"}", "unknown key \"output\""},
           {"{\"verb\": \"rig\", \"out\": \"b\", \"args\": \"x\"}", "\"args\" is not a list"},
           {"{\"verb\": \"rig\", \"out\": \"b\", \"args\": [null]}", "neither a string nor a number"},
           {"{\"verb\": \"rig\", \"out\": \"b\", \"args\": [\"-o\", \"c\"]}", "by \"out\""},
           {"{\"verb\": \"rig\", \"out\": \"b\", \"args\": [\"--output=c\"]}", "by \"out\""},
           {"{\"verb\": \"rig\", \"out\": \"\"}", "is empty"},
           {"{\"verb\": \"rig\", \"out\": \"/b\"}", "is absolute"},
           {"{\"verb\": \"rig\", \"out\": \"x/../../b\"}", "has a part '..'"},
           {"{\"verb\": \"rig\", \"out\": \"x//b\"}", "has a part ''"},
           {"{\"verb\": \"rig\", \"out\": \"_batch/b\"}", "the batch itself uses"},
           {"{\"verb\": \"rig\", \"out\": \"index.html\"}", "the batch itself uses"},
           {"{\"verb\": \"rig\", \"out\": \"a\\u0000b\"}", "zero byte"},
           {"{\"verb\": \"rig\", \"out\": \"a.glb\"}", "of line 1"},
           {"{\"verb\": \"rig\", \"out\": \"a.glb/b\"}", "below that of line 1"}}) {
    const auto jobs = parse_manifest(good + "\n" + line + "\n", "m.jsonl", verbs);
    ASSERT_FALSE(jobs.ok()) << line;
    EXPECT_EQ(jobs.error().code, ErrorCode::kBadInput);
    EXPECT_NE(jobs.error().message.find("m.jsonl: line 3 "), std::string::npos) << jobs.error().message;
    EXPECT_NE(jobs.error().message.find(words), std::string::npos) << jobs.error().message;
  }
  EXPECT_EQ(parse_manifest("\n", "m").error().code, ErrorCode::kBadInput);
  EXPECT_EQ(read_manifest("no such file").error().code, ErrorCode::kIo);
}

TEST(Manifest, KeysTellJobsApartAndNotTheirLines) {
  BatchJob job{1, "rig", {"a", "b"}, "c"};
  const std::uint64_t key = job_key(job);
  job.line = 7;
  EXPECT_EQ(job_key(job), key);
  for (const BatchJob& other :
       {BatchJob{1, "rig", {"ab"}, "c"}, BatchJob{1, "rig", {"a", "b"}, "d"}, BatchJob{1, "riga", {"b"}, "c"},
        BatchJob{1, "rig", {"a"}, "bc"}, BatchJob{1, "rig", {"b", "a"}, "c"}})
    EXPECT_NE(job_key(other), key);
}

TEST(Manifest, IsReadAsItWasWritten) {
  const std::vector<BatchJob> jobs = {{1, "rig", {"ä \"b\"\\.obj", "--method", "heat"}, "ä/x.glb"},
                                      {2, "info", {}, "y.txt"}};
  const auto read = parse_manifest(manifest_text(jobs), "m");
  ASSERT_TRUE(read.ok()) << read.error().message;
  for (std::size_t k = 0; k < jobs.size(); ++k) EXPECT_EQ(job_key((*read)[k]), job_key(jobs[k]));
}

TEST(Manifest, IsMadeFromPatterns) {
  const ManifestFolder folder;
  for (const char* name : {"m/b.obj", "m/a.obj", "m/a.ply", "m/sub/a.obj", "m/.hidden", "m/note.txt"})
    folder.touch(name);
  fs::create_directories(folder.path / "m/folder.obj");
  const std::string base = folder.path.string() + "/m/";
  const std::vector<std::string> patterns = {base + "*.obj", base + "*.ply", base + "*/*.obj", base + "a.*"};
  const std::vector<std::string> options = {"--method", "heat"};
  const auto jobs = make_manifest("rig", patterns, options, ".glb");
  ASSERT_TRUE(jobs.ok()) << jobs.error().message;
  std::vector<std::string> outs;
  for (const BatchJob& job : *jobs) {
    outs.push_back(job.out);
    ASSERT_EQ(job.args.size(), 3U);
    EXPECT_TRUE(fs::exists(job.args[0]));
    EXPECT_EQ(job.args[2], "heat");
  }
  EXPECT_EQ(outs, (std::vector<std::string>{"a.obj.glb", "a.ply.glb", "b.glb", "sub/a.glb"}));
  const std::vector<std::string> none = {base + "*.fbx"};
  const auto nothing = make_manifest("rig", none, {}, ".glb");
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().code, ErrorCode::kIo);
  EXPECT_NE(nothing.error().message.find("*.fbx"), std::string::npos);
}

TEST(Manifest, RefusesFileNamesThatJsonCannotHold) {
  const ManifestFolder folder;
  folder.touch("a\xff.obj");
  const std::vector<std::string> patterns = {folder.path.string() + "/*.obj"};
  const auto jobs = make_manifest("rig", patterns, {}, ".glb");
  ASSERT_FALSE(jobs.ok());
  EXPECT_NE(jobs.error().message.find("not UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace sinew
