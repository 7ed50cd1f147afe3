import { expect, it } from "vitest";
import { parseMoment } from "../../../src/page/playback/time/parse-moment.js";
import { writtenMoment } from "../../../src/page/playback/time/written-moment.js";
import { Zone } from "../../../src/page/state/zone.js";

const zone = new Zone("Europe/Berlin");

it.each([
  ["2026-11-20T16:35:09Z", "2026-11-20 17:35:09"],
  ["2026-10-25T00:30:00Z", "2026-10-25 02:30:00 +02:00"],
  ["2026-10-25T01:30:00Z", "2026-10-25 02:30:00 +01:00"],
])("%s is written so that it is read again as the same moment: %s", (iso, text) => {
  const moment = Date.parse(iso);
  expect(writtenMoment(zone, moment)).toBe(text);
  expect(parseMoment(text, { zone, now: moment + 1e9, shown: moment })?.moment).toBe(moment);
});

it("the offset of a zone west of Greenwich is written as programs write it", () => {
  const newfoundland = new Zone("America/St_Johns");
  expect(writtenMoment(newfoundland, Date.parse("2026-11-01T04:00:00Z"))).toBe("2026-11-01 01:30:00 -02:30");
});
