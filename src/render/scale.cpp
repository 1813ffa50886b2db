// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "render/chart.h"

namespace sinew::render_detail {
namespace {

// The nearest 1, 2 or 5 times a power of ten at or below (above) a positive value.
double round_log(double value, bool down) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
  double best = down ? power : 10 * power;
  for (const double factor : {2.0, 5.0}) {
    if (down && factor * power <= value * (1 + 1e-9)) best = factor * power;
    if (!down && factor * power >= value * (1 - 1e-9)) best = std::min(best, factor * power);
  }
  return !down && power >= value * (1 - 1e-9) ? power : best;
}

void widen_to_ticks(Scale& scale, const Axis& axis, int count) {
  if (scale.log) {
    if (!axis.low) scale.low = round_log(scale.low, true);
    if (!axis.high) scale.high = round_log(scale.high, false);
    return;
  }
  const std::vector<Tick> ticks = linear_ticks(scale.low, scale.high, count);
  if (ticks.size() < 2) return;
  const double step = ticks[1].value - ticks[0].value;
  if (!axis.low) scale.low = std::floor(scale.low / step + 1e-9) * step;
  if (!axis.high) scale.high = std::ceil(scale.high / step - 1e-9) * step;
}

}  // namespace

bool Scale::shows(double value) const {
  return std::isfinite(value) && (!log || value > 0);
}

double Scale::place(double value) const {
  return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

Result<Scale> make_scale(const Axis& axis, std::span<const double> data, bool with_zero, int tick_count) {
  Scale scale;
  scale.log = axis.log;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : data)
    if (scale.shows(value) && std::abs(value) < 1e300) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (with_zero && !scale.log) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  // The smallest bar of a log plot must still be seen.
  if (with_zero && scale.log) low /= 1.5;
  if (low > high) low = scale.log ? 0.1 : 0, high = 1;
  scale.low = axis.low.value_or(low);
  scale.high = axis.high.value_or(high);
  if (axis.low && axis.high && !(*axis.low < *axis.high))
    return usage_error("an axis must end above its start");
  if (!std::isfinite(scale.low) || !std::isfinite(scale.high) || (scale.log && !(scale.low > 0)))
    return usage_error("an axis must run between finite numbers, a logarithmic one between positive ones");
  // One value alone, or an end named on the wrong side of the data.
  if (!(scale.low < scale.high * (1 - (scale.high > 0 ? 1e-12 : -1e-12)))) {
    const double room = scale.log ? 0 : std::max(std::abs(scale.low) * 0.5, 1e-300);
    const double pivot = axis.high && !axis.low ? scale.high : scale.low;
    if (!axis.low) scale.low = scale.log ? pivot / 3 : pivot - (room > 1e-299 ? room : 1);
    if (!axis.high) scale.high = scale.log ? pivot * 3 : pivot + (room > 1e-299 ? room : 1);
  }
  widen_to_ticks(scale, axis, tick_count);
  scale.ticks = scale.log ? log_ticks(scale.low, scale.high, tick_count)
                          : linear_ticks(scale.low, scale.high, tick_count);
  return scale;
}

}  // namespace sinew::render_detail
