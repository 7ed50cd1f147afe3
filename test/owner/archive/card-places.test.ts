import { expect, it } from "vitest";
import { CardPlaces } from "../../../src/owner/archive/card-places.js";

it("of one camera one playback runs at once", () => {
  const places = new CardPlaces();
  const leave = places.take("gate");
  expect(() => places.take("gate")).toThrow("another playback of this camera");
  leave();
  places.take("gate");
});

it("four playbacks run at once", () => {
  const places = new CardPlaces();
  const leave = ["1", "2", "3", "4"].map((id) => places.take(id));
  expect(() => places.take("5")).toThrow("4 playbacks from cameras are running");
  leave[0]?.();
  places.take("5");
});

it("a place that was given back twice is not taken from who has it now", () => {
  const places = new CardPlaces();
  const leave = places.take("gate");
  leave();
  places.take("gate");
  leave();
  expect(() => places.take("gate")).toThrow("another playback");
});

it("the playbacks of one service do not count in another", () => {
  new CardPlaces().take("gate");
  expect(() => new CardPlaces().take("gate")).not.toThrow();
});
