// SPDX-License-Identifier: Apache-2.0
// Small things to drag: control points of cages with their edges, point handles, pinned vertices.
import { BufferGeometry, Group, LineBasicMaterial, LineSegments, Points } from 'three';
import { discMaterial, fill, fillPoints } from './skeletonView';

export interface Dots {
  /** 3 a point. */
  places: number[];
  /** Pairs of points. */
  edges: number[];
  selected: number;
  hovered: number;
  /** 8-bit. */
  colour: [number, number, number];
}

const ACCENT = [74, 140, 214];

export class PointsView {
  readonly group = new Group();
  readonly discs = discMaterial();
  private readonly points = new Points(new BufferGeometry(), this.discs);
  private readonly lines = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({
      color: 0x3b6ea5,
      transparent: true,
      opacity: 0.55,
      depthTest: false,
      depthWrite: false,
    }),
  );

  constructor() {
    for (const object of [this.points, this.lines]) object.frustumCulled = false;
    this.lines.renderOrder = 14;
    this.points.renderOrder = 15;
    this.group.add(this.lines, this.points);
  }

  update(dots: Dots | null): void {
    this.group.visible = dots !== null && dots.places.length > 0;
    if (!dots) return;
    const count = dots.places.length / 3;
    const many = count > 60;
    const colours: number[] = [],
      sizes: number[] = [],
      lines: number[] = [];
    for (let i = 0; i < count; ++i) {
      colours.push(...(i === dots.selected ? ACCENT : dots.colour).map((c) => c / 255));
      sizes.push((i === dots.selected || i === dots.hovered ? 5 : 0) + (many ? 8 : 11));
    }
    for (const i of dots.edges) lines.push(dots.places[3 * i], dots.places[3 * i + 1], dots.places[3 * i + 2]);
    fillPoints(this.points.geometry, dots.places, colours, sizes);
    fill(this.lines.geometry, lines, null);
  }
}
