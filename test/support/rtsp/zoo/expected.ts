import type { Habit } from "./habit.js";
import type { Outcome } from "./visitor.js";

const OFF_MS = 500;
/** Until something that cannot be recorded is reported. */
const REPORTED_MS_MAX = 10_500;

/**
 * What was not as it should be of a camera with these habits; empty when all was. `lateMs`: how late things may be because
 * the machine is busy.
 */
export function problemsOf(outcome: Outcome, habits: readonly Habit[], lateMs = 0): string[] {
  return [
    ...pictureProblems(outcome, habits, lateMs),
    ...soundProblems(outcome, habits, lateMs),
    ...reportProblems(outcome, habits, lateMs),
  ];
}

function pictureProblems(outcome: Outcome, habits: readonly Habit[], lateMs: number): string[] {
  const expected = habits.flatMap(({ expect }) => expect ?? []);
  if (expected.some(({ isNothing }) => isNothing === true)) return [];
  const { sent, missing, strange, othersMissing, fragments, offMs, timesGoBack, sessions } = outcome;
  const lost = missing.filter(({ picture }) => !expected.some(({ mayMiss }) => mayMiss?.(picture) === true));
  const offMsMax = offLimit(habits) + lateMs;
  const wanted = (part: (one: (typeof expected)[number]) => number | undefined): number =>
    Math.max(1, ...expected.map((one) => part(one) ?? 1));
  return problems([
    [sent === 0, "nothing was sent"],
    [lost.length > 0, `${lost.length} of ${sent} pictures lost, the first ${lost[0]?.picture.index}`],
    [strange > 0, `${strange} pictures recorded that were not sent so`],
    [othersMissing > 0, `${othersMissing} units beside the pictures lost`],
    [fragments !== wanted((one) => one.fragments), `${fragments} fragments`],
    [offMs > offMsMax, `times up to ${offMs} ms from the arrival`],
    [timesGoBack, "times go back"],
    [sessions > wanted((one) => one.sessions), `${sessions} sessions`],
  ]);
}

function soundProblems(outcome: Outcome, habits: readonly Habit[], lateMs: number): string[] {
  const hasSound = habits.some(({ sound, expect }) => sound !== undefined && expect?.sound !== "none");
  const isNone = habits.some(({ expect }) => expect?.sound === "none");
  const { soundSent, soundRecorded, soundStrange, soundOffMs } = outcome;
  if (isNone || !hasSound) return [];
  return problems([
    [soundSent === 0, "no sound was asked for"],
    [soundRecorded < soundSent, `${soundSent - soundRecorded} of ${soundSent} packets of sound lost`],
    [soundStrange > 0, `${soundStrange} bytes of sound recorded that were not sent`],
    [soundOffMs > offLimit(habits) + lateMs, `times of sound up to ${soundOffMs} ms from the arrival`],
  ]);
}

function reportProblems({ statuses }: Outcome, habits: readonly Habit[], lateMs: number): string[] {
  return habits.flatMap(({ expect }) => {
    const words = expect?.status;
    if (words === undefined) return [];
    const first = statuses.find(({ text }) => words.test(text));
    return first === undefined || first.atMs > REPORTED_MS_MAX + lateMs
      ? [`${String(words)} was not told in time`]
      : [];
  });
}

/**
 * Habits add up: what comes late in bursts may be stamped early too. A clock that is wrong and something else at once, such as
 * pictures that are shown in another order, may be off by a second; one that is wrong beside bursts by half a second more, until two of
 * them have come.
 */
function offLimit(habits: readonly Habit[]): number {
  const own = habits.reduce(
    (sum, { expect }) => sum + Math.max(0, (expect?.offMs ?? OFF_MS) - OFF_MS),
    OFF_MS,
  );
  const clocks = habits.filter(({ kind }) => kind === "clock").length;
  if (habits.length < 2 || clocks === 0) return own;
  const isBehindBursts = clocks > 1 && habits.some(({ sentMs }) => sentMs !== undefined);
  return own + (isBehindBursts ? 2 : 1) * OFF_MS;
}

function problems(all: readonly (readonly [boolean, string])[]): string[] {
  return all.filter(([isSo]) => isSo).map(([, text]) => text);
}
