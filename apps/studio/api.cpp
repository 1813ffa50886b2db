// SPDX-License-Identifier: Apache-2.0
#include "api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"
#include "sinew/core/version.h"
#include "sinew/io/gltf.h"
#include "sinew/player/deformers.h"
#include "sinew/report/job_request.h"

namespace sinew::studio {
namespace {

enum class Route { kPage, kSession, kRig, kFiles, kFile, kJobs, kJob, kNothing };

struct Match {
  Route route = Route::kNothing;
  std::string id;
  const char* methods = "";
};

Match match(const std::string& path) {
  const auto below = [&](std::string_view prefix) {
    return path.starts_with(prefix) && path.size() > prefix.size() ? path.substr(prefix.size())
                                                                   : std::string();
  };
  if (path == "/api/session") return {Route::kSession, "", "GET, HEAD"};
  if (path == "/api/rig") return {Route::kRig, "", "GET, HEAD"};
  if (path == "/api/files") return {Route::kFiles, "", "POST"};
  if (path == "/api/jobs") return {Route::kJobs, "", "POST"};
  if (std::string id = below("/api/files/"); !id.empty())
    return {Route::kFile, std::move(id), "GET, HEAD, DELETE"};
  if (std::string id = below("/api/jobs/"); !id.empty())
    return {Route::kJob, std::move(id), "GET, HEAD, DELETE"};
  if (path == "/api" || path.starts_with("/api/")) return {};
  return {Route::kPage, "", "GET, HEAD"};
}

bool allows(const Match& found, std::string_view method) {
  std::string_view list = found.methods;
  for (;;) {
    const std::size_t comma = list.find(", ");
    if (list.substr(0, comma) == method) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 2);
  }
}

Answer json(const Json& document) {
  Answer answer;
  // Names in files need not be UTF-8: what is not becomes U+FFFD rather than an exception.
  answer.body =
      std::make_shared<const std::string>(document.dump(-1, ' ', false, Json::error_handler_t::replace));
  return answer;
}

Json to_json(const StoredFile& file) {
  return {{"id", file.id}, {"name", file.name}, {"size", file.bytes->size()}};
}

const char* name_of(JobState state) {
  switch (state) {
    case JobState::kDone:
      return "done";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
    default:
      return "running";
  }
}

Json to_json(const JobStatus& status) {
  Json document = {{"id", status.id},       {"kind", status.kind},         {"state", name_of(status.state)},
                   {"stage", status.stage}, {"fraction", status.fraction}, {"seconds", status.seconds}};
  if (status.state == JobState::kDone)
    document["result"] = {
        {"file", status.file}, {"name", status.name}, {"report", status.report}, {"text", status.text}};
  if (status.state == JobState::kFailed)
    document["error"] = {{"code", static_cast<int>(status.error.code)}, {"message", status.error.message}};
  return document;
}

template <class Methods>
Json names_and_summaries(const Methods& methods) {
  Json list = Json::array();
  for (const auto& method : methods) list.push_back({{"name", method.name}, {"summary", method.summary}});
  return list;
}

Answer not_found(const std::string& message) {
  return refusal(404, ErrorCode::kIo, message);
}

std::string name_of_upload(const Target& target) {
  const auto named = target.query.find("name");
  return named == target.query.end() ? "" : named->second;
}

bool is_gltf(std::string_view name) {
  return equals_ignoring_case(name.substr(name.rfind('.') + 1), "gltf");
}

// Bodies belong to the two routes that take one.
std::optional<Answer> wrong_length(const Head& head, Route route, std::uint64_t most) {
  if (route != Route::kFiles && route != Route::kJobs) {
    if (!head.chunked && head.length.value_or(0) == 0) return std::nullopt;
    return refusal(400, ErrorCode::kUsage, "a request like this has no body");
  }
  if (head.chunked || !head.length)
    return refusal(411, ErrorCode::kUsage, "a body needs a Content-Length header");
  if (*head.length <= most) return std::nullopt;
  return refusal(413, ErrorCode::kLimit,
                 fmt::format("{} bytes are too many: at most {} are accepted", *head.length, most));
}

}  // namespace

Api::Api(Guard guard, Page page, FileStore& files, Jobs& jobs, std::string file)
    : guard_(std::move(guard)), page_(std::move(page)), files_(files), jobs_(jobs), file_(std::move(file)) {}

