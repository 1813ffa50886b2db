// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "choices.h"
#include "job.h"
#include "nouns.h"
#include "sinew/core/parallel.h"

namespace sinew::python {
namespace {

using Floats = nb::ndarray<float, nb::c_contig, nb::device::cpu>;
using MaybeDoubles = std::optional<Doubles>;

// Whether all of them are finite, by their exponents: in strides that memory, not this, takes the time of.
[[gnu::always_inline]] inline bool have_finite_exponents(const float* numbers, std::size_t count) {
  using Bits [[gnu::vector_size(32)]] = std::int32_t;
  constexpr std::int32_t kExponent = 0x7f800000;
  constexpr std::size_t kWidth = sizeof(Bits) / sizeof(float), kLanes = 4;
  Bits bad[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes * kWidth <= count; k += kLanes * kWidth)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      Bits some;
      std::memcpy(&some, numbers + k + lane * kWidth, sizeof some);
      bad[lane] |= (some & kExponent) == kExponent;
    }
  const Bits all = bad[0] | bad[1] | bad[2] | bad[3];
  std::int32_t any = 0;
  for (std::size_t entry = 0; entry < kWidth; ++entry) any |= all[entry];
  for (; k < count; ++k)
    any |= static_cast<std::int32_t>((std::bit_cast<std::int32_t>(numbers[k]) & kExponent) == kExponent);
  return any == 0;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] bool are_finite_avx2(const float* numbers, std::size_t count) {
  return have_finite_exponents(numbers, count);
}
#endif

bool are_finite(const float* numbers, std::size_t count) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) return are_finite_avx2(numbers, count);
#endif
  return have_finite_exponents(numbers, count);
}

// A deformer that is built, and memory for every thread that runs it.
class Player {
 public:
  Player(const RigObject& rig, const nb::dict& settings, const nb::object& progress) : asset_(rig.asset) {
    DeformChoice choice;
    choice.stack = stack_of(rig.rig(), settings);
    choice.progress = &live_;  // kept by deformers that solve
    std::optional<Result<ReadyDeformer>> made;
    run_job(progress, live_, cancel_, [&] { made.emplace(ready_deformer(asset_->rig, choice)); });
    ready_.emplace(value_of(std::move(*made)));
    name_ = deformer_of(choice.stack);
  }

  const RigDeformer& deformer() const { return ready_->deformer; }
  const std::string& name() const { return name_; }
  const std::vector<std::string>& warnings() const { return ready_->made; }

  nb::object faces() const {
    const PolyMesh& mesh = shown_mesh(asset_->rig, deformer());
    return nb::cast(MeshObject{std::make_shared<const PolyMesh>(mesh)});
  }

