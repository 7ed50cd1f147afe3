import { expect, it } from "vitest";
import { decodeHeader } from "../../../src/page/player/media-header.js";
import { mediaMessage } from "../../support/page/live-media.js";

const HEADER = {
  kind: "fragment",
  isKey: true,
  isDiscontinuity: false,
  isSound: true,
  isPlayback: true,
  feed: 4_000_000_001,
  wallMs: 1_795_399_200_123.456,
  handOverMs: 1_795_399_200_131.002,
  durationMs: 40,
  sequence: 4_294_967_295,
} as const;

it("the header of a message is read field by field, to the microsecond", () => {
  expect(decodeHeader(mediaMessage(HEADER, new Uint8Array(9)))).toEqual(HEADER);
});

it("an unknown kind, an empty and a short message are left out", () => {
  const unknown = mediaMessage(HEADER, new Uint8Array(9));
  new DataView(unknown).setUint8(0, 7);
  expect(decodeHeader(unknown)).toBeUndefined();
  expect(decodeHeader(mediaMessage(HEADER, new Uint8Array(0)))).toBeUndefined();
  expect(decodeHeader(new ArrayBuffer(5))).toBeUndefined();
});
