// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sinew {

/// The names that a user may have meant by `word`, best first and at most three: those that differ by case or
/// a few letters (a third of the word at most, swapped neighbours count once), else those that hold the word,
/// with a fifth of its letters wrong at most.
/// "; did you mean 'LeftArm'?" or "; did you mean 'LeftArm' or 'LeftHand'?", to stand behind a message; empty
/// where nothing is alike. Looks at no more than the first 64 characters of a name.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}  // namespace sinew
