import { describe, expect, it } from "vitest";
import { movedBy, partSeen, WHOLE, zoomedAt } from "../../../src/page/player/zoom.js";

const BOX = { width: 400, height: 200 };

describe("zoom into a picture", () => {
  it("leaves what is under the pointer where it is", () => {
    const at = { x: 300, y: 50 };
    const view = zoomedAt(WHOLE, BOX, 2, at);
    expect(view).toEqual({ scale: 2, x: -300, y: -50 });
    const further = zoomedAt(view, BOX, 2, at);
    expect((at.x - further.x) / further.scale).toBeCloseTo(300);
  });

  it("shows nothing beside the picture, however it is moved", () => {
    const view = zoomedAt(WHOLE, BOX, 2, { x: 200, y: 100 });
    expect(movedBy(view, BOX, { x: 1000, y: 1000 })).toEqual({ scale: 2, x: 0, y: 0 });
    expect(movedBy(view, BOX, { x: -1000, y: -1000 })).toEqual({ scale: 2, x: -400, y: -200 });
  });

  it("ends with the whole picture, and at eight times", () => {
    const view = zoomedAt(WHOLE, BOX, 100, { x: 0, y: 0 });
    expect(view.scale).toBe(8);
    expect(zoomedAt(view, BOX, 0.01, { x: 10, y: 10 })).toBe(WHOLE);
  });

  it("says which part is seen", () => {
    const view = zoomedAt(WHOLE, BOX, 4, { x: 400, y: 200 });
    expect(partSeen(view, BOX)).toEqual({ left: 75, top: 75, size: 25 });
  });
});
