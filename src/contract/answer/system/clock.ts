import { CLOCK_WITNESSES } from "../../../base/index.js";
import { choice, flag, group, meaning, nullable, time, type ValueOf } from "../../kinds/kinds.js";

/** Whether the recorder's clock can be believed: `/api/clock`. */

/** Who vouches for the clock. */
export const clockWitness = meaning(
  "Who vouches for the clock: a time server, a battery-backed clock, the host of a virtual machine, somebody who set it while the service ran, an operator by `POST /api/clock`, or `clockTrust` of the settings. Null while nobody does.",
  nullable(choice(...CLOCK_WITNESSES)),
);

export const clock = group({
  Time: meaning("The time that recordings get now: provisional while the clock is not known.", time),
  IsKnown: meaning("See [time](../design/time.md).", flag),
  KnownBy: clockWitness,
});
export type ClockState = ValueOf<typeof clock>;
