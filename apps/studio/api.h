// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "file_store.h"
#include "guard.h"
#include "jobs.h"
#include "message.h"
#include "page.h"

namespace sinew::studio {

// Whether a request may send its body.
struct Admission {
  std::optional<Answer> refusal;
  FileStore::Room room;  // for `answer`
  bool known = false;    // it came with the token
};

// What the server answers, knowing nothing of sockets. docs/studio.md lists the routes.
class Api {
 public:
  static constexpr std::uint64_t kMostJson = 1 << 20;

  // `file` is the id of the file of the command line, or empty.
  Api(Guard guard, Page page, FileStore& files, Jobs& jobs, std::string file);

  // Asked when the head is there, before a byte of the body is read.
  Admission admit(const Head& head);
  // Asked when the body is there too; the head was admitted with this room. May be called on any thread.
  Answer answer(const Head& head, std::string body, FileStore::Room room);

  // Whether answering takes time that grows with the body.
  static bool is_slow(const Head& head);

 private:
  Answer page(const Target& target) const;
  Answer session();
  Answer rig();
  Answer upload(const Target& target, std::string body);
  Answer file(const std::string& method, const std::string& id);
  Answer start_job(const std::string& body);
  Answer job(const std::string& method, const std::string& id);

  Guard guard_;
  Page page_;
  FileStore& files_;
  Jobs& jobs_;
  std::string file_;
};

}  // namespace sinew::studio
