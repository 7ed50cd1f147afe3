import type { SeededRandom } from "../../base/seeded-random.js";
import { CLIPS } from "./clips.js";
import type { Habit } from "./habit.js";

/** Parts that a camera has one of: two habits that both say it do not go together. */
const SINGLE = ["takenMs", "sentMs", "pieces", "sound", "from", "sendsFrom"] as const;
const TRIES_MAX = 1000;

/** Habits of which one camera cannot have both, by their names, and why nothing could be asked of a recorder. */
const NEVER_BOTH: readonly (readonly [one: RegExp, other: RegExp, why: string])[] = [
  [
    /leaves its timestamps at 0/,
    /anew with each key frame|from 0 with each key frame/,
    "a parameter set or SEI with the number, the time and the bytes of an earlier one is that one once more, for all that it says",
  ],
  [
    /one picture in twelve seconds/,
    /refreshes its pictures|first key frame after 63 seconds/,
    "none of the few pictures of a run is one to begin with",
  ],
  [
    /gives (?:all packets|two packets in turn) the same number/,
    /sends (?:each packet|a packet|the packets of each third picture) twice/,
    "nothing tells a packet that comes again from one that is equal",
  ],
  [
    /neither start nor end bit/,
    /each slice of a picture anew|four slices|slices of a picture/,
    "nothing says where a slice ends and the next one begins",
  ],
  [
    /scalable and the multi-view extension/,
    /each slice of a picture anew|each packet of a picture anew/,
    "a unit before a slice, with a time of its own, says nothing of whether that slice begins a picture",
  ],
  [
    /plays by the address of a track alone/,
    /gives no track a control/,
    "it knows an address that it does not tell",
  ],
  [
    /one picture in twelve seconds/,
    /B pictures|open groups|plain I pictures|CRA|temporal layers/,
    "its encoder would keep the first picture for 24 seconds, and until then such a camera looks like one that sends nothing",
  ],
];

function areNeverBoth(habits: readonly Habit[]): boolean {
  const isAny = (name: RegExp): boolean => habits.some((habit) => name.test(habit.name));
  return NEVER_BOTH.some(([one, other]) => isAny(one) && isAny(other));
}

/** Whether one camera can have all of these habits, over this transport. */
export function goTogether(habits: readonly Habit[], transport: "tcp" | "udp"): boolean {
  const clips = new Set(habits.flatMap(({ clip }) => clip ?? []));
  const claims = habits.flatMap((habit) => habit.claims ?? []);
  const [clip = "h264"] = clips;
  const { codec } = CLIPS[clip];
  return (
    clips.size <= 1 &&
    !areNeverBoth(habits) &&
    !habits.some(({ expect }) => expect?.isNothing === true || (expect?.sessions ?? 1) > 1) &&
    SINGLE.every((name) => habits.filter((habit) => habit[name] !== undefined).length <= 1) &&
    new Set(claims).size === claims.length &&
    !(claims.includes("description") && habits.some(({ sound }) => sound !== undefined)) &&
    habits.every(({ over = transport }) => over === transport) &&
    habits.every(({ codecs = [codec] }) => codecs.includes(codec))
  );
}

/** `count` of the habits that go together, by the random numbers. */
export function combination(options: {
  readonly habits: readonly Habit[];
  readonly count: number;
  readonly transport: "tcp" | "udp";
  readonly random: SeededRandom;
}): readonly Habit[] {
  const { habits, count, transport, random } = options;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const chosen = new Set(Array.from({ length: count }, () => random.pick(habits)));
    if (chosen.size === count && goTogether([...chosen], transport)) return [...chosen];
  }
  throw new Error(`no ${count} habits go together over ${transport}`);
}
