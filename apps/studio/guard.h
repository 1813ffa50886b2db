// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "message.h"

namespace sinew::studio {

// 128 bits from the system's source of randomness, as 32 hexadecimal digits.
std::string random_id();

// Takes as long whatever the texts hold; only their lengths may be learned from it.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// Who may ask: pages of this server alone, and under /api/ only those who know the token.
class Guard {
 public:
  Guard(std::uint16_t port, std::string token);

  // 403: a Host or Origin that is not this server's, or a Host that is missing or comes twice. 401: under
  // /api/ without the token. nullopt: may pass.
  std::optional<Answer> refuse(const Head& head, const Target& target) const;
  bool knows_token(const Head& head, const Target& target) const;

 private:
  bool is_own_host(std::string_view host) const;

  std::string address_, name_, token_;
};

}  // namespace sinew::studio
