// SPDX-License-Identifier: Apache-2.0
// A deformer of the three.js runtime on the graphics card, over the tables of an open rig: vertices are made once a frame
// by transform feedback, into the buffers that every material draws from.
import type { WebGLRenderer } from 'three';
import { deformerCode, padded, PALETTE_BITS, ROW_BITS } from '../../runtime/src/code';
import type { Deformer } from '../../runtime/src/deformers/deformer';
import { makeDeformer, shaderDeformer } from '../../runtime/src/deformers/index';
import { multiply } from '../../runtime/src/math';
import type { JointBlend, Rig, StackStep } from '../../runtime/src/rig';
import { type BoneShape, makeSkeleton } from '../../runtime/src/skeleton';
import { boxOf, diagonalOf } from '../distance';
import type { PoseState, Tables } from '../protocol';

/** Of bones that are stretched or twisted along themselves. */
const SHAPED = new Set(['flesh', 'stretch-lbs', 'stretch-dqs']);

export function rigOf(tables: Tables, rest: Float32Array, triangles: Uint32Array): Rig {
  const { names, inverseBind, parents, tails } = tables.skeleton;
  const bind = names.map((_, j) => inverseBind.slice(12 * j, 12 * j + 12));
  const ends = [...parents].map((_, j) => {
    const tail = [...tails.subarray(3 * j, 3 * j + 3)] as [number, number, number];
    return tail.every(Number.isFinite) ? tail : null;
  });
  const rows = tables.jointRows;
  const blends = new Map((rows?.blends ?? []).map((blend, j) => [j, blend as JointBlend]));
  return {
    skeleton: makeSkeleton([...names.keys()], names, parents.length, bind, [...parents], ends),
    parts: [],
    vertices: rest.length / 3,
    positions: rest,
    normals: tables.normals,
    triangles,
    size: diagonalOf(boxOf(rest)) || 1,
    skin: tables.skin,
    endpoint: tables.endpoint,
    jointRows: rows && { ...rows, blends },
    flesh: tables.flesh,
    drivers: null,
  };
}

/** The deformer of a stack without its keys: frames with keys are made elsewhere. Or why there is none. */
export function deformerOf(tables: Tables, rig: Rig): Deformer | string {
  const stack = (JSON.parse(tables.stack) as StackStep[]).filter((entry) => entry.step !== 'keys');
  if (tables.driven) return 'the pose drives keys or helper joints';
  const found = shaderDeformer(stack, undefined);
  if ('reason' in found) return found.reason;
  try {
    return makeDeformer(rig, found.name, found.settings);
  } catch (error) {
    return (error as Error).message;
  }
}

const soon = (): Promise<void> => new Promise((done) => setTimeout(done, 20));

/** Linked some time later: asking at once would hold up the page. */
function program(gl: WebGL2RenderingContext, deformer: Deformer): WebGLProgram {
  const vertex = `#version 300 es
precision highp float;
precision highp int;
layout(location = 0) in vec3 restPosition;
layout(location = 1) in vec3 restNormal;
layout(location = 2) in uvec2 row;
uniform highp sampler2D boneTexture;
uniform highp usampler2D sinewRows;
out vec3 madePosition;
out vec3 madeNormal;
${deformerCode(deformer, '0')}
void main() {
  SinewVertex rest;
  rest.position = restPosition;
  rest.normal = restNormal;
  SinewVertex moved = ${deformer.call.replace('FIRST', 'int(row.x)').replace('COUNTS', 'row.y')};
  madePosition = moved.position;
  madeNormal = moved.normal;
  gl_Position = vec4(0.0);
}`;
  const fragment = '#version 300 es\nvoid main() {}';
  const made = gl.createProgram();
  ([gl.VERTEX_SHADER, gl.FRAGMENT_SHADER] as const).forEach((kind, k) => {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, k ? fragment : vertex);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
    gl.deleteShader(shader); // with its program
  });
  gl.transformFeedbackVaryings(made, ['madePosition', 'madeNormal'], gl.SEPARATE_ATTRIBS);
  gl.linkProgram(made);
  return made;
}

export class GpuDeformer {
  readonly shapes: boolean;
  readonly position: WebGLBuffer;
  readonly normal: WebGLBuffer;
  readonly count: number;
  private readonly gl: WebGL2RenderingContext;
  private readonly program: WebGLProgram;
  private readonly inputs: WebGLBuffer[] = [];
  private readonly vao: WebGLVertexArrayObject;
  private readonly feedback: WebGLTransformFeedback;
  private readonly rows: WebGLTexture;
  private readonly paletteTexture: WebGLTexture;
  private readonly palette: Float32Array;
  private readonly height: number;
  private readonly matrices: Float64Array[];
  private read: Float32Array<ArrayBuffer> | null = null;

