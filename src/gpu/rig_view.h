// SPDX-License-Identifier: Apache-2.0
// A rig as the formulas of formulas.h read it, on the host or on a device.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define SINEW_HD __host__ __device__ __forceinline__
#define SINEW_UNROLL _Pragma("unroll")
#else
#define SINEW_HD inline
#define SINEW_UNROLL
#endif

namespace sinew::gpu {

inline constexpr int kLanes = 32;         // poses of a chunk
inline constexpr int kTileVertices = 16;  // vertices that a warp deforms one after the other
// Vertices that a thread holds while poses pass, threads that hold some, the most vertices of these (whole cache lines
// of positions), and the most joints of a vertex.
inline constexpr int kHeldVertices = 4, kHeldThreads = 224, kHeldTile = 832, kHeldSlots = 4;
inline constexpr int kGroupVertices = 8;  // vertices of flesh that pass through the same joints
inline constexpr int kMostSteps = 48;     // joints that one vertex passes through
inline constexpr int kFunctions = 30;

// --- what never changes ---

struct JointRest {
  double stretch[9];      // of the rest transform behind its rotation: scale and shear, row-major
  double translation[3];  // relative to the parent
  double inverse_bind[12];
  double rotation[4];  // at rest, x y z w
  std::int32_t joint, parent;
};

// How a joint deformer blends between what lies above the joint and what lies below.
enum class EntryBlend : std::int32_t { kSwingTwist, kLinear, kPlain };  // kPlain: by the joint's matrix alone

// One entry of the palette, for deformers that do not blend the joints' matrices as they are.
struct EntryRest {
  std::int32_t joint, above;  // of the skeleton; -1: none
  std::int32_t run;           // flesh: carries whole, no weights
  EntryBlend blend;           // of joint deformers
  double origin[3], axes[9];  // the joint's frame in bind space; z (the last column) along its bone
  double tail[3];             // of its bone
  std::int32_t first_end, ends;
};

inline constexpr std::uint32_t kKeep = ~0u;

// Vertices of a tile that have the same joints: these are loaded into slots, or kept there from before.
struct alignas(16) SkinRun {
  std::uint32_t load[4];  // entries of the palette; kKeep: what the slot has, or nothing
  std::uint32_t first, count;
  std::uint32_t slots;    // that the vertices use: 1, 2 or 4
  std::uint32_t partial;  // of a vertex with more than four influences: 1 more to come, 2 some were before
};
struct alignas(16) SkinVertex {
  float weight[4];
  float x, y, z;
  std::uint32_t place;  // in the tile
};
struct alignas(16) SkinNormal {
  float x, y, z;
  std::uint32_t vertex;
};
// Of bones that stretch and twist: where the vertex lies along them, and which they are.
struct alignas(16) SkinEnds {
  float stretch[4], twist[4];
  std::uint32_t entry[4];
};
// Linear blending of joints that neighbours do not share: four joints, a byte each.
struct alignas(16) SpreadVertex {
  float weight[4];
  float x, y, z;
  std::uint32_t joints;
};
struct alignas(16) JointWeights {
  float weight, move, turn;
  std::uint32_t entry;
};
struct KeyDelta {
  float x, y, z, nx, ny, nz;
  std::uint32_t key;
};

// Vertices that pass through the same joints. Numbers of a group lie vertex by vertex.
struct alignas(16) FleshGroup {
  std::uint32_t vertex[kGroupVertices];
  std::uint32_t used;
  std::uint32_t steps, first_step;    // FleshStep
  std::uint32_t first_weight;         // of step_weights: a pair a step and vertex
  std::uint32_t blocks, first_block;  // fields: FleshBlock
  std::uint32_t chain;                // every step goes on into the next
  std::uint32_t unused;
};
// Steps come children first, one branch after the other. A step begins at rest or where the one before it
// ended; ends of branches that meet are added up in `sum` before the next step begins there.
struct FleshStep {
  std::uint32_t entry;
  std::uint16_t weights;     // which of the group's pairs
  std::uint8_t to;           // in the order of the steps: the one that it goes on into
  std::uint8_t run;          // joints that carry the vertices whole
  std::uint8_t leaf;         // begins at rest
  std::uint8_t sum;          // 0: goes on by itself; else which sum of branches its end is added to
  std::uint8_t first, last;  // of the branches of that sum
};
inline constexpr int kMostSums = 8;  // that are open at a time
// What one field does to one group: numbers of each block lie behind those of the one before it.
struct FleshBlock {
  std::uint32_t field;
};
struct FieldRest {
  double swing, twist;                  // the range
  double partner_swing, partner_twist;  // of the joint that also drives it
  std::int32_t partner;                 // that joint, in field_joints; -1: none
};
// An axis that points turn about: its direction, and its origin times it.
struct alignas(16) AxisLine {
  float x, y, z, unused;
  float at_x, at_y, at_z, unused_too;
};
struct alignas(16) Twelve {  // rows of a matrix
  float at[12];
};

// A rig as the formulas read it; where the pointers lead is up to who fills them.
struct RigView {
  std::int64_t vertices = 0;
  std::int32_t joints = 0, keys = 0, entries = 0, entry_floats = 0, tiles = 0, root = -1;
  std::int32_t plain = 0;                // no keys, at most four influences a vertex, no offset
  float offset[3] = {};                  // added to positions
  const JointRest* rest = nullptr;       // level by level, from the roots down
  const std::uint32_t* level = nullptr;  // first of each in rest, and behind the last
  std::int32_t levels = 0;
  const EntryRest* entry = nullptr;
  const double* end_heads = nullptr;  // of bones' ends: three numbers, beside end_joints
  const std::int32_t* end_joints = nullptr;
  const std::uint32_t* tile = nullptr;  // first run of each, and behind the last
  const SkinRun* runs = nullptr;
  const SkinVertex* skin = nullptr;
  const SkinNormal* skin_normals = nullptr;
  const SkinEnds* ends = nullptr;
  std::int32_t rigid = 1;                      // no joint scales or shears
  std::int32_t held_tiles = 0;                 // 0: vertices are not held
  const std::uint32_t* held_first = nullptr;   // first vertex of each tile, and behind the last
  const std::uint32_t* held_slots = nullptr;   // of each warp: the most joints of its vertices
  const std::uint32_t* held_joints = nullptr;  // [tile][slot][thread]
  const float* held_weights = nullptr;         // [tile][slot][vertex][thread]
  const float* held_points = nullptr;          // [tile][vertex][coordinate][thread]
  const std::int32_t* held_places = nullptr;   // [tile][vertex][thread]: in the tile, or -1
  const SpreadVertex* spread = nullptr;        // null: vertices are held, or have tiles
  const std::uint32_t* row = nullptr;          // joint deformers: first of each vertex in weights
  const JointWeights* weights = nullptr;
  const Twelve* entry_local = nullptr;  // bind space into the joint's frame
  const Twelve* entry_place = nullptr;  // and back
  const float* positions = nullptr;
  const float* normals = nullptr;
  const std::uint32_t* key_row = nullptr;  // null: no keys
  const KeyDelta* key_deltas = nullptr;
  const float* default_keys = nullptr;
  const FleshGroup* groups = nullptr;
  const FleshStep* steps = nullptr;
  const float* step_weights = nullptr;
  const AxisLine* step_axis = nullptr;     // beside entry
  const float* group_positions = nullptr;  // three a vertex of a group
  const float* group_normals = nullptr;
  const FleshBlock* blocks = nullptr;
  const float* field_twist = nullptr;           // one a vertex of a block
  const std::uint32_t* field_values = nullptr;  // field_layout.h: kValueWords a block
  const float* field_cubic = nullptr;           // kCubicValues
  const std::uint32_t* field_tilts = nullptr;   // the same for normals
  const float* field_tilts_cubic = nullptr;
  float value_step = 0, tilt_step = 0;  // that values are counted in
  const FieldRest* fields = nullptr;
  const EntryRest* field_joints = nullptr;  // one a field, then their partners
  std::int32_t field_count = 0, group_count = 0;
};

// What a pose is made of; null where it stays at rest.
struct PoseView {
  const float* rotations = nullptr;     // four a joint
  const float* translations = nullptr;  // three
  const float* keys = nullptr;
  const float* bones = nullptr;  // three a joint: stretch, twist at the head and at the tail in radians
};

}  // namespace sinew::gpu
