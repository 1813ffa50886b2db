// SPDX-License-Identifier: Apache-2.0
#include "sinew/batch/manifest.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "batch/folder.h"
#include "sinew/core/suggest.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

using nlohmann::json;

// FNV-1a, 64 bits; the lengths are part of it, so that no two lists of words look alike.
class KeyHash {
 public:
  void add(std::string_view text) {
    for (std::size_t rest = text.size(), k = 0; k < 8; ++k, rest >>= 8)
      byte(static_cast<unsigned char>(rest & 255));
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return value_; }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 1099511628211ULL; }
  std::uint64_t value_ = 14695981039346656037ULL;
};

// What is wrong with an output; empty: nothing.
std::string output_fault(const std::string& out) {
  if (out.empty()) return "is empty";
  if (out.find('\0') != std::string::npos) return "holds a zero byte";
  if (out.front() == '/') return "is absolute: outputs lie in the folder of the batch";
  if (out.back() == '/') return "ends with '/'";
  for (std::size_t from = 0; from <= out.size();) {
    const std::size_t end = std::min(out.find('/', from), out.size());
    const std::string_view part = std::string_view(out).substr(from, end - from);
    if (part.empty() || part == "." || part == "..") return "has a part '" + std::string(part) + "'";
    from = end + 1;
  }
  if (is_own_name(out)) return "is a name that the batch itself uses";
  return {};
}

Result<std::string> text_member(const json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end()) return bad_input(fmt::format("has no \"{}\"", key));
  if (!found->is_string()) return bad_input(fmt::format("\"{}\" is not a string", key));
  return found->get<std::string>();
}

Result<std::vector<std::string>> arguments_of(const json& document) {
  const auto found = document.find("args");
  if (found == document.end()) return std::vector<std::string>{};
  if (!found->is_array()) return bad_input("\"args\" is not a list");
  std::vector<std::string> args;
  for (const json& word : *found) {
    if (!word.is_string() && !word.is_number())
      return bad_input("\"args\" holds something that is neither a string nor a number");
    std::string text = word.is_string() ? word.get<std::string>() : word.dump();
    if (text.find('\0') != std::string::npos) return bad_input("\"args\" holds a zero byte");
    if (text == "-o" || text == "--output" || text.starts_with("--output="))
      return bad_input("\"args\" holds " + text + ": name the output by \"out\"");
    args.push_back(std::move(text));
  }
  return args;
}

Result<BatchJob> parse_job(std::string_view line, std::span<const BatchVerb> verbs) {
  const json document = json::parse(line, nullptr, false);
  if (document.is_discarded()) return bad_input("is not JSON");
  if (!document.is_object()) return bad_input("is not a JSON object");
  for (const auto& [key, value] : document.items())
    if (key != "verb" && key != "args" && key != "out")
      return bad_input(fmt::format("has an unknown key \"{}\"; a job has \"verb\", \"args\" and \"out\"",
                                   printable(key, 60)));
  BatchJob job;
  SINEW_TRY(job.verb, text_member(document, "verb"));
  SINEW_TRY(job.args, arguments_of(document));
  SINEW_TRY(job.out, text_member(document, "out"));
  if (const std::string fault = output_fault(job.out); !fault.empty())
    return bad_input(fmt::format("\"out\" '{}' {}", printable(job.out), fault));
  const auto known =
      std::find_if(verbs.begin(), verbs.end(), [&](const BatchVerb& verb) { return verb.name == job.verb; });
  if (!verbs.empty() && known == verbs.end()) {
    std::vector<std::string_view> names;
    for (const BatchVerb& verb : verbs) names.push_back(verb.name);
    return bad_input(fmt::format("has no verb that a batch can run, '{}'{}", printable(job.verb, 60),
                                 did_you_mean(job.verb, names)));
  }
  return job;
}

// The folder that all files share, with its '/'; empty where there is none.
std::string common_folder(const std::vector<std::string>& files) {
  std::string common = files.front().substr(0, files.front().rfind('/') + 1);
  for (const std::string& file : files)
    while (!file.starts_with(common)) {
      common.pop_back();
      common.resize(common.rfind('/') == std::string::npos ? 0 : common.rfind('/') + 1);
    }
  return common;
}

std::string without_extension(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  const std::size_t slash = file.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return dot == std::string::npos || dot <= begin ? file : file.substr(0, dot);
}

