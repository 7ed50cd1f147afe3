import { describe, expect, it } from "vitest";
import { KEY_REQUEST_INTERVAL_US_MAX, KeyRequests } from "../../../src/rtsp/client/key-requests.js";
import { parseSessionDescription } from "../../../src/rtsp/client/sdp/sdp.js";
import { writeKeyRequest } from "../../../src/rtsp/rtp/rtcp.js";

const SECOND_US = 1_000_000;
const PICTURE = { key: false, damaged: false, undecodable: false };

/** Seconds at which a key frame was asked for. */
function asked(seconds: number, at: (second: number, requests: KeyRequests) => void): number[] {
  const found: number[] = [];
  let now = 0;
  const requests = new KeyRequests(() => found.push(now));
  for (now = 0; now < seconds; now += 1) {
    at(now, requests);
    requests.onTick(now * SECOND_US, now > 0);
  }
  return found;
}

describe("requests for a key frame", () => {
  it("are sent while none has come, ever more rarely", () => {
    const found = asked(300, () => undefined);
    expect(found.slice(0, 5)).toEqual([2, 6, 14, 30, 62]);
    const gaps = found.map((at, index) => at - (found[index - 1] ?? at)).slice(6);
    expect(Math.max(...gaps) * SECOND_US).toBe(KEY_REQUEST_INTERVAL_US_MAX);
  });

  it("are not sent to a camera that sends one at once", () => {
    expect(asked(60, (second, requests) => requests.onPicture({ ...PICTURE, key: second === 1 }))).toEqual(
      [],
    );
  });

  it("are sent when the key frame that pictures need was lost, and end with the next", () => {
    const found = asked(60, (second, requests) =>
      requests.onPicture({
        ...PICTURE,
        key: second === 0 || second === 33,
        undecodable: second >= 30 && second < 33,
      }),
    );
    expect(found).toEqual([31]);
  });

  it.each([
    ["a=rtcp-fb:96 nack pli", "pli"],
    ["a=rtcp-fb:* nack pli", "pli"],
    ["a=rtcp-fb:96 ccm fir", "fir"],
    ["a=rtcp-fb:97 nack pli", undefined],
    ["a=rtcp-fb:96 nack", undefined],
    ["a=rtcp-fb:", undefined],
  ])("%s: %s", (line, kind) => {
    const sdp = ["v=0", "m=video 0 RTP/AVPF 96", "a=rtpmap:96 H264/90000", line, ""].join("\r\n");
    const { tracks } = parseSessionDescription(Buffer.from(sdp), {
      requestUrl: "rtsp://camera/",
      contentBase: undefined,
      contentLocation: undefined,
    });
    expect(tracks[0]?.keyRequest).toBe(kind);
  });

  it("have the form of RFC 4585 and RFC 5104", () => {
    const fields = { ssrc: 0x01020304, mediaSsrc: 0x0a0b0c0d, number: 258 };
    expect(writeKeyRequest({ kind: "pli", ...fields }).toString("hex")).toBe("81ce0002010203040a0b0c0d");
    expect(writeKeyRequest({ kind: "fir", ...fields }).toString("hex")).toBe(
      "84ce000401020304000000000a0b0c0d02000000",
    );
  });
});