  void play(const Doubles& locals, const MaybeDoubles& keys, const MaybeDoubles& bones,
            const Floats& positions, const std::optional<Floats>& normals, bool checks,
            const nb::object& progress) {
    Frames frames{locals.data(),    keys ? keys->data() : nullptr,       bones ? bones->data() : nullptr,
                  positions.data(), normals ? normals->data() : nullptr, locals.shape(0),
                  locals.shape(1),  keys ? keys->shape(1) : 0,           checks};
    // Of this call alone, as other threads may play at the same time; what solves within a frame knows cancel_.
    Progress live;
    std::atomic<bool> stop = false;
    std::optional<Error> failure;
    // What takes no longer than a look for signals needs no thread that waits: to start one costs as much as
    // some frames. How long frames take is known from the call before.
    const auto start = Clock::now();
    if (progress.is_none() && frame_seconds_ * static_cast<double>(frames.count) < kShortCall) {
      const nb::gil_scoped_release released;
      failure = run(frames, live);
    } else {
      run_job(
          progress, live, stop, [&] { failure = run(frames, live); }, &cancel_);
    }
    if (failure) raise(*failure);
    frame_seconds_ =
        std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(frames.count);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kShortCall = 0.02;

  struct Frames {
    const double *locals, *keys, *bones;
    float *positions, *normals;
    std::size_t count, joints, key_count;
    bool checks;  // whether all numbers are finite
  };
  // What one thread works with.
  struct Seat {
    RigWorkspace workspace;
    Pose pose;
  };

  std::unique_ptr<Seat> take_seat() {
    {
      const std::lock_guard lock(mutex_);
      if (!seats_.empty()) {
        auto seat = std::move(seats_.back());
        seats_.pop_back();
        return seat;
      }
    }
    return std::make_unique<Seat>(Seat{deformer().make_workspace(), {}});
  }
  void give_back(std::unique_ptr<Seat> seat) {
    const std::lock_guard lock(mutex_);
    seats_.push_back(std::move(seat));
  }

  static void fill(const Frames& frames, std::size_t k, Pose& pose) {
    pose.local.resize(frames.joints, Affine3::Identity());  // the last row is that of all matrices
    for (std::size_t j = 0; j < frames.joints; ++j)
      pose.local[j].affine() =
          Eigen::Matrix<double, 3, 4, Eigen::RowMajor>::Map(frames.locals + 16 * (k * frames.joints + j));
    pose.key_weights.clear();
    if (frames.keys)
      pose.key_weights.assign(frames.keys + k * frames.key_count, frames.keys + (k + 1) * frames.key_count);
    pose.bones.resize(frames.bones ? frames.joints : 0);
    for (std::size_t j = 0; j < pose.bones.size(); ++j) {
      const double* shape = frames.bones + 3 * (k * frames.joints + j);
      pose.bones[j] = {shape[0], shape[1], shape[2]};
    }
  }

  Status evaluate(const Frames& frames, std::size_t k, Seat& seat) {
    const std::size_t n = deformer().output_count();
    float* to = frames.positions + 3 * n * k;
    fill(frames, k, seat.pose);
    VertexBuffer normals;
    if (frames.normals) normals = VertexBuffer(frames.normals + 3 * n * k, n);
    return deformer().evaluate(seat.pose, seat.workspace, VertexBuffer(to, n), normals);
  }

  std::optional<Error> check(const Frames& frames, std::size_t k, Status status, const Seat& seat) {
    if (status != Status::kOk) return in_file(fmt::format("frame {}", k), frame_error(status));
    const std::size_t n = deformer().output_count();
    const float* made = frames.positions + 3 * n * k;
    if (!frames.checks || deformer().surely_finite(seat.workspace) || are_finite(made, 3 * n))
      return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto checked = check_frame(asset_->rig, {reinterpret_cast<const Vec3f*>(made), n}, *ready_);
    if (checked) return std::nullopt;
    return in_file(fmt::format("frame {}", k), checked.error());
  }

  // Whole frames on each thread where there are enough of them, else all threads on each frame; the same bits.
  std::optional<Error> run(const Frames& frames, const Progress& live) {
    std::mutex guard;
    std::optional<std::pair<std::size_t, Error>> first;
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> failed = false;
    const std::thread::id caller = std::this_thread::get_id();
    const auto one = [&](std::size_t k, Seat& seat) {
      if (failed || is_cancelled(&live)) return;
      const auto problem = check(frames, k, evaluate(frames, k, seat), seat);
      const double share = static_cast<double>(++done) / static_cast<double>(frames.count);
      if (std::this_thread::get_id() == caller) report(&live, "playing", share);
      if (!problem) return;
      failed = true;
      const std::lock_guard lock(guard);
      if (!first || k < first->first) first.emplace(k, *problem);
    };
    const auto several = [&](std::size_t begin, std::size_t end) {
      auto seat = take_seat();
      for (std::size_t k = begin; k < end; ++k) one(k, *seat);
      give_back(std::move(seat));
    };
    if (thread_count() == 1 || frames.count < static_cast<std::size_t>(2 * thread_count())) {
      several(0, frames.count);
    } else {
      parallel_for(frames.count, 1, [&](std::size_t begin, std::size_t end) {
        const ExecutorScope alone(&serial_executor());
        several(begin, end);
      });
    }
    if (is_cancelled(&live)) return cancelled();
    if (first) return first->second;
    return std::nullopt;
  }

  std::shared_ptr<const Asset> asset_;
  Progress live_;
  std::atomic<bool> cancel_ = false;
  std::optional<ReadyDeformer> ready_;
  std::string name_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::atomic<double> frame_seconds_ = 1;  // of the last call
};

}  // namespace

void add_player(nb::module_& module) {
  nb::class_<Player>(module, "Player", "A deformer that is built for a rig.")
      .def(nb::init<const RigObject&, const nb::dict&, const nb::object&>(), nb::arg("rig"),
           nb::arg("settings"), nb::arg("progress").none())
      .def("play", &Player::play, nb::arg("locals").noconvert(), nb::arg("keys").noconvert().none(),
           nb::arg("bones").noconvert().none(), nb::arg("positions").noconvert(),
           nb::arg("normals").noconvert().none(), nb::arg("checks"), nb::arg("progress").none())
      .def_prop_ro("deformer", &Player::name, "The deformer's name.")
      .def_prop_ro("warnings", &Player::warnings, "What the rig lacked and was made, a sentence each.")
      .def_prop_ro("mesh", &Player::faces, "The mesh that frames are of: the rig's, or that subdivided.")
      .def_prop_ro("vertex_count", [](const Player& self) { return self.deformer().output_count(); })
      .def_prop_ro("joint_count", [](const Player& self) { return self.deformer().joint_count(); })
      .def_prop_ro("key_count", [](const Player& self) { return self.deformer().key_count(); });
}

}  // namespace sinew::python
