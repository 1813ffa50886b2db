// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.h"

namespace sinew::cli {

// One file a verb; each registers itself and its options.
void add_make(Program& program);
void add_info(Program& program);
void add_convert(Program& program);
void add_pose(Program& program);
void add_bake(Program& program);
void add_export(Program& program);
void add_retarget(Program& program);
void add_render(Program& program);
void add_weights(Program& program);
void add_reweight(Program& program);
void add_skeleton(Program& program);
void add_rig(Program& program);
void add_batch(Program& program);
void add_compare(Program& program);
void add_check(Program& program);
void add_stack(Program& program);
void add_inbetween(Program& program);
void add_keys(Program& program);
void add_unpose(Program& program);
void add_cage(Program& program);
void add_handles(Program& program);
void add_studio(Program& program);
void add_bench(Program& program);

}  // namespace sinew::cli
