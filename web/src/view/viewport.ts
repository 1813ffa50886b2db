// SPDX-License-Identifier: Apache-2.0
// The canvas: one camera, one or two pictures of the character. Draws when something changed, never otherwise.
import {
  DirectionalLight,
  MOUSE,
  PerspectiveCamera,
  PMREMGenerator,
  Plane,
  Ray,
  Scene,
  TOUCH,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Frame, Opened, Slot, Tables } from '../protocol';
import { deformerOf, GpuDeformer, rigOf } from './gpuDeformer';
import { Ground } from './ground';
import { looksOf, type LooksView } from './looks';
import { texturesOf } from './materials';
import { MeshView } from './meshView';
import { project, type Point2, type Projection } from './pick';
import { PointsView } from './pointsView';
import { RingsView } from './rings';
import { type Skeleton, SkeletonView } from './skeletonView';

export type Layout = 'single' | 'side' | 'wipe';
export type ViewName = 'front' | 'back' | 'left' | 'right' | 'top' | 'bottom' | 'three-quarter';
interface Pane {
  slot: Slot;
  x: number;
  width: number;
  port: { x: number; width: number };
}

const DIRECTIONS: Record<ViewName, [number, number, number]> = {
  front: [0, 0, 1],
  back: [0, 0, -1],
  left: [1, 0, 0],
  right: [-1, 0, 0],
  top: [0, 1, 1e-4],
  bottom: [0, -1, 1e-4],
  'three-quarter': [0.62, 0.32, 0.9],
};

/** For materials of files, as the clay is lit: they hang on the camera. */
const LIGHTS: { from: [number, number, number]; strength: number }[] = [
  { from: [-0.46, 0.6, 0.66], strength: 1.6 },
  { from: [0.86, 0.02, 0.51], strength: 0.3 },
  { from: [0.45, 0.3, -0.84], strength: 0.6 },
];

export class Viewport {
  readonly canvas = document.createElement('canvas');
  readonly meshes = [new MeshView(), new MeshView()] as const;
  readonly skeleton = new SkeletonView();
  readonly rings = new RingsView();
  readonly points = new PointsView();
  readonly controls: OrbitControls;
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private readonly ground = new Ground();
  private readonly scene = new Scene();
  private readonly renderer: WebGLRenderer;
  private bones: Skeleton | null = null;
  private opened: Opened | null = null;
  private looks: LooksView | null = null;
  private readonly gpu: (GpuDeformer | null)[] = [null, null];
  private box = [-1, 0, -1, 1, 2, 1];
  private layout: Layout = 'single';
  private divider = 0.5;
  private due = false;
  private moved = true;
  private lost = false;
  private lastDraw = 0;
  private shadowTimer: ReturnType<typeof setTimeout> | undefined;
  /** Called after each drawing. */
  drawn: () => void = () => undefined;

