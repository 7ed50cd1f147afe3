import { describe, expect, it } from "vitest";
import { AccessUnit, type PacketRole } from "../../../src/rtsp/depacketize/access-unit.js";
import type { RtpPacket } from "../../../src/rtsp/rtp/types.js";

/** A track whose units are reported by their timestamps, in order. */
function setUp() {
  const ended: number[] = [];
  const owner = {
    ...{ isInFragment: false, mayHaveFields: false, endFragment: () => undefined },
    endUnit: ({ rtpTimestamp }: { rtpTimestamp: number }) => void ended.push(rtpTimestamp),
  };
  const unit = new AccessUnit(owner);
  const packet = (role: PacketRole, timestamp: number, { marker = false, picture = true } = {}): void => {
    const one = { timestamp, marker, lost: 0 } as RtpPacket;
    unit.begin(one, role);
    if (picture) unit.addPicture(role === "starts");
    unit.end(one);
  };
  return { owner, unit, ended, packet };
}

const MARKED = { marker: true };

describe("what was learned of a track", () => {
  it("that markers end units: from the second on each ends with its own, and after a reset none at first", () => {
    const { unit, ended, packet } = setUp();
    packet("starts", 1, MARKED);
    expect(ended).toEqual([]);
    packet("starts", 2, MARKED);
    expect(ended).toEqual([1, 2]);
    unit.reset();
    packet("starts", 3, MARKED);
    expect(ended).toEqual([1, 2]);
    packet("starts", 4, MARKED);
    expect(ended).toEqual([1, 2, 3, 4]);
  });

  it("that a picture went on after silence: silence ends no unit more, and after a reset does again", () => {
    const { unit, ended, packet } = setUp();
    packet("starts", 1);
    unit.finishSilent();
    expect(ended).toEqual([1]);
    packet("continues", 1);
    packet("starts", 2);
    unit.finishSilent();
    expect(ended).toEqual([1, 1]);
    unit.reset();
    packet("starts", 3);
    unit.finishSilent();
    expect(ended).toEqual([1, 1, 3]);
  });

  it("that units end in the midst of fragments: markers there end them, and after a reset do not", () => {
    const { owner, unit, ended, packet } = setUp();
    owner.isInFragment = true;
    packet("starts", 1, MARKED);
    packet("starts", 2, MARKED);
    expect(ended).toEqual([1, 2]);
    unit.reset();
    owner.isInFragment = false;
    packet("starts", 3, MARKED);
    packet("starts", 4, MARKED);
    owner.isInFragment = true;
    packet("starts", 5, MARKED);
    expect(ended).toEqual([1, 2, 3, 4]);
  });

  it("that timestamps stand still: what precedes a picture ends the one before, and after a reset does not", () => {
    const { unit, ended, packet } = setUp();
    packet("starts", 1);
    packet("starts", 1);
    packet("precedes", 1, { picture: false });
    expect(ended).toEqual([1, 1]);
    unit.reset();
    packet("starts", 2);
    packet("precedes", 2, { picture: false });
    expect(ended).toEqual([1, 1]);
  });
});

it("a unit that is under way is forgotten by a reset", () => {
  const { unit, ended, packet } = setUp();
  packet("starts", 1);
  unit.reset();
  unit.finish();
  expect(ended).toEqual([]);
});
