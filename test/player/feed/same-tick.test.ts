import { expect, it } from "vitest";
import { FeedPeriod } from "../../../src/player/feed/feed-period.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { H264_FORMAT } from "../../support/hls/hls-frames.js";
import { H264_PPS, H264_SPS, idr, slice } from "../../support/media/sample-nal-units.js";
import { annexB } from "../../support/rtsp/rtp-packets.js";

const KEY_FRAME = Buffer.from(annexB(H264_SPS, H264_PPS, idr(60, 0)));
/** Behind the name of the box: version and flags, then the time. */
const TFDT_TIME_AT = 8;

function decodeTicks(message: Buffer): number {
  return Number(message.readBigUInt64BE(message.indexOf("tfdt") + TFDT_TIME_AT));
}

it("pictures of a burst, closer than a tick, have a tick each; later ones have their own", () => {
  const period = new FeedPeriod({
    ...{ feed: 1, format: H264_FORMAT, keyFrame: KEY_FRAME, decodeTimeUs: NINE_US, isShownAsDecoded: true },
  });
  const ticks = [0, 1, 2, 40_000, 40_003].map((us, at) =>
    decodeTicks(
      period.picture({
        ...{ key: at === 0, bytes: at === 0 ? KEY_FRAME : Buffer.from(annexB(slice(60, at))), sequence: at },
        ...{ decodeTimeUs: NINE_US + us, presentationOffsetUs: 0, durationUs: 40_000 },
        ...{ handoverUs: NINE_US, flags: 0 },
      }),
    ),
  );
  const [first = 0] = ticks;
  expect(ticks.map((each) => each - first)).toEqual([0, 1, 2, 3600, 3601]);
});
