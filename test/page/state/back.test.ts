import { beforeEach, describe, expect, it } from "vitest";
import { BackLayers, type HistoryLike } from "../../../src/page/state/back.js";

/** A browser's history: `back` happens later. */
class ScriptedHistory implements HistoryLike {
  readonly steps: unknown[] = [null];
  at = 0;
  #waiting = 0;

  get state(): unknown {
    return this.steps[this.at];
  }

  pushState(state: unknown): void {
    this.steps.splice(this.at + 1);
    this.steps.push(state);
    this.at += 1;
  }

  replaceState(state: unknown): void {
    this.steps[this.at] = state;
  }

  back(): void {
    this.#waiting += 1;
  }

  /** What the browser was asked for happens. */
  settle(layers: BackLayers): void {
    while (this.#waiting > 0) {
      this.#waiting -= 1;
      this.at -= 1;
      layers.follow();
    }
  }

  /** Somebody presses "back". */
  press(layers: BackLayers): void {
    this.back();
    this.settle(layers);
  }
}

describe("layers over a screen", () => {
  let history: ScriptedHistory;
  let layers: BackLayers;
  let closed: string[];
  const open = (name: string): void => layers.open(name, () => closed.push(name));
  beforeEach(() => {
    history = new ScriptedHistory();
    layers = new BackLayers(history);
    closed = [];
  });

  it("are closed by back, the last one first, before the screen is left", () => {
    open("list");
    open("tile");
    history.press(layers);
    expect([closed, history.at]).toEqual([["tile"], 1]);
    history.press(layers);
    expect([closed, history.at]).toEqual([["tile", "list"], 0]);
  });

  it("that are closed in another way leave no step behind", () => {
    open("list");
    open("tile");
    layers.closed("tile");
    history.settle(layers);
    layers.closed("list");
    history.settle(layers);
    expect([closed, history.at]).toEqual([[], 0]);
  });

  it("that are closed together, in any order, leave no step behind", () => {
    open("list");
    open("tile");
    layers.closed("list");
    layers.closed("tile");
    history.settle(layers);
    expect([closed, history.at]).toEqual([[], 0]);
  });

  it("that are opened while a step is taken back have theirs all the same", () => {
    open("tile");
    layers.closed("tile");
    open("tile");
    history.settle(layers);
    expect([closed, history.at]).toEqual([[], 1]);
    history.press(layers);
    expect([closed, history.at]).toEqual([["tile"], 0]);
  });

  it("take no step back when the screen was left for another one", () => {
    open("tile");
    history.pushState(null);
    layers.closed("tile");
    history.settle(layers);
    expect(history.at).toBe(2);
    history.at = 1;
    open("tile");
    expect(history.steps).toHaveLength(3);
    history.press(layers);
    expect([closed, history.at]).toEqual([["tile"], 0]);
  });

  it("are none after the page was loaded again", () => {
    open("tile");
    layers = new BackLayers(history);
    open("list");
    history.press(layers);
    expect(closed).toEqual(["list"]);
  });
});
