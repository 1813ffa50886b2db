// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/descriptor.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/needs.h"
#include "sinew/deform/unpose.h"

namespace sinew {

/// One line of the table of deformers: command line, comparison, documents and page all read it.
struct DeformerMethod {
  std::string_view name;
  std::string_view summary;
  std::span<const Descriptor> settings;
  Setting (*usual)(const Descriptor& descriptor);  ///< the default of one of them
  Result<std::unique_ptr<Deformer>> (*build)(const Rig& rig, const Settings& settings,
                                             const DeformerData& data);
  Inverse inverse = Inverse::kNone;  ///< how what it does can be undone
  /// Adds what it needs; null: nothing.
  Result<void> (*needs)(const Settings& settings, DeformerNeeds& needs) = nullptr;
};
std::span<const DeformerMethod> deformer_methods();

/// By its name, or the one that it had in version 0.1. kUsage naming all deformers where the name is unknown.
Result<const DeformerMethod*> find_deformer(std::string_view name);

/// "lbs, dqs, mix, ...": for help and messages.
std::string deformer_names();

/// A deformer by itself, without a stack. Settings by the names of its descriptors. kUsage: unknown name, a
/// setting out of range. kImpossible: the rig or `data` lacks what it needs.
Result<std::unique_ptr<Deformer>> build_deformer(const Rig& rig, std::string_view name,
                                                 const Settings& settings = {},
                                                 const DeformerData& data = {});

/// How many steps a frame of such a deformer takes; 0: it takes none.
int steps_of(std::string_view deformer, const Settings& settings);

}  // namespace sinew