  constructor(
    private readonly host: HTMLElement,
    takePointer: (canvas: HTMLCanvasElement) => void,
  ) {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute(
      'aria-label',
      'The character. Drag to rotate, right button or two fingers to pan, wheel to zoom.',
    );
    host.prepend(this.canvas);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.renderer.autoClear = false;
    this.renderer.setClearColor(0x000000, 0);
    this.scene.add(
      this.ground.group,
      this.meshes[0].group,
      this.meshes[1].group,
      this.skeleton.group,
      this.points.group,
      this.rings.group,
    );
    for (const { from, strength } of LIGHTS) {
      const light = new DirectionalLight(0xffffff, strength);
      light.position.set(...from);
      this.camera.add(light, light.target);
    }
    this.scene.add(this.camera);
    takePointer(this.canvas); // before the controls, so that tools come first
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = true;
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener('change', () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  /** What draws the picture, as the browser names it. */
  get graphics(): string {
    const gl = this.renderer.getContext();
    const named = gl.getExtension('WEBGL_debug_renderer_info');
    return String(gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  }

  /** Told when the graphics context goes and comes back. */
  onContext(lost: () => void, restored: () => void): void {
    this.canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.lost = true;
      this.meshes.forEach((mesh) => mesh.leave());
      lost();
    });
    this.canvas.addEventListener('webglcontextrestored', () => {
      this.lost = false;
      this.moved = true;
      if (this.looks) this.surround();
      this.invalidate();
      restored();
    });
  }

  /** bytes: of its file. */
  show(opened: Opened, bytes: Uint8Array): void {
    this.meshes.forEach((mesh) => mesh.show(opened));
    [0, 1].forEach((slot) => this.forget(slot as Slot));
    void this.dress(opened, bytes);
    this.place(opened.info.box);
  }

  /** Materials come when their pictures are decoded. */
  private async dress(opened: Opened, bytes: Uint8Array): Promise<void> {
    this.opened = opened;
    discard(this.looks);
    this.looks = null;
    const looks = await looksOf(opened, bytes).catch(() => null);
    if (!looks || this.opened !== opened) return discard(looks);
    this.looks = looks;
    this.surround();
    this.meshes.forEach((mesh) => mesh.dress(looks));
    this.invalidate();
  }

  /** A room around the character, for what shines. */
  private surround(): void {
    this.scene.environment?.dispose();
    const maker = new PMREMGenerator(this.renderer);
    const room = new RoomEnvironment();
    this.scene.environment = maker.fromScene(room, 0.04).texture;
    room.dispose();
    maker.dispose();
  }

  /** The materials of the file are on the mesh. */
  get dressed(): boolean {
    return this.looks !== null;
  }

  setLooks(on: boolean): void {
    this.meshes.forEach((mesh) => (mesh.looks = on));
    this.invalidate();
  }

  /** What the picture is about: the ground lies below it. */
  place(box: number[]): void {
    this.box = box;
    this.ground.place(box);
    this.moved = true;
    this.invalidate();
  }

  adopt(frame: Frame): void {
    frame.slots.forEach((made, k) => {
      if (made) this.meshes[k].update(made);
      else if (this.tried(k as Slot, frame)) this.meshes[k].follow(this.gpu[k]!);
    });
    this.moved = true;
    this.invalidate();
  }

  /** Puts a deformer on the graphics card; or says why not. */
  prepare(slot: Slot, tables: Tables, opened: Opened): GpuDeformer | string {
    this.forget(slot);
    if (this.lost) return 'the graphics context is lost';
    try {
      const rig = rigOf(tables, opened.rest, opened.triangles);
      const deformer = deformerOf(tables, rig);
      if (typeof deformer === 'string') return deformer;
      return (this.gpu[slot] = new GpuDeformer(this.renderer, rig, deformer));
    } catch (error) {
      return (error as Error).message;
    }
  }

  private forget(slot: Slot): void {
    this.meshes[slot].leave();
    this.gpu[slot]?.dispose();
    this.gpu[slot] = null;
  }

  /** Whether the graphics card has made a frame. */
  private tried(slot: Slot, frame: Frame): boolean {
    if (this.lost) return false;
    this.gpu[slot]?.run(frame.globals, frame.pose);
    return this.gpu[slot] !== null;
  }

  /** What the graphics card makes of a frame, without showing it. */
  async made(slot: Slot, frame: Frame): Promise<Float32Array | null> {
    return this.tried(slot, frame) ? this.gpu[slot]!.brought() : null;
  }

  /** The mesh got other vertices. */
  changed(): void {
    this.moved = true;
    this.invalidate();
  }

  setSkeleton(skeleton: Skeleton | null): void {
    this.bones = skeleton;
    this.invalidate();
  }

  setLayout(layout: Layout, divider: number): void {
    const fitted = this.fits();
    const other = this.layout !== layout;
    this.layout = layout;
    this.divider = divider;
    if (other && fitted && !this.fits()) this.frame(); // half the width: step back
    this.invalidate();
  }

  setGround(on: boolean): void {
    this.ground.group.visible = on;
    this.invalidate();
  }

  setTheme(dark: boolean): void {
    const dim = dark ? 0.88 : 1;
    this.meshes.forEach((mesh) => mesh.theme(dim, 0x1d242b));
    this.scene.environmentIntensity = 0.45 * dim;
    this.ground.theme(dark);
    this.invalidate();
  }

  invalidate(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  get eye(): Vector3 {
    return this.camera.position;
  }

  /** World length of a pixel at distance 1. */
  get unit(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.host.clientHeight);
  }

  /** Of the pane under the pointer. */
  projection(pointer: Point2): Projection {
    const pane = this.paneAt(pointer);
    this.aim(pane);
    const matrix = this.camera.projectionMatrix.clone().multiply(this.camera.matrixWorldInverse);
    return { matrix: matrix.elements, x: pane.port.x, y: 0, width: pane.port.width, height: this.host.clientHeight };
  }

  slotAt(pointer: Point2): Slot {
    return this.paneAt(pointer).slot;
  }

  ray(pointer: Point2): Ray {
    const pane = this.paneAt(pointer);
    this.aim(pane);
    const ndc = new Vector2(
      ((pointer.x - pane.port.x) / pane.port.width) * 2 - 1,
      1 - (pointer.y / this.host.clientHeight) * 2,
    );
    const far = new Vector3(ndc.x, ndc.y, 0.5).unproject(this.camera);
    return new Ray(this.eye.clone(), far.sub(this.eye).normalize());
  }

  /** Where the pointer is in the plane through `place` that faces the viewer. */
  inPlane(pointer: Point2, place: Vector3): Vector3 {
    const normal = this.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, place);
    return this.ray(pointer).intersectPlane(plane, new Vector3()) ?? place.clone();
  }

