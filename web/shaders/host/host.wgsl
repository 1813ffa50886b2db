// SPDX-License-Identifier: Apache-2.0
// What a host defines in WGSL, before common.wgsl: three storage buffers.
@group(0) @binding(0) var<storage, read> sinew_palette_buffer: array<vec4f>;
@group(0) @binding(1) var<storage, read> sinew_row_buffer: array<vec4u>;
@group(0) @binding(2) var<storage, read> sinew_key_buffer: array<vec4f>;
@group(0) @binding(3) var<uniform> sinew_palette_first: i32;

fn sinew_palette(at: i32) -> vec4f {
  return sinew_palette_buffer[sinew_palette_first + at];
}

fn sinew_row(at: i32) -> vec4u {
  return sinew_row_buffer[at];
}

fn sinew_key(at: i32) -> vec4f {
  return sinew_key_buffer[at];
}
