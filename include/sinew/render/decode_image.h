// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sinew/render/render.h"

namespace sinew {

/// The picture in the bytes of a PNG or JPEG file, transparency left out. kBadInput: another format, or
/// broken. kLimit: more than kMaxImageSide pixels a side or kMaxImagePixels in all.
Result<Image> decode_image(std::string_view bytes);

}  // namespace sinew