  /** Brings a box into the picture, from where the camera looks now or from a named side. */
  frame(box: number[] = this.box, view?: ViewName): void {
    const least = new Vector3().fromArray(box, 0);
    const most = new Vector3().fromArray(box, 3);
    const centre = least.clone().add(most).multiplyScalar(0.5);
    const whole = new Vector3().fromArray(this.box, 3).sub(new Vector3().fromArray(this.box, 0)).length();
    const direction = view
      ? new Vector3(...DIRECTIONS[view]).normalize()
      : this.eye.clone().sub(this.controls.target).normalize();
    if (direction.lengthSq() < 0.5) direction.set(...DIRECTIONS['three-quarter']).normalize();
    const distance = this.fitDistance(least, most, centre, direction, whole);
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.camera.near = whole * 0.01;
    this.camera.far = whole * 40;
    this.controls.target.copy(centre);
    this.controls.minDistance = whole * 0.03;
    this.controls.maxDistance = whole * 12;
    this.controls.update();
    this.invalidate();
  }

  /** A picture of what is shown now. `ground`: CSS colour behind it; null: transparent. */
  async picture(ground: string | null): Promise<Blob> {
    const rings = this.rings.group.visible;
    const floor = this.ground.group.visible;
    this.rings.group.visible = false;
    if (ground === null) this.ground.group.visible = false;
    this.draw();
    const copy = document.createElement('canvas');
    copy.width = this.canvas.width;
    copy.height = this.canvas.height;
    const context = copy.getContext('2d');
    if (!context) throw new Error('The image could not be created.');
    if (ground !== null) {
      context.fillStyle = ground;
      context.fillRect(0, 0, copy.width, copy.height);
    }
    context.drawImage(this.canvas, 0, 0);
    this.rings.group.visible = rings;
    this.ground.group.visible = floor;
    this.draw();
    return new Promise((resolve, reject) =>
      copy.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The image could not be created.'))), 'image/png'),
    );
  }

