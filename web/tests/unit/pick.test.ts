// SPDX-License-Identifier: Apache-2.0
import { PerspectiveCamera } from 'three';
import { expect, test } from 'vitest';
import {
  distanceToSegment,
  pickPoint,
  pickSegment,
  pickTriangle,
  project,
  turnedBy,
  type Projection,
} from '../../src/view/pick';

/** Looks from z = 5 to the origin; 90 degrees up and down, 200 by 100 pixels that begin at x = 10. */
function view(): Projection {
  const camera = new PerspectiveCamera(90, 2, 0.1, 100);
  camera.position.z = 5;
  camera.updateMatrixWorld();
  return {
    matrix: camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse).elements,
    x: 10,
    y: 0,
    width: 200,
    height: 100,
  };
}

test('the middle of the view is the middle of its pixels, and 5 up at distance 5 is its upper edge', () => {
  const middle = project([0, 0, 0], 0, view());
  expect(middle?.x).toBeCloseTo(110, 6);
  expect(middle?.y).toBeCloseTo(50, 6);
  expect(project([0, 5, 0], 0, view())?.y).toBeCloseTo(0, 6);
});

test('what is behind the camera is nowhere', () => expect(project([0, 0, 6], 0, view())).toBeNull());

test('of two joints on one spot the front one is picked, and none beyond the reach', () => {
  const joints = [0, 0, -2, 0, 0, 2, 3, 0, 0];
  expect(pickPoint({ x: 111, y: 50 }, joints, view(), 12)).toBe(1);
  expect(pickPoint({ x: 140, y: 52 }, joints, view(), 12)).toBe(2);
  expect(pickPoint({ x: 111, y: 70 }, joints, view(), 12)).toBe(-1);
});

test('a bone is picked along its whole length', () => {
  const bones = [-5, 0, 0, 5, 0, 0, 0, 2, 0, 0, 4, 0];
  expect(pickSegment({ x: 140, y: 54 }, bones, view(), 7)).toBe(0);
  expect(pickSegment({ x: 113, y: 20 }, bones, view(), 7)).toBe(1);
  expect(pickSegment({ x: 140, y: 90 }, bones, view(), 7)).toBe(-1);
});

test('the distance to a segment is that to its nearest end beyond the ends', () => {
  expect(distanceToSegment({ x: 3, y: 4 }, { x: 0, y: 0 }, { x: 0, y: 0 })).toBe(5);
  expect(distanceToSegment({ x: 13, y: 4 }, { x: 0, y: 0 }, { x: 10, y: 0 })).toBe(5);
  expect(distanceToSegment({ x: 5, y: 2 }, { x: 0, y: 0 }, { x: 10, y: 0 })).toBe(2);
});

test('a ray meets the nearest triangle and names its nearest corner', () => {
  const positions = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -3, 1, 0, -3, 0, 1, -3];
  const triangles = [3, 4, 5, 0, 1, 2];
  expect(pickTriangle([0.7, 0.1, 2], [0, 0, -1], positions, triangles)).toEqual({
    triangle: 1,
    distance: 2,
    vertex: 1,
  });
  expect(pickTriangle([0.1, 0.1, -5], [0, 0, 1], positions, triangles)).toEqual({
    triangle: 0,
    distance: 2,
    vertex: 3,
  });
  expect(pickTriangle([0.7, 0.7, 2], [0, 0, -1], positions, triangles)).toBeNull();
  expect(pickTriangle([0.1, 0.1, 2], [0, 0, 1], positions, triangles)).toBeNull();
});

test('turning is counted clockwise on the screen and does not jump at half a turn', () => {
  const centre = { x: 0, y: 0 };
  expect(turnedBy(centre, { x: 10, y: 0 }, { x: 0, y: 10 })).toBeCloseTo(Math.PI / 2);
  expect(turnedBy(centre, { x: -10, y: 0.1 }, { x: -10, y: -0.1 })).toBeCloseTo(0.02, 4);
});