  /** Throws where the graphics card cannot. */
  constructor(
    private readonly renderer: WebGLRenderer,
    private readonly rig: Rig,
    private readonly deformer: Deformer,
  ) {
    const gl = (this.gl = renderer.getContext() as WebGL2RenderingContext);
    const rows = padded(deformer.rows, ROW_BITS);
    const palette = padded(new Float32Array(4 * deformer.paletteTexels), PALETTE_BITS);
    const most = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
    if (rows.height > most || palette.height > most) throw new Error('the mesh needs a larger texture than there is');
    this.count = rig.vertices;
    this.shapes = SHAPED.has(deformer.name);
    this.palette = palette.data;
    this.height = palette.height;
    this.matrices = rig.skeleton.nodes.map(() => new Float64Array(12));
    this.program = program(gl, deformer);
    this.vao = gl.createVertexArray();
    gl.bindVertexArray(this.vao);
    [rig.positions, rig.normals, deformer.vertexRows].forEach((data, place) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data as Float32Array<ArrayBuffer>, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      if (place < 2) gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
      else gl.vertexAttribIPointer(place, 2, gl.UNSIGNED_INT, 0, 0);
      this.inputs.push(buffer);
    });
    gl.bindVertexArray(null);
    [this.position, this.normal] = [0, 1].map(() => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, 12 * this.count, gl.DYNAMIC_COPY);
      return buffer;
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    this.feedback = gl.createTransformFeedback();
    this.rows = this.texture();
    gl.texImage2D(
      gl.TEXTURE_2D,
      0,
      gl.RGBA32UI,
      rows.width,
      rows.height,
      0,
      gl.RGBA_INTEGER,
      gl.UNSIGNED_INT,
      rows.data,
    );
    this.paletteTexture = this.texture();
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, palette.width, palette.height);
    renderer.resetState();
  }

  /** Why the graphics card cannot run it; null: it can. */
  async problem(): Promise<string | null> {
    const { gl } = this;
    const asked = gl.getExtension('KHR_parallel_shader_compile');
    while (asked && !gl.isContextLost() && !gl.getProgramParameter(this.program, asked.COMPLETION_STATUS_KHR))
      await soon();
    if (gl.getProgramParameter(this.program, gl.LINK_STATUS)) return null;
    return `the shader cannot be linked: ${gl.getProgramInfoLog(this.program)?.slice(0, 200)}`;
  }

  private texture(): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    // What three has set for its own textures.
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    return texture;
  }

  /** globals: 16 a joint, by columns, as frames have them. */
  run(globals: Float64Array, pose: PoseState): void {
    const { gl, rig, deformer } = this;
    const global = new Float64Array(12);
    this.matrices.forEach((matrix, j) => {
      for (let k = 0; k < 12; ++k) global[k] = globals[16 * j + 4 * (k % 4) + (k >> 2)];
      multiply(matrix, global, rig.skeleton.inverseBind[j]);
    });
    deformer.fill(
      { matrices: this.matrices, shapes: this.shapes ? shapesOf(pose.shapes) : undefined },
      this.palette,
      0,
    );
    gl.useProgram(this.program);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.rows);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.paletteTexture);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1 << PALETTE_BITS, this.height, gl.RGBA, gl.FLOAT, this.palette);
    gl.uniform1i(gl.getUniformLocation(this.program, 'boneTexture'), 0);
    gl.uniform1i(gl.getUniformLocation(this.program, 'sinewRows'), 1);
    gl.bindVertexArray(this.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, null); // three may have left it at a buffer that is written here
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, this.feedback);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, this.position);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 1, this.normal);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, this.count);
    gl.endTransformFeedback();
    gl.disable(gl.RASTERIZER_DISCARD);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 1, null);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    gl.bindVertexArray(null);
    this.renderer.resetState();
    this.read = null;
  }

  /** What the last frame made, brought back: waits for the graphics card, once a frame. */
  positions(): Float32Array {
    return (this.read ??= this.bring(this.position));
  }

  /** The same once the graphics card has made it, without holding up the page. */
  async brought(): Promise<Float32Array> {
    const { gl } = this;
    const done = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    while (done && !gl.isContextLost() && gl.clientWaitSync(done, 0, 0) === gl.TIMEOUT_EXPIRED) await soon();
    gl.deleteSync(done);
    return this.positions();
  }

  normals(): Float32Array {
    return this.bring(this.normal);
  }

  private bring(buffer: WebGLBuffer): Float32Array<ArrayBuffer> {
    const { gl } = this;
    const out = new Float32Array(3 * this.count);
    gl.bindBuffer(gl.COPY_READ_BUFFER, buffer);
    gl.getBufferSubData(gl.COPY_READ_BUFFER, 0, out);
    gl.bindBuffer(gl.COPY_READ_BUFFER, null);
    return out;
  }

  dispose(): void {
    const { gl } = this;
    [...this.inputs, this.position, this.normal].forEach((buffer) => gl.deleteBuffer(buffer));
    gl.deleteTexture(this.rows);
    gl.deleteTexture(this.paletteTexture);
    gl.deleteVertexArray(this.vao);
    gl.deleteTransformFeedback(this.feedback);
    gl.deleteProgram(this.program);
  }
}

function shapesOf(numbers: Float64Array): (BoneShape | undefined)[] {
  return Array.from({ length: numbers.length / 3 }, (_, j) => ({
    stretch: numbers[3 * j],
    twistHead: numbers[3 * j + 1],
    twistTail: numbers[3 * j + 2],
  }));
}
