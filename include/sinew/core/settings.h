// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>

namespace sinew {

/// A value for each of several things that have names: joints, bones.
using NamedNumbers = std::map<std::string, double, std::less<>>;
using NamedWords = std::map<std::string, std::string, std::less<>>;

/// What a file or a user says about one setting.
using Setting = std::variant<bool, double, std::string, NamedNumbers, NamedWords>;
using Settings = std::map<std::string, Setting, std::less<>>;

}  // namespace sinew
