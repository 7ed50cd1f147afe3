import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import type { ClipName } from "../../support/rtsp/zoo/clips.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import type { Habit, ZooPacket } from "../../support/rtsp/zoo/habit.js";
import type { Outcome } from "../../support/rtsp/zoo/visitor.js";
import { visitZoo } from "../../support/rtsp/zoo/zoo-world.js";

/** What a network over UDP makes of the packets of one picture, whose numbers are right. */
const ORDERS: Readonly<Record<string, (packets: readonly ZooPacket[]) => ZooPacket[]>> = {
  "come the last one first": (packets) => packets.toReversed(),
  "come in pairs that are swapped": (packets) =>
    packets
      .flatMap((packet, at) => (at % 2 === 1 ? [packet, packets[at - 1] ?? packet] : []))
      .concat(packets.length % 2 === 1 ? packets.slice(-1) : []),
  "come with the last one before all others": (packets) => [...packets.slice(-1), ...packets.slice(0, -1)],
};
const CLIPS: readonly (ClipName | undefined)[] = [undefined, "mjpeg", "h265Slices"];
const SECONDS = 20;

const cameras = Object.entries(ORDERS).flatMap(([name, order]) =>
  CLIPS.map((clip): Habit => {
    const packets = (each: ZooPacket[]) => order(each);
    return { name, kind: "numbering", report: "RFC 3550, 5.1", over: "udp", clip, packets };
  }),
);

describe("packets of each picture that", () => {
  const directory = new TemporaryDirectory();
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    const visits = cameras.map(
      (habit, at) => ({ habits: [habit], transport: "udp", seconds: SECONDS, seed: 1 + at }) as const,
    );
    outcomes = await visitZoo(directory.path, visits);
  });
  afterAll(() => directory.remove());

  it.each(cameras.map((camera, at) => ({ ...camera, at })))(
    "$name are recorded whole, of $clip",
    ({ at }) => {
      const [outcome, habit] = [outcomes[at], cameras[at]];
      if (outcome === undefined || habit === undefined) throw new Error("it was not visited");
      expect(problemsOf(outcome, [habit])).toEqual([]);
    },
  );
});
