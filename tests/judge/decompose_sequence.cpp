// SPDX-License-Identifier: Apache-2.0
// Fits helpers and weights to a sequence that tools/judge_decomposition wrote, as another solver's driver does.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <vector>

#include "sinew/weights/skin_fit.h"

namespace {

using namespace sinew;

template <class T>
std::vector<T> numbers(std::ifstream& in, std::size_t count) {
  std::vector<T> values(count);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  return values;
}

template <class T>
void put(std::ofstream& out, const std::vector<T>& values) {
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
}

struct Job {
  SkinSequence sequence;
  SkinWeights start;
  DecomposeOptions options;
};

Job read_job(std::ifstream& in) {
  Job job;
  const auto sizes = numbers<std::int32_t>(in, 6);
  const auto n = static_cast<std::size_t>(sizes[0]), faces = static_cast<std::size_t>(sizes[3]);
  SkinSequence& sequence = job.sequence;
  sequence.joints = static_cast<std::size_t>(sizes[1]);
  sequence.frames = static_cast<std::size_t>(sizes[2]);
  job.options.helpers = static_cast<std::size_t>(sizes[4]);
  job.options.influences = static_cast<std::size_t>(sizes[5]);
  const auto rest = numbers<double>(in, 3 * n);
  for (std::size_t i = 0; i < n; ++i) sequence.rest.emplace_back(Eigen::Map<const Vec3>(&rest[3 * i]));
  const auto moves = numbers<double>(in, sequence.joints * sequence.frames * 12);
  for (std::size_t m = 0; m < sequence.joints * sequence.frames; ++m) {
    Affine3 move = Affine3::Identity();
    move.matrix().topRows<3>() =
        Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>>(&moves[12 * m]);
    sequence.moves.push_back(move);
  }
  const auto shapes = numbers<float>(in, n * sequence.frames * 3);
  for (std::size_t s = 0; s < n * sequence.frames; ++s)
    sequence.shapes.emplace_back(Eigen::Map<const Vec3f>(&shapes[3 * s]));
  numbers<std::int32_t>(in, 3 * faces);
  const auto weights = numbers<double>(in, n * sequence.joints);
  job.start.offsets.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Influence> row;
    for (std::uint32_t j = 0; j < sequence.joints; ++j)
      if (const double w = weights[i * sequence.joints + j]; w > 0) row.push_back({j, w});
    job.start.add_row(row);
  }
  for (const std::int32_t parent : numbers<std::int32_t>(in, sequence.joints))
    sequence.parents.push_back(parent);
  return job;
}

void write_result(std::ofstream& out, const SkinFit& fit, std::size_t joints) {
  const std::size_t n = fit.sequence().vertices(), frames = fit.sequence().frames,
                    known = fit.sequence().joints + fit.helpers().size();
  put(out, std::vector<std::int32_t>{static_cast<std::int32_t>(n), static_cast<std::int32_t>(joints),
                                     static_cast<std::int32_t>(frames), 0});
  std::vector<double> weights(n * joints), moves;
  for (std::size_t i = 0; i < n; ++i)
    for (const Influence& entry : fit.row(i)) weights[i * joints + entry.joint] = entry.weight;
  put(out, weights);
  for (std::size_t j = 0; j < joints; ++j)
    for (std::size_t k = 0; k < frames; ++k) {
      const Affine3 move = j < known ? fit.move(j, k) : Affine3::Identity();
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) moves.push_back(move.matrix()(r, c));
    }
  put(out, moves);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fputs("usage: judge_decompose SEQUENCE RESULT\n", stderr), 2;
  std::ifstream in(words[1], std::ios::binary);
  Job job = read_job(in);
  if (!in) return std::fputs("the sequence cannot be read\n", stderr), 3;
  const std::size_t joints = job.sequence.joints + job.options.helpers;
  const std::clock_t start = std::clock();
  const auto fit = decompose_skin(std::move(job.sequence), job.start, job.options);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!fit) return std::fprintf(stderr, "%s\n", fit.error().message.c_str()), 4;
  std::ofstream out(words[2], std::ios::binary);
  write_result(out, *fit, joints);
  std::printf("{\"seconds\": %.3f, \"helpers\": %zu}\n", seconds, fit->helpers().size());
  return out ? 0 : 5;
}
