// SPDX-License-Identifier: Apache-2.0
// What a host defines in HLSL (shader model 5), before common.hlsl: three buffers.
StructuredBuffer<float4> sinew_palette_buffer : register(t0);
StructuredBuffer<uint4> sinew_row_buffer : register(t1);
StructuredBuffer<float4> sinew_key_buffer : register(t2);
cbuffer sinew_numbers : register(b0) {
  int sinew_palette_first;
};

float4 sinew_palette(int at) {
  return sinew_palette_buffer[sinew_palette_first + at];
}

uint4 sinew_row(int at) {
  return sinew_row_buffer[at];
}

float4 sinew_key(int at) {
  return sinew_key_buffer[at];
}
