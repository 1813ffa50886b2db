// SPDX-License-Identifier: Apache-2.0
// The floor: a faint grid that fades out, and a soft shadow of what stands on it.
import {
  DoubleSide,
  Group,
  LinearFilter,
  Mesh,
  type Object3D,
  OrthographicCamera,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  Vector2,
  Vector3,
  WebGLRenderTarget,
  type WebGLRenderer,
  Color,
} from 'three';

const GRID_VERTEX = /* glsl */ `
varying vec2 vPlace;
void main() { vPlace = (modelMatrix * vec4(position, 1.0)).xz; gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0); }`;
const GRID_FRAGMENT = /* glsl */ `
varying vec2 vPlace;
uniform vec3 line;
uniform vec2 centre;
uniform float cell;
uniform float radius;
float grid(vec2 p) {
  vec2 width = fwidth(p);
  vec2 d = abs(fract(p - 0.5) - 0.5) / max(width, vec2(1e-6));
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.3, 0.7, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(vPlace - centre) / radius);
  float alpha = max(0.35 * grid(vPlace / cell), 0.65 * grid(vPlace / (5.0 * cell))) * fade;
  gl_FragColor = vec4(line, alpha * 0.42);
}`;
const DEPTH_VERTEX = /* glsl */ `
varying float vHeight;
uniform float floorAt;
uniform float reach;
void main() { vHeight = (position.y - floorAt) / reach; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
const DEPTH_FRAGMENT = /* glsl */ `
varying float vHeight;
void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, 0.75 * pow(clamp(1.0 - vHeight, 0.0, 1.0), 2.0)); }`;
const BLUR_VERTEX = /* glsl */ `varying vec2 vUv; void main() { vUv = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;
const BLUR_FRAGMENT = /* glsl */ `
varying vec2 vUv;
uniform sampler2D source;
uniform vec2 stride;
void main() {
  float sum = 0.0;
  float whole = 0.0;
  for (int k = -5; k <= 5; ++k) {
    float w = exp(-float(k * k) / 12.0);
    sum += w * texture2D(source, vUv + float(k) * stride).a;
    whole += w;
  }
  gl_FragColor = vec4(0.0, 0.0, 0.0, sum / whole);
}`;
const SHADOW_FRAGMENT = /* glsl */ `
varying vec2 vUv;
uniform sampler2D source;
uniform vec3 tint;
uniform float strength;
void main() { gl_FragColor = vec4(tint, strength * texture2D(source, vUv).a); }`;
const SHADOW_VERTEX = /* glsl */ `varying vec2 vUv; void main() { vUv = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;

const SIZE = 256;

export class Ground {
  readonly group = new Group();
  private readonly grid = new Mesh(
    new PlaneGeometry(2, 2).rotateX(-Math.PI / 2),
    new ShaderMaterial({
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        line: { value: new Color(0.6, 0.62, 0.65) },
        centre: { value: new Vector2() },
        cell: { value: 1 },
        radius: { value: 1 },
      },
    }),
  );
  private readonly shadow = new Mesh(
    new PlaneGeometry(2, 2).rotateX(-Math.PI / 2),
    new ShaderMaterial({
      vertexShader: SHADOW_VERTEX,
      fragmentShader: SHADOW_FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: { source: { value: null }, tint: { value: new Color(0.05, 0.06, 0.08) }, strength: { value: 0.7 } },
    }),
  );
  private readonly depth = new ShaderMaterial({
    vertexShader: DEPTH_VERTEX,
    fragmentShader: DEPTH_FRAGMENT,
    side: DoubleSide,
    uniforms: { floorAt: { value: 0 }, reach: { value: 1 } },
  });
  private readonly blur = new ShaderMaterial({
    vertexShader: BLUR_VERTEX,
    fragmentShader: BLUR_FRAGMENT,
    depthTest: false,
    uniforms: { source: { value: null }, stride: { value: new Vector2() } },
  });
  private readonly targets = [0, 1].map(
    () => new WebGLRenderTarget(SIZE, SIZE, { minFilter: LinearFilter, magFilter: LinearFilter }),
  );
  private readonly quad = new Mesh(new PlaneGeometry(2, 2), this.blur);
  private readonly quadScene = new Scene();
  private readonly below = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly stage = new Scene();

  constructor() {
    this.grid.renderOrder = -2;
    this.shadow.renderOrder = -1;
    this.shadow.material.uniforms.source.value = this.targets[0].texture;
    this.quad.frustumCulled = false;
    this.quadScene.add(this.quad);
    this.stage.overrideMaterial = this.depth;
    this.group.add(this.grid, this.shadow);
  }

  theme(dark: boolean): void {
    (this.grid.material.uniforms.line.value as Color).setRGB(
      ...((dark ? [0.36, 0.39, 0.43] : [0.55, 0.58, 0.62]) as [number, number, number]),
      'srgb-linear',
    );
    this.shadow.material.uniforms.strength.value = dark ? 1.0 : 0.8;
  }

  /** x, y, z of the least corner, then of the largest. */
  place(box: number[]): void {
    const centre = new Vector3((box[0] + box[3]) / 2, box[1], (box[2] + box[5]) / 2);
    const wide = Math.max(box[3] - box[0], box[5] - box[2], 0.4 * (box[4] - box[1]), 1e-6);
    const height = Math.max(box[4] - box[1], 0.3 * wide);
    const half = 0.85 * wide;
    const cell = 10 ** Math.floor(Math.log10(Math.max(height, wide) / 2));
    this.grid.position.copy(centre);
    this.grid.scale.setScalar(4 * Math.max(wide, height));
    this.grid.material.uniforms.cell.value = cell;
    this.grid.material.uniforms.radius.value = 2.2 * Math.max(wide, height);
    (this.grid.material.uniforms.centre.value as Vector2).set(centre.x, centre.z);
    this.shadow.position.copy(centre).setY(centre.y + 1e-4 * height);
    this.shadow.scale.set(half, 1, half);
    Object.assign(this.below, { left: -half, right: half, top: half, bottom: -half, near: 0, far: 2.2 * height });
    this.below.position.copy(centre).setY(centre.y - 0.1 * height);
    this.below.up.set(0, 0, 1);
    this.below.lookAt(centre.x, centre.y + height, centre.z);
    this.below.updateProjectionMatrix();
    this.depth.uniforms.floorAt.value = centre.y;
    this.depth.uniforms.reach.value = 0.45 * height;
  }

  /** Draws the shadow of `subject` anew; when it has moved. */
  refresh(renderer: WebGLRenderer, subject: Object3D): void {
    const home = subject.parent;
    this.stage.add(subject);
    const was = renderer.getRenderTarget();
    renderer.setScissorTest(false);
    renderer.setRenderTarget(this.targets[0]);
    renderer.setClearAlpha(0);
    renderer.clear();
    renderer.render(this.stage, this.below);
    if (home) home.add(subject);
    for (let round = 0; round < 2; ++round) {
      const reach = (round + 1) / SIZE;
      this.pass(renderer, 0, 1, reach, 0);
      this.pass(renderer, 1, 0, 0, reach);
    }
    renderer.setRenderTarget(was);
  }

  private pass(renderer: WebGLRenderer, from: number, to: number, x: number, y: number): void {
    this.blur.uniforms.source.value = this.targets[from].texture;
    (this.blur.uniforms.stride.value as Vector2).set(x, y);
    renderer.setRenderTarget(this.targets[to]);
    renderer.clear();
    renderer.render(this.quadScene, this.below);
  }
}
