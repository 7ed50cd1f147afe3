import { expect, it } from "vitest";
import { readFrigateMessage } from "../../src/analysis/index.js";

/** As Frigate 0.16 publishes it. */
const AFTER = {
  id: "1607123955.475377-mxklsc",
  camera: "front_door",
  frame_time: 1607123962.082975,
  snapshot: { frame_time: 1607123965.975463, box: [415, 489, 528, 700], area: 12728, score: 0.77546 },
  label: "person",
  sub_label: null,
  top_score: 0.958984375,
  false_positive: false,
  start_time: 1607123955.475377,
  end_time: null,
  score: 0.87890625,
  box: [432, 496, 544, 720],
  area: 40096,
  region: [218, 440, 693, 915],
  current_zones: ["yard"],
  has_snapshot: false,
  stationary: false,
};
const SIZE = { width: 1280, height: 720 };

function read(change: object, message: object = {}) {
  return readFrigateMessage(
    Buffer.from(JSON.stringify({ type: "new", before: AFTER, after: { ...AFTER, ...change }, ...message })),
  );
}

it("a message is the thing that Frigate tracks, with its box as parts of the picture", () => {
  const message = read({});
  expect(message).toMatchObject({ id: AFTER.id, camera: "front_door", isOver: false });
  expect(message?.findings(SIZE)).toEqual([
    {
      kind: "person",
      label: "person",
      confidence: 0.958984375,
      box: {
        ...{ left: 432 / 1280, top: 496 / 720 },
        ...{ width: expect.closeTo(112 / 1280), height: expect.closeTo(224 / 720) },
      },
    },
  ]);
});

it("a plate and a person's name are findings of their own", () => {
  const car = { label: "car", recognized_license_plate: "AB 12 CD", recognized_license_plate_score: 0.93 };
  expect(read(car)?.findings(SIZE)).toMatchObject([
    { kind: "vehicle", label: "car" },
    { kind: "plate", number: "AB12CD", confidence: 0.93 },
  ]);
  expect(
    read({ ...car, recognized_license_plate: ["XY9", 0.7], recognized_license_plate_score: null })?.findings(
      SIZE,
    ),
  ).toMatchObject([{}, { number: "XY9", confidence: 0.7 }]);
  expect(read({ sub_label: ["Eli", 0.514] })?.findings(SIZE)).toMatchObject([
    { kind: "person" },
    { kind: "face", person: "Eli", confidence: 0.514 },
  ]);
  expect(read({ label: "car", sub_label: "amazon" })?.findings(SIZE)).toHaveLength(1);
});

it("a thing that is gone, or never was, is over", () => {
  expect(read({}, { type: "end" })?.isOver).toBe(true);
  expect(read({ false_positive: true })?.isOver).toBe(true);
});

it.each([
  ["nothing", Buffer.alloc(0)],
  ["no JSON", Buffer.from("online")],
  ["no object", Buffer.from('["after"]')],
  ["no after", Buffer.from('{"type": "new"}')],
  ["an after that is a list", Buffer.from('{"type": "new", "after": []}')],
  ["more than 32 KiB", Buffer.from(JSON.stringify({ after: { ...AFTER, more: "x".repeat(33_000) } }))],
  ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x80])],
])("%s is no event", (_what, payload) => {
  expect(readFrigateMessage(payload)).toBeUndefined();
});

it.each([
  ["camera", 7],
  ["id", null],
  ["id", "x".repeat(129)],
  ["label", ["person"]],
])("a wrong %s makes it none", (name, value) => {
  expect(read({ [name]: value })).toBeUndefined();
});

it("a box of a wrong form leaves the thing without a place", () => {
  for (const box of [null, "1,2,3,4", [1, 2, 3], [1, 2, 3, "4"], [NaN, 0, 1, 1], [9, 9, 1, 1]])
    expect(read({ box })?.findings(SIZE)[0]?.box).toBeUndefined();
});
