// SPDX-License-Identifier: Apache-2.0
#include "render/ticks.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"

namespace sinew::render_detail {
namespace {

std::string number(double value) {
  std::string text;
  append_number(text, value, 6);
  // 1e+06 and 1e-07 as one writes them: 1e6, 1e-7.
  if (const std::size_t e = text.find('e'); e != std::string::npos) {
    std::size_t digits = e + 2;
    while (digits + 1 < text.size() && text[digits] == '0') ++digits;
    text = text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") + text.substr(digits);
  }
  return text;
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0})
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  std::vector<Tick> ticks;
  if (!(step > 0) || !std::isfinite(step)) return ticks;
  // Counting from the first multiple keeps 0 an exact 0.
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last && ticks.size() < 100; ++k) ticks.push_back({k * step, number(k * step)});
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high, int count) {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9)),
            last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  const int thin = std::max(1, (last - first + count - 1) / std::max(count, 1));
  const bool narrow = std::log10(high / low) < 2;
  for (int e = first; e <= last; ++e)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10.0, e);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const bool labelled = digit == 1 ? (e - first) % thin == 0 : narrow && (digit == 2 || digit == 5);
      if (labelled || thin == 1) ticks.push_back({value, labelled ? number(value) : std::string()});
    }
  return ticks;
}

}  // namespace sinew::render_detail
