// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include <sys/random.h>

#include <cstdlib>

#include "sinew/core/text.h"

namespace sinew::studio {

std::string random_id() {
  unsigned char bytes[16];
  // Up to 256 bytes come whole once the system has started; without randomness nothing here is safe.
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) std::abort();
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differs = static_cast<unsigned char>(differs | (a[i] ^ b[i]));
  return differs == 0;
}

Guard::Guard(std::uint16_t port, std::string token)
    : address_("127.0.0.1:" + std::to_string(port)),
      name_("localhost:" + std::to_string(port)),
      token_(std::move(token)) {}

bool Guard::is_own_host(std::string_view host) const {
  return host == address_ || equals_ignoring_case(host, name_);
}

bool Guard::knows_token(const Head& head, const Target& target) const {
  const auto in_query = target.query.find("token");
  const std::string& given =
      !head.token.empty() || in_query == target.query.end() ? head.token : in_query->second;
  return equal_in_constant_time(given, token_);
}

std::optional<Answer> Guard::refuse(const Head& head, const Target& target) const {
  // A name of somebody else that leads to this computer would make a stranger's page one of ours.
  if (head.hosts.size() != 1 || !is_own_host(head.hosts[0]))
    return refusal(403, ErrorCode::kUsage, "this server answers to http://" + address_ + " alone");
  for (const std::string& origin : head.origins)
    if (head.origins.size() != 1 || !origin.starts_with("http://") || !is_own_host(origin.substr(7)))
      return refusal(403, ErrorCode::kUsage, "only the page of this server may send requests");
  if (target.path != "/api" && !target.path.starts_with("/api/")) return std::nullopt;
  if (knows_token(head, target)) return std::nullopt;
  return refusal(401, ErrorCode::kUsage,
                 "the token is missing or wrong: open the address that `sinew studio` printed");
}

}  // namespace sinew::studio
