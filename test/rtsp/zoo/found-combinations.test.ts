import { expect, it } from "vitest";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import { HABITS } from "../../support/rtsp/zoo/habits/index.js";
import type { Visit } from "../../support/rtsp/zoo/visitor.js";
import { visitZoo } from "../../support/rtsp/zoo/zoo-world.js";

type Found = Omit<Visit, "habits"> & { readonly names: readonly string[] };

/** Each is held to what a single habit is. */
const OFF_MS_MAX = 500;
const OPEN_GROUPS = "key frames: sends recovery points of open groups and no IDR picture";
const DARK = "clock: sends two pictures a second in the dark";
const ELSEWHERE = "session: puts the parameters of its video into the section of its sound";

/** What runs with drawn seeds have found, and its kind. */
const FOUND: readonly (readonly [string, Found])[] = [
  [
    "sends two pictures a second in the dark, in open groups, with its parameters elsewhere",
    { names: [DARK, OPEN_GROUPS, ELSEWHERE], transport: "udp", seconds: 40, seed: 814_131 },
  ],
  [
    "sends two pictures a second in the dark, some of which wait for others",
    { names: [DARK, "packets: sends B pictures"], transport: "tcp", seconds: 40, seed: 1 },
  ],
  [
    "sends two pictures of H.265 a second in the dark, some of which wait for others",
    { names: [DARK, "H.265: sends B pictures"], transport: "udp", seconds: 40, seed: 1 },
  ],
  [
    "gives each track a session of its own, each for two seconds",
    {
      names: [
        "session: names a time limit of two seconds",
        "transport: names another session for each track, and plays each by its own",
      ],
      ...{ transport: "udp", seconds: 40, seed: 1 },
    },
  ],
  [
    "stamps its sound at random distances, on a machine that stands still for three seconds",
    {
      names: ["sound: stamps its sound at random distances"],
      ...{ transport: "udp", seconds: 20, seed: 823_958, held: [8, 11] },
    },
  ],
];

it.each(FOUND)("a camera that %s is recorded, at its times", async (_does, { names, ...visit }) => {
  const habits = names.map(
    (wanted) => HABITS.find(({ kind, name }) => `${kind}: ${name}` === wanted) ?? expect.unreachable(wanted),
  );
  const [outcome] = await visitZoo(await temporaryDirectory(), [{ ...visit, habits }]);
  if (outcome === undefined) throw new Error("it was not visited");
  expect(problemsOf(outcome, habits)).toEqual([]);
  expect(outcome.offMs).toBeLessThan(OFF_MS_MAX);
});
