// SPDX-License-Identifier: Apache-2.0
// Made from flesh.glsl by translate.mjs.
// Flesh, docs/algorithms/flesh.md: corrective fields in rest space, then composed joints, children first.
//   counts   of a vertex: steps, + 256 * fields, + 65536 * holds; + 2^31: it moves by its skin weights alone, one texel an influence
//            (place of the joint's matrix in the palette, weight)
//   row      steps, two a texel: where its numbers are in the palette, + 2^20 for a run of joints that carry the vertex whole, + 2^21 for
//            the first step of a branch, + 2^22 for its last; then swing + 65536 * twist, 65535 is 1. Then a texel a field: its drive
//            in the palette, where its modes begin among the rows, 0, share of the twist. Then a texel a hold: its bone
//            in the palette, amount, place along the bone.
//            A four of modes is two texels: bytes of x, y, z, 128 is 0; then those of the normal, and in both w the four factors
//            of the normal's bytes, halves, per size of the mesh.
//   palette  a joint: centre and angle of the twist; its axis, and 0 where the joint is still; rows of the swing less the identity,
//            with the shift. A run: its matrix. A drive: terms + 8 * fours of modes, first amount, direction of the swing, angle of the twist;
//            terms 0: still; up to 6: powers of the share less 1/2; 7: the harmonics 1, cos b, sin b, ... sin 3b. Amounts: terms texels a four.
//            A bone: head and growth, direction and length, twist at head and tail.

// How many branches wait for others at most: 1 is enough for most bodies, and faster.
static const int SINEW_KEPT = 3;

float4 sinew_bytes(uint word) {
  return float4(float(word & 255u), float((word >> 8u) & 255u), float((word >> 16u) & 255u), float(word >> 24u));
}

// What bones that are stretched or twisted along themselves do, before all else.
SinewVertex sinew_flesh_holds(int first, int count, SinewVertex rest) {
  SinewVertex result;
  result.position = rest.position;
  result.normal = rest.normal;
  for (int k = count - 1; k >= 0; k -= 1) {
    uint4 row = sinew_row(first + k);
    float4 head = sinew_palette(int(row.x));
    float4 direction = sinew_palette(int(row.x) + 1);
    float4 twist = sinew_palette(int(row.x) + 2);
    float amount = asfloat(row.y);
    float e = asfloat(row.z);
    float2 turn = sinew_cosine_sine(amount * ((1.0 - e) * twist.x + e * twist.y));
    float3 from_head = rest.position - head.xyz;
    result.position += sinew_turned(from_head, direction.xyz, turn) - from_head + amount * e * head.w * direction.w * direction.xyz;
    result.normal = sinew_turned(result.normal, direction.xyz, turn);
  }
  return result;
}

SinewVertex sinew_flesh_fields(int first, int count, SinewVertex rest) {
  SinewVertex result;
  float tilt_scale = sinew_palette(0).y;
  result.position = rest.position;
  result.normal = rest.normal;
  for (int f = 0; f < count; f += 1) {
    uint4 field = sinew_row(first + f);
    float4 drive = sinew_palette(int(field.x));
    int terms = int(drive.x) & 7;
    if (terms > 0) {
      int at = int(drive.y);
      int data = int(field.y);
      int end = data + 2 * (int(drive.x) >> 3u);
      float t = asfloat(field.w);
      float power = t - 0.5;
      float2 once = float2(0.0, 0.0);
      float2 twice = float2(0.0, 0.0);
      float2 thrice = float2(0.0, 0.0);
      if (terms == 7) {
        once = sinew_cosine_sine(drive.z - t * drive.w);
        twice = float2(once.x * once.x - once.y * once.y, 2.0 * once.x * once.y);
        thrice = float2(once.x * twice.x - once.y * twice.y, once.y * twice.x + once.x * twice.y);
      }
      for (int place = data; place < end; place += 2) {
        float4 amount = sinew_palette(at + terms - 1);
        if (terms == 7) {
          amount = sinew_palette(at) + once.x * sinew_palette(at + 1) + once.y * sinew_palette(at + 2)
                   + twice.x * sinew_palette(at + 3) + twice.y * sinew_palette(at + 4) + thrice.x * sinew_palette(at + 5) + thrice.y * amount;
        } else {
          for (int k = terms - 2; k >= 0; k -= 1) {
            amount = power * amount + sinew_palette(at + k);
          }
        }
        uint4 shift = sinew_row(place);
        float zero = 128.0 * (amount.x + amount.y + amount.z + amount.w);
        result.position += float3(dot(amount, sinew_bytes(shift.x)) - zero, dot(amount, sinew_bytes(shift.y)) - zero, dot(amount, sinew_bytes(shift.z)) - zero);
        uint4 tilt = sinew_row(place + 1);
        float4 tilted = tilt_scale * amount * float4(sinew_halves(shift.w), sinew_halves(tilt.w));
        zero = 128.0 * (tilted.x + tilted.y + tilted.z + tilted.w);
        result.normal += float3(dot(tilted, sinew_bytes(tilt.x)) - zero, dot(tilted, sinew_bytes(tilt.y)) - zero, dot(tilted, sinew_bytes(tilt.z)) - zero);
        at += terms;
      }
    }
  }
  return result;
}

