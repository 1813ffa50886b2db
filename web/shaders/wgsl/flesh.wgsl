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
const SINEW_KEPT: i32 = 3;

fn sinew_bytes(word: u32) -> vec4f {
  return vec4f(f32(word & 255u), f32((word >> 8u) & 255u), f32((word >> 16u) & 255u), f32(word >> 24u));
}

// What bones that are stretched or twisted along themselves do, before all else.
fn sinew_flesh_holds(first: i32, count: i32, rest: SinewVertex) -> SinewVertex {
  var result: SinewVertex;
  result.position = rest.position;
  result.normal = rest.normal;
  for (var k: i32 = count - 1; k >= 0; k -= 1) {
    var row: vec4u = sinew_row(first + k);
    var head: vec4f = sinew_palette(i32(row.x));
    var direction: vec4f = sinew_palette(i32(row.x) + 1);
    var twist: vec4f = sinew_palette(i32(row.x) + 2);
    var amount: f32 = bitcast<f32>(row.y);
    var e: f32 = bitcast<f32>(row.z);
    var turn: vec2f = sinew_cosine_sine(amount * ((1.0 - e) * twist.x + e * twist.y));
    var from_head: vec3f = rest.position - head.xyz;
    result.position += sinew_turned(from_head, direction.xyz, turn) - from_head + amount * e * head.w * direction.w * direction.xyz;
    result.normal = sinew_turned(result.normal, direction.xyz, turn);
  }
  return result;
}

fn sinew_flesh_fields(first: i32, count: i32, rest: SinewVertex) -> SinewVertex {
  var result: SinewVertex;
  var tilt_scale: f32 = sinew_palette(0).y;
  result.position = rest.position;
  result.normal = rest.normal;
  for (var f: i32 = 0; f < count; f += 1) {
    var field: vec4u = sinew_row(first + f);
    var drive: vec4f = sinew_palette(i32(field.x));
    var terms: i32 = i32(drive.x) & 7;
    if (terms > 0) {
      var at: i32 = i32(drive.y);
      var data: i32 = i32(field.y);
      var end: i32 = data + 2 * (i32(drive.x) >> 3u);
      var t: f32 = bitcast<f32>(field.w);
      var power: f32 = t - 0.5;
      var once: vec2f = vec2f(0.0, 0.0);
      var twice: vec2f = vec2f(0.0, 0.0);
      var thrice: vec2f = vec2f(0.0, 0.0);
      if (terms == 7) {
        once = sinew_cosine_sine(drive.z - t * drive.w);
        twice = vec2f(once.x * once.x - once.y * once.y, 2.0 * once.x * once.y);
        thrice = vec2f(once.x * twice.x - once.y * twice.y, once.y * twice.x + once.x * twice.y);
      }
      for (var place: i32 = data; place < end; place += 2) {
        var amount: vec4f = sinew_palette(at + terms - 1);
        if (terms == 7) {
          amount = sinew_palette(at) + once.x * sinew_palette(at + 1) + once.y * sinew_palette(at + 2)
                   + twice.x * sinew_palette(at + 3) + twice.y * sinew_palette(at + 4) + thrice.x * sinew_palette(at + 5) + thrice.y * amount;
        } else {
          for (var k: i32 = terms - 2; k >= 0; k -= 1) {
            amount = power * amount + sinew_palette(at + k);
          }
        }
        var shift: vec4u = sinew_row(place);
        var zero: f32 = 128.0 * (amount.x + amount.y + amount.z + amount.w);
        result.position += vec3f(dot(amount, sinew_bytes(shift.x)) - zero, dot(amount, sinew_bytes(shift.y)) - zero, dot(amount, sinew_bytes(shift.z)) - zero);
        var tilt: vec4u = sinew_row(place + 1);
        var tilted: vec4f = tilt_scale * amount * vec4f(unpack2x16float(shift.w), unpack2x16float(tilt.w));
        zero = 128.0 * (tilted.x + tilted.y + tilted.z + tilted.w);
        result.normal += vec3f(dot(tilted, sinew_bytes(tilt.x)) - zero, dot(tilted, sinew_bytes(tilt.y)) - zero, dot(tilted, sinew_bytes(tilt.z)) - zero);
        at += terms;
      }
    }
  }
  return result;
}