Result<std::vector<std::string>> matches_of(const std::string& pattern) {
  glob_t found{};
  const int code = ::glob(pattern.c_str(), GLOB_MARK, nullptr, &found);
  std::vector<std::string> files;
  for (std::size_t k = 0; code == 0 && k < found.gl_pathc; ++k)
    if (std::string file = found.gl_pathv[k]; !file.ends_with('/')) files.push_back(std::move(file));
  ::globfree(&found);
  if (files.empty()) return io_error(fmt::format("'{}': no file matches", printable(pattern, 400)));
  return files;
}

}  // namespace

std::uint64_t job_key(const BatchJob& job) {
  KeyHash hash;
  hash.add(job.verb);
  for (const std::string& word : job.args) hash.add(word);
  hash.add(job.out);
  return hash.value();
}

Result<std::vector<BatchJob>> parse_manifest(std::string_view text, const std::string& name,
                                             std::span<const BatchVerb> verbs) {
  std::vector<BatchJob> jobs;
  std::unordered_map<std::string, std::size_t> lines;  // of the outputs
  LineReader reader(text);
  while (reader.next_line()) {
    if (reader.line().find_first_not_of(" \t") == std::string_view::npos) continue;
    Result<BatchJob> job = parse_job(reader.line(), verbs);
    if (!job)
      return bad_input(
          fmt::format("{}: line {} {}", printable(name, 400), reader.line_number(), job.error().message));
    job->line = reader.line_number();
    const auto [earlier, is_new] = lines.emplace(job->out, job->line);
    if (!is_new)
      return bad_input(fmt::format("{}: line {} has the \"out\" of line {}, '{}'", printable(name, 400),
                                   job->line, earlier->second, printable(job->out)));
    jobs.push_back(*std::move(job));
  }
  // "a" cannot be a file while "a/b" needs it as a folder.
  for (const BatchJob& job : jobs)
    for (std::size_t slash = job.out.find('/'); slash != std::string::npos;
         slash = job.out.find('/', slash + 1))
      if (const auto outer = lines.find(job.out.substr(0, slash)); outer != lines.end())
        return bad_input(fmt::format("{}: line {} has an \"out\" below that of line {}, '{}'",
                                     printable(name, 400), job.line, outer->second, printable(outer->first)));
  if (jobs.empty()) return bad_input(fmt::format("{}: holds no job", printable(name, 400)));
  return jobs;
}

Result<std::vector<BatchJob>> read_manifest(const std::filesystem::path& path,
                                            std::span<const BatchVerb> verbs) {
  SINEW_TRY(const std::string text, read_file(path));
  return parse_manifest(text, path.string(), verbs);
}

std::string manifest_text(std::span<const BatchJob> jobs) {
  std::string text;
  for (const BatchJob& job : jobs) {
    const nlohmann::ordered_json document = {{"verb", job.verb}, {"args", job.args}, {"out", job.out}};
    text += document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  }
  return text;
}

Result<std::vector<BatchJob>> make_manifest(const std::string& verb, std::span<const std::string> patterns,
                                            std::span<const std::string> options,
                                            const std::string& extension) {
  std::set<std::string> found;
  for (const std::string& pattern : patterns) {
    SINEW_TRY(const std::vector<std::string> files, matches_of(pattern));
    found.insert(files.begin(), files.end());
  }
  if (found.empty()) return usage_error("no file is named");
  const std::vector<std::string> files(found.begin(), found.end());
  const std::string folder = common_folder(files);
  std::map<std::string, int> stems;
  for (const std::string& file : files) ++stems[without_extension(file.substr(folder.size()))];
  std::vector<BatchJob> jobs;
  for (const std::string& file : files) {
    const std::string name = file.substr(folder.size());
    const std::string stem = without_extension(name);
    BatchJob& job = jobs.emplace_back();
    job.line = jobs.size();
    job.verb = verb;
    job.args.push_back(file);
    job.args.insert(job.args.end(), options.begin(), options.end());
    job.out = (stems[stem] > 1 ? name : stem) + extension;
  }
  // Read back: a name that JSON cannot hold would be another one.
  SINEW_TRY(std::vector<BatchJob> read, parse_manifest(manifest_text(jobs), "the manifest"));
  for (std::size_t k = 0; k < jobs.size(); ++k)
    if (job_key(read[k]) != job_key(jobs[k]))
      return bad_input(
          fmt::format("'{}': a name that is not UTF-8; rename the file", printable(files[k], 400)));
  return read;
}

}  // namespace sinew