Admission Api::admit(const Head& head) {
  const auto target = parse_target(head.target);
  // The guard comes first, whatever the rest of the request is like.
  if (auto refused = guard_.refuse(head, target.value_or(Target{}))) return {refused, {}};
  const bool known = guard_.knows_token(head, target.value_or(Target{}));
  if (!target) return {refusal(400, ErrorCode::kUsage, "the server has no such address"), {}};
  const Match found = match(target->path);
  if (found.route == Route::kNothing)
    return {not_found("there is nothing at " + printable(target->path)), {}};
  if (!allows(found, head.method)) {
    Answer answer = refusal(405, ErrorCode::kUsage, fmt::format("only {} is allowed here", found.methods));
    answer.allow = found.methods;
    return {answer, {}};
  }
  const std::uint64_t most = found.route == Route::kFiles ? files_.limits().file_bytes : kMostJson;
  if (auto refused = wrong_length(head, found.route, most)) return {refused, {}};
  if (found.route != Route::kFiles) return {std::nullopt, {}, known};
  auto room = files_.reserve(*head.length);
  if (!room.ok()) return {refusal(413, room.error()), {}};
  return {std::nullopt, *std::move(room), known};
}

bool Api::is_slow(const Head& head) {
  const auto target = parse_target(head.target);
  return target && match(target->path).route == Route::kFiles && is_gltf(name_of_upload(*target));
}

Answer Api::answer(const Head& head, std::string body, FileStore::Room room) {
  const Target target = parse_target(head.target).value_or(Target{});
  const Match found = match(target.path);
  switch (found.route) {
    case Route::kPage:
      return page(target);
    case Route::kSession:
      return session();
    case Route::kRig:
      return rig();
    case Route::kFiles:
      room.reset();  // the file itself takes its place
      return upload(target, std::move(body));
    case Route::kFile:
      return file(head.method, found.id);
    case Route::kJobs:
      return start_job(body);
    case Route::kJob:
      return job(head.method, found.id);
    default:
      return not_found("there is nothing here");
  }
}

Answer Api::page(const Target& target) const {
  const PageFile* file = page_.find(target.path);
  if (!file) return not_found("there is nothing at " + printable(target.path));
  Answer answer;
  answer.type = file->type;
  answer.body = file->bytes;
  return answer;
}

Answer Api::session() {
  const auto given = files_.find(file_);
  Json session = {{"version", version()},
                  {"file", given ? to_json(*given) : Json(nullptr)},
                  {"deformers", names_and_summaries(deformer_methods())}};
  session.update(job_choices());
  session["limits"] = {{"bytes", files_.limits().file_bytes}};
  return json(session);
}

Answer Api::rig() {
  const auto given = files_.find(file_);
  if (!given) return not_found("no file was given on the command line: open one in the page");
  return json(to_json(*given));
}

Answer Api::upload(const Target& target, std::string body) {
  const std::string name = name_of_upload(target);
  if (name.empty())
    return refusal(400, ErrorCode::kUsage,
                   "give the file a name with ?name=; its extension gives the format");
  // Other files cannot come along with a .gltf: better said now than when a job opens it.
  if (is_gltf(name))
    if (const auto whole = read_gltf_alone(body, printable(name)); !whole.ok())
      return refusal(400, whole.error());
  const auto stored = files_.add(name, std::move(body));
  if (!stored.ok()) return refusal(413, stored.error());
  return json(to_json(*stored));
}

Answer Api::file(const std::string& method, const std::string& id) {
  const auto stored = files_.find(id);
  if (!stored) return not_found("this file is not stored here, or no longer");
  if (method == "DELETE") {
    files_.remove(id);
    return json(to_json(*stored));
  }
  Answer answer;
  answer.type = "application/octet-stream";
  answer.body = stored->bytes;
  return answer;
}

Answer Api::start_job(const std::string& body) {
  auto request = parse_job(body, [&](const std::string& id) -> Result<JobFile> {
    if (const auto stored = files_.find(id)) return *stored;
    return io_error("this file is not stored here, or no longer: send it again");
  });
  if (!request.ok()) return refusal(request.error().code == ErrorCode::kIo ? 404 : 400, request.error());
  const auto id = jobs_.start(request->kind, std::move(request->work));
  if (!id) return refusal(409, ErrorCode::kLimit, "a job is running; wait for it, or cancel it");
  return json({{"id", *id}});
}

Answer Api::job(const std::string& method, const std::string& id) {
  if (method == "DELETE") jobs_.cancel(id);
  const auto status = jobs_.status(id);
  return status ? json(to_json(*status)) : not_found("there is no such job, or no longer");
}

}  // namespace sinew::studio