// The part of one joint: c + s u + ((1 - s) I + s S) T^t (x - c).
fn sinew_flesh_part(at: i32, s: f32, t: f32, map: SinewMap) -> SinewMap {
  var axis: vec4f = sinew_palette(at + 1);
  var result: SinewMap;
  result.p = map.p;
  result.x = map.x;
  result.y = map.y;
  result.z = map.z;
  if (axis.w > 0.5) {
    var centre: vec4f = sinew_palette(at);
    var a: vec4f = s * sinew_palette(at + 2);
    var b: vec4f = s * sinew_palette(at + 3);
    var c: vec4f = s * sinew_palette(at + 4);
    var turn: vec2f = sinew_cosine_sine(t * centre.w);
    var p: vec3f = sinew_turned(map.p - centre.xyz, axis.xyz, turn);
    var x: vec3f = sinew_turned(map.x, axis.xyz, turn);
    var y: vec3f = sinew_turned(map.y, axis.xyz, turn);
    var z: vec3f = sinew_turned(map.z, axis.xyz, turn);
    result.p = centre.xyz + p + vec3f(dot(a, vec4f(p, 1.0)), dot(b, vec4f(p, 1.0)), dot(c, vec4f(p, 1.0)));
    result.x = x + vec3f(dot(a.xyz, x), dot(b.xyz, x), dot(c.xyz, x));
    result.y = y + vec3f(dot(a.xyz, y), dot(b.xyz, y), dot(c.xyz, y));
    result.z = z + vec3f(dot(a.xyz, z), dot(b.xyz, z), dot(c.xyz, z));
  }
  return result;
}

fn sinew_flesh_run(at: i32, map: SinewMap) -> SinewMap {
  var a: vec4f = sinew_palette(at);
  var b: vec4f = sinew_palette(at + 1);
  var c: vec4f = sinew_palette(at + 2);
  var result: SinewMap;
  var p: vec4f = vec4f(map.p, 1.0);
  result.p = vec3f(dot(a, p), dot(b, p), dot(c, p));
  result.x = vec3f(dot(a.xyz, map.x), dot(b.xyz, map.x), dot(c.xyz, map.x));
  result.y = vec3f(dot(a.xyz, map.y), dot(b.xyz, map.y), dot(c.xyz, map.y));
  result.z = vec3f(dot(a.xyz, map.z), dot(b.xyz, map.z), dot(c.xyz, map.z));
  return result;
}

// Branches that meet: what each adds to the identity is added.
fn sinew_flesh_meet(a: SinewMap, b: SinewMap, p: vec3f) -> SinewMap {
  var result: SinewMap;
  result.p = a.p + b.p - p;
  result.x = a.x + b.x - vec3f(1.0, 0.0, 0.0);
  result.y = a.y + b.y - vec3f(0.0, 1.0, 0.0);
  result.z = a.z + b.z - vec3f(0.0, 0.0, 1.0);
  return result;
}

fn sinew_flesh(first: i32, counts: u32, rest: SinewVertex) -> SinewVertex {
  var steps: i32 = i32(counts & 255u);
  var fields: i32 = i32((counts >> 8u) & 255u);
  var holds: i32 = i32((counts >> 16u) & 32767u);
  var fields_first: i32 = first + (steps + 1) / 2;
  var vertex: SinewVertex;
  vertex.position = rest.position;
  vertex.normal = rest.normal;
  if (counts >= 0x80000000u) {
    var a: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
    var b: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
    var c: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
    for (var k: i32 = 0; k < steps; k += 1) {
      var row: vec4u = sinew_row(first + k);
      var w: f32 = bitcast<f32>(row.y);
      a += w * sinew_palette(i32(row.x));
      b += w * sinew_palette(i32(row.x) + 1);
      c += w * sinew_palette(i32(row.x) + 2);
    }
    return sinew_moved(sinew_rows(a, b, c, rest.position), rest.normal);
  }
  if (holds > 0 && sinew_palette(0).z > 0.5) {
    vertex = sinew_flesh_holds(fields_first + fields, holds, vertex);
  }
  vertex = sinew_flesh_fields(fields_first, fields, vertex);
  var identity: SinewMap;
  identity.p = vertex.position;
  identity.x = vec3f(1.0, 0.0, 0.0);
  identity.y = vec3f(0.0, 1.0, 0.0);
  identity.z = vec3f(0.0, 0.0, 1.0);
  var map: SinewMap = identity;
  var kept_a: SinewMap = identity;
  var kept_b: SinewMap = identity;
  var kept_c: SinewMap = identity;
  var row: vec4u = vec4u(0u, 0u, 0u, 0u);
  for (var k: i32 = 0; k < steps; k += 1) {
    var step_word: u32 = row.z;
    var shares: u32 = row.w;
    if ((k & 1) == 0) {
      row = sinew_row(first + k / 2);
      step_word = row.x;
      shares = row.y;
    }
    var at: i32 = i32(step_word & 0xfffffu);
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
      map = sinew_flesh_part(at, f32(shares & 0xffffu) / 65535.0, f32(shares >> 16u) / 65535.0, map);
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