// The part of one joint: c + s u + ((1 - s) I + s S) T^t (x - c).
SinewMap sinew_flesh_part(int at, float s, float t, SinewMap map) {
  float4 axis = sinew_palette(at + 1);
  SinewMap result;
  result.p = map.p;
  result.x = map.x;
  result.y = map.y;
  result.z = map.z;
  if (axis.w > 0.5) {
    float4 centre = sinew_palette(at);
    float4 a = s * sinew_palette(at + 2);
    float4 b = s * sinew_palette(at + 3);
    float4 c = s * sinew_palette(at + 4);
    float2 turn = sinew_cosine_sine(t * centre.w);
    float3 p = sinew_turned(map.p - centre.xyz, axis.xyz, turn);
    float3 x = sinew_turned(map.x, axis.xyz, turn);
    float3 y = sinew_turned(map.y, axis.xyz, turn);
    float3 z = sinew_turned(map.z, axis.xyz, turn);
    result.p = centre.xyz + p + float3(dot(a, float4(p, 1.0)), dot(b, float4(p, 1.0)), dot(c, float4(p, 1.0)));
    result.x = x + float3(dot(a.xyz, x), dot(b.xyz, x), dot(c.xyz, x));
    result.y = y + float3(dot(a.xyz, y), dot(b.xyz, y), dot(c.xyz, y));
    result.z = z + float3(dot(a.xyz, z), dot(b.xyz, z), dot(c.xyz, z));
  }
  return result;
}

SinewMap sinew_flesh_run(int at, SinewMap map) {
  float4 a = sinew_palette(at);
  float4 b = sinew_palette(at + 1);
  float4 c = sinew_palette(at + 2);
  SinewMap result;
  float4 p = float4(map.p, 1.0);
  result.p = float3(dot(a, p), dot(b, p), dot(c, p));
  result.x = float3(dot(a.xyz, map.x), dot(b.xyz, map.x), dot(c.xyz, map.x));
  result.y = float3(dot(a.xyz, map.y), dot(b.xyz, map.y), dot(c.xyz, map.y));
  result.z = float3(dot(a.xyz, map.z), dot(b.xyz, map.z), dot(c.xyz, map.z));
  return result;
}

// Branches that meet: what each adds to the identity is added.
SinewMap sinew_flesh_meet(SinewMap a, SinewMap b, float3 p) {
  SinewMap result;
  result.p = a.p + b.p - p;
  result.x = a.x + b.x - float3(1.0, 0.0, 0.0);
  result.y = a.y + b.y - float3(0.0, 1.0, 0.0);
  result.z = a.z + b.z - float3(0.0, 0.0, 1.0);
  return result;
}

SinewVertex sinew_flesh(int first, uint counts, SinewVertex rest) {
  int steps = int(counts & 255u);
  int fields = int((counts >> 8u) & 255u);
  int holds = int((counts >> 16u) & 32767u);
  int fields_first = first + (steps + 1) / 2;
  SinewVertex vertex;
  vertex.position = rest.position;
  vertex.normal = rest.normal;
  if (counts >= 0x80000000u) {
    float4 a = float4(0.0, 0.0, 0.0, 0.0);
    float4 b = float4(0.0, 0.0, 0.0, 0.0);
    float4 c = float4(0.0, 0.0, 0.0, 0.0);
    for (int k = 0; k < steps; k += 1) {
      uint4 row = sinew_row(first + k);
      float w = asfloat(row.y);
      a += w * sinew_palette(int(row.x));
      b += w * sinew_palette(int(row.x) + 1);
      c += w * sinew_palette(int(row.x) + 2);
    }
    return sinew_moved(sinew_rows(a, b, c, rest.position), rest.normal);
  }
  if (holds > 0 && sinew_palette(0).z > 0.5) {
    vertex = sinew_flesh_holds(fields_first + fields, holds, vertex);
  }
  vertex = sinew_flesh_fields(fields_first, fields, vertex);
  SinewMap identity;
  identity.p = vertex.position;
  identity.x = float3(1.0, 0.0, 0.0);
  identity.y = float3(0.0, 1.0, 0.0);
  identity.z = float3(0.0, 0.0, 1.0);
  SinewMap map = identity;
  SinewMap kept_a = identity;
  SinewMap kept_b = identity;
  SinewMap kept_c = identity;
  uint4 row = uint4(0u, 0u, 0u, 0u);
  for (int k = 0; k < steps; k += 1) {
    uint step_word = row.z;
    uint shares = row.w;
    if ((k & 1) == 0) {
      row = sinew_row(first + k / 2);
      step_word = row.x;
      shares = row.y;
    }
    int at = int(step_word & 0xfffffu);
    if ((step_word & 0x200000u) != 0u) {
      if (SINEW_KEPT > 2) {
        kept_c = kept_b;
      }
      if (SINEW_KEPT > 1) {
        kept_b = kept_a;
      }
      kept_a = map;
      map = identity;
    }
    if ((step_word & 0x100000u) != 0u) {
      map = sinew_flesh_run(at, map);
    } else {
      map = sinew_flesh_part(at, float(shares & 0xffffu) / 65535.0, float(shares >> 16u) / 65535.0, map);
    }
    if ((step_word & 0x400000u) != 0u) {
      map = sinew_flesh_meet(kept_a, map, vertex.position);
      if (SINEW_KEPT > 1) {
        kept_a = kept_b;
      }
      if (SINEW_KEPT > 2) {
        kept_b = kept_c;
      }
    }
  }
  return sinew_moved(map, vertex.normal);
}
