// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "io/bytes.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

using Frames = std::vector<std::vector<Vec3f>>;

Result<void> check(const Frames& frames, double fps) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (frames.empty()) return usage_error("a vertex cache needs at least one frame");
  if (!(fps > 0 && fps < 1e6))
    return usage_error("a vertex cache needs a number of frames per second above 0");
  if (frames.size() > kMost || frames[0].size() > kMost)
    return usage_error("a vertex cache holds at most 2147483647 frames and vertices");
  for (std::size_t k = 0; k < frames.size(); ++k)
    if (frames[k].size() != frames[0].size())
      return usage_error("frame " + std::to_string(k) + " has " + std::to_string(frames[k].size()) +
                         " vertices, but frame 0 has " + std::to_string(frames[0].size()));
  for (std::size_t k = 0; k < frames.size(); ++k)
    for (std::size_t i = 0; i < frames[k].size(); ++i)
      if (!frames[k][i].allFinite())
        return impossible("vertex " + std::to_string(i) + " of frame " + std::to_string(k) +
                          " is beyond what a vertex cache can hold: scale the mesh down");
  return {};
}

void append_positions(std::string& out, const Frames& frames, io::ByteOrder order) {
  out.reserve(out.size() + 12 * frames.size() * frames[0].size());
  for (const auto& frame : frames)
    for (const Vec3f& position : frame)
      for (int axis = 0; axis < 3; ++axis) io::append(out, position[axis], order);
}

}  // namespace

// POINTCACHE2: little endian; version, vertices, first frame, frames a sample, samples, then the positions.
// The format counts in frames and does not know how long one lasts.
Result<std::string> write_pc2(const Frames& frames, double fps) {
  SINEW_CHECK(check(frames, fps));
  constexpr auto kOrder = io::ByteOrder::kLittle;
  std::string out("POINTCACHE2\0", 12);
  io::append(out, std::int32_t{1}, kOrder);
  io::append(out, static_cast<std::int32_t>(frames[0].size()), kOrder);
  io::append(out, 0.0f, kOrder);
  io::append(out, 1.0f, kOrder);
  io::append(out, static_cast<std::int32_t>(frames.size()), kOrder);
  append_positions(out, frames, kOrder);
  return out;
}

// MDD: big endian; frames, vertices, the time of each frame in seconds, then the positions.
Result<std::string> write_mdd(const Frames& frames, double fps) {
  SINEW_CHECK(check(frames, fps));
  constexpr auto kOrder = io::ByteOrder::kBig;
  std::string out;
  io::append(out, static_cast<std::int32_t>(frames.size()), kOrder);
  io::append(out, static_cast<std::int32_t>(frames[0].size()), kOrder);
  for (std::size_t k = 0; k < frames.size(); ++k)
    io::append(out, static_cast<float>(static_cast<double>(k) / fps), kOrder);
  append_positions(out, frames, kOrder);
  return out;
}

}  // namespace sinew
