import { describe, expect, test } from "vitest";
import { addressOfFile, nameIn, parameterTime } from "../../../src/page/playback/export/file-request.js";
import { boxBetween, settled } from "../../../src/page/playback/motion/box.js";
import { columnsFor } from "../../../src/page/playback/watch/columns.js";

describe("a part of the picture", () => {
  test("lies between two corners, whichever comes first", () => {
    const box = { left: 0.2, top: 0.3, width: 0.4, height: 0.5 };
    expect(boxBetween([0.2, 0.3], [0.6, 0.8])).toEqual(box);
    expect(boxBetween([0.6, 0.8], [0.2, 0.3])).toEqual(box);
  });

  test("is cut at the picture's edges", () => {
    expect(boxBetween([-0.5, 0.5], [0.5, 2])).toEqual({ left: 0, top: 0.5, width: 0.5, height: 0.5 });
  });

  test("is never too small, and never outside", () => {
    expect(settled({ left: 2, top: -1, width: 0, height: 5 })).toEqual({
      left: 0.98,
      top: 0,
      width: 0.02,
      height: 1,
    });
  });
});

describe("a file", () => {
  const order = {
    channel: "c",
    span: { from: Date.UTC(2026, 10, 1, 9), to: Date.UTC(2026, 10, 1, 10) },
    sound: true,
  };

  test("is asked for by UTC times as parameters have them", () => {
    expect(parameterTime(Date.UTC(2026, 10, 1, 9, 5, 7, 40))).toBe("01.11.2026 09:05:07.040");
    expect(addressOfFile(order)).toBe(
      "/exportarchive?channelid=c&fromtime=01.11.2026+09%3A00%3A00.000&totime=01.11.2026+10%3A00%3A00.000&sound=on",
    );
    expect(addressOfFile({ ...order, sound: false, part: 2 })).toMatch(/&sound=off&part=2$/);
  });

  test("has the name that the service offers, in any script", () => {
    expect(nameIn(`attachment; filename="x.mp4"; filename*=UTF-8''%D0%94%D0%B2%D0%BE%D1%80.mp4`)).toBe(
      "Двор.mp4",
    );
    expect(nameIn(`attachment; filename="gate.mp4"`)).toBe("gate.mp4");
    expect(nameIn(`attachment; filename="gate.mp4"; filename*=UTF-8''%E0%A4%A`)).toBe("gate.mp4");
    expect(nameIn(null)).toBeUndefined();
  });
});

test("pictures stand in the columns in which they are largest", () => {
  expect(columnsFor(1, 1000, 600)).toBe(1);
  expect(columnsFor(4, 1600, 900)).toBe(2);
  expect(columnsFor(2, 390, 600)).toBe(1);
  expect(columnsFor(16, 1600, 900)).toBe(4);
});
