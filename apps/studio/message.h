// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"

namespace sinew::studio {

// What a request asks for: the path as it was sent, percent codes and all, and the query decoded.
struct Target {
  std::string path;
  std::map<std::string, std::string> query;  // of a name that comes twice, the first
};

// nullopt: not a path of this server ("*", another scheme), a broken percent code, a control character.
std::optional<Target> parse_target(std::string_view text);

// The head of a request, before its body has been read.
struct Head {
  std::string method, target;
  std::vector<std::string> hosts, origins;  // every such header there is
  std::string token;                        // of X-Sinew-Token
  std::optional<std::uint64_t> length;      // of the body; nullopt: it does not say
  bool chunked = false;
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body;
  std::string allow = {};  // the methods, with 405
};

// {"error":{"code":N,"message":"..."}}, the code being the exit code that the command line would have.
Answer refusal(int status, ErrorCode code, const std::string& message);
Answer refusal(int status, const Error& error);

}  // namespace sinew::studio
