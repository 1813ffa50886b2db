// SPDX-License-Identifier: Apache-2.0
// What a host defines in GLSL ES 3.00 (WebGL 2), before common.glsl: two textures of 1024 texels a row.
uniform highp sampler2D sinew_palette_texture;
uniform highp usampler2D sinew_row_texture;
uniform highp sampler2D sinew_key_texture;
uniform int sinew_palette_first;

vec4 sinew_palette(int at) {
  int place = sinew_palette_first + at;
  return texelFetch(sinew_palette_texture, ivec2(place & 1023, place >> 10), 0);
}

uvec4 sinew_row(int at) {
  return texelFetch(sinew_row_texture, ivec2(at & 1023, at >> 10), 0);
}

vec4 sinew_key(int at) {
  return texelFetch(sinew_key_texture, ivec2(at & 1023, at >> 10), 0);
}
