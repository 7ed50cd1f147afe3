/** What the summary is made of. */
export interface SummaryFigures {
  /** Channels that are switched on. */
  readonly camerasOn: number;
  /** Those of them that are to be recorded now: by their mode, schedule, motion or user. */
  readonly camerasToRecord: number;
  /** Those of these whose frames go to the disk. */
  readonly camerasRecording: number;
  /** Days until the oldest recordings are deleted, at the present rate; undefined while that is not known. */
  readonly daysLeft: number | undefined;
  /** Days that are held when the volumes are full, at the present rate; undefined while that is not known. */
  readonly daysHeld: number | undefined;
  /** The problems, the worst first. */
  readonly problems: readonly { readonly text: string }[];
}

/** A line longer than that is cut in systemctl and on a small screen. */
export const SUMMARY_LENGTH_MAX = 200;

/** How the recorder is, in one line for a person: `16 of 16 recording, 41 days left`. */
export function healthSummary(figures: SummaryFigures): string {
  const { problems } = figures;
  const state = [recordingText(figures), daysText(figures)].filter((part) => part !== undefined).join(", ");
  const [worst, ...others] = problems;
  if (worst === undefined) return state;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const room = SUMMARY_LENGTH_MAX - state.length - more.length - "; ".length;
  return `${state}; ${shortened(worst.text, room)}${more}`;
}

function recordingText({ camerasOn, camerasToRecord, camerasRecording }: SummaryFigures): string {
  if (camerasOn === 0) return "no cameras";
  const waiting = camerasOn - camerasToRecord;
  if (camerasToRecord === 0) return `${waiting} waiting to record`;
  const recording = `${camerasRecording} of ${camerasToRecord} recording`;
  return waiting === 0 ? recording : `${recording}, ${waiting} waiting to record`;
}

/** A full archive is normal: it then holds a constant number of days. */
function daysText({ daysLeft, daysHeld }: SummaryFigures): string | undefined {
  if (daysLeft === undefined || daysHeld === undefined) return undefined;
  if (daysLeft >= 1) return `${days(daysLeft)} left`;
  return daysHeld >= 1 ? `holds ${days(daysHeld)}` : "holds less than a day";
}

function days(count: number): string {
  const whole = Math.floor(count);
  return whole === 1 ? "1 day" : `${whole} days`;
}

function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, Math.max(0, lengthMax - 1))}…`;
}