  private fitDistance(least: Vector3, most: Vector3, centre: Vector3, direction: Vector3, whole: number): number {
    const pane = this.panes()[0];
    const tanY = Math.tan((this.camera.fov * Math.PI) / 360) * 0.9;
    const tanX = tanY * (pane.port.width / Math.max(1, this.host.clientHeight));
    const up = Math.abs(direction.y) > 0.99 ? new Vector3(0, 0, -1) : new Vector3(0, 1, 0);
    const right = up.clone().cross(direction).normalize();
    up.copy(direction).cross(right);
    let distance = 0.05 * whole;
    for (let k = 0; k < 8; ++k) {
      const corner = new Vector3(k & 1 ? most.x : least.x, k & 2 ? most.y : least.y, k & 4 ? most.z : least.z).sub(
        centre,
      );
      const ahead = corner.dot(direction);
      distance = Math.max(
        distance,
        ahead + Math.abs(corner.dot(right)) / tanX,
        ahead + Math.abs(corner.dot(up)) / tanY,
      );
    }
    return distance;
  }

  /** Whether the whole box is inside the first picture from side to side. */
  private fits(): boolean {
    const view = this.projection({ x: 0, y: 0 });
    for (let k = 0; k < 8; ++k) {
      const corner = [this.box[k & 1 ? 3 : 0], this.box[k & 2 ? 4 : 1], this.box[k & 4 ? 5 : 2]];
      const p = project(corner, 0, view);
      if (!p || p.x < view.x || p.x > view.x + view.width) return false;
    }
    return true;
  }

  private panes(): Pane[] {
    const width = this.host.clientWidth;
    if (this.layout === 'single') return [{ slot: 0, x: 0, width, port: { x: 0, width } }];
    const cut = Math.round(width * this.divider);
    const parts = [
      { x: 0, width: cut },
      { x: cut, width: width - cut },
    ];
    return parts.map((part, slot) => ({
      slot: slot as Slot,
      ...part,
      port: this.layout === 'side' ? part : { x: 0, width },
    }));
  }

  private paneAt(pointer: Point2): Pane {
    const panes = this.panes();
    return panes.find((pane) => pointer.x < pane.x + pane.width) ?? panes[panes.length - 1];
  }

  private aim(pane: Pane): void {
    this.camera.aspect = pane.port.width / Math.max(1, this.host.clientHeight);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(clientWidth, clientHeight, false);
    const ratio = this.renderer.getPixelRatio();
    this.skeleton.discs.uniforms.ratio.value = this.points.discs.uniforms.ratio.value = ratio;
    this.draw();
  }

  /** With every frame where that is quick; else when the character has come to rest. */
  private drawShadow(): void {
    const now = performance.now();
    const gap = now - this.lastDraw;
    this.lastDraw = now;
    if (!this.moved || !this.ground.group.visible) return;
    if (gap > 24 && gap < 400) {
      clearTimeout(this.shadowTimer);
      this.shadowTimer = setTimeout(() => this.invalidate(), 450);
      return;
    }
    this.ground.refresh(this.renderer, this.meshes[0].group);
    this.moved = false;
  }

  private draw(): void {
    if (this.lost) return;
    this.drawShadow();
    this.camera.updateMatrixWorld();
    this.skeleton.group.visible = this.bones !== null;
    if (this.bones) this.skeleton.update(this.bones, this.camera, this.unit);
    this.rings.update(this.eye, this.unit);
    const height = this.host.clientHeight;
    this.renderer.setScissorTest(false);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    for (const pane of this.panes()) {
      this.aim(pane);
      this.renderer.setViewport(pane.port.x, 0, pane.port.width, height);
      this.renderer.setScissor(pane.x, 0, pane.width, height);
      this.meshes.forEach((mesh, slot) => (mesh.group.visible = slot === pane.slot));
      this.renderer.render(this.scene, this.camera);
    }
    this.meshes.forEach((mesh) => (mesh.group.visible = true));
    this.drawn();
  }
}

function discard(looks: LooksView | null): void {
  looks?.materials.forEach((material) => {
    texturesOf(material).forEach((texture) => texture.dispose());
    material.dispose();
  });
}
