import {
  asText,
  choice,
  flag,
  group,
  id,
  listOf,
  meaning,
  nullable,
  number,
  text,
  type ValueOf,
} from "../kinds/kinds.js";
import { WEEK_DAYS } from "../kinds/week.js";
import { HUB_CEILINGS } from "../resource/fleet.js";

/** A box's hub, and a hub's boxes: `/api/hub`, `/api/boxes`. */

export const HUB_PROBLEMS = ["Unreachable", "Foreign", "Refused", "Silent", "Ended", "Thread"] as const;

/** The hub that a recorder belongs to. */
export const hubState = group({
  Hub: meaning("Where it is.", text),
  JoinedTime: text,
  Ceiling: asText(choice(...HUB_CEILINGS)),
  KilobitsPerSecondMax: nullable(number),
  Hours: listOf(
    group({
      Day: asText(choice(...WEEK_DAYS)),
      FromMinute: number,
      ToMinute: number,
      KilobitsPerSecondMax: nullable(number),
    }),
  ),
  IsConnected: flag,
  SinceTime: meaning("Since when it is connected, or is not.", text),
  Problem: meaning(
    "Why it is not connected. `Unreachable`: nothing answers there; `Foreign`: what answers is not the hub; `Refused`: the hub does not take this recorder, because it was removed there or its certificate has ended; `Silent`: the hub answered no more; `Ended`: the connection has ended; `Thread`: the system has no thread or memory for it.",
    nullable(asText(choice(...HUB_PROBLEMS))),
  ),
  Detail: meaning("The error, in words of the system.", nullable(text)),
});
export type HubState = ValueOf<typeof hubState>;

export const BOX_SILENCES = ["Never", "Started", "Ended", "Silent", "Closed"] as const;

/** A recorder of a hub. */
const box = group({
  Id: id,
  Name: text,
  Version: nullable(text),
  Health: meaning("In a sentence, in English.", nullable(text)),
  AddedTime: text,
  SeenTime: meaning("When the hub heard of it last; null: never.", nullable(text)),
  IsConnected: flag,
  Silence: meaning(
    "Why it is not connected. `Never`: it has not come yet; `Started`: it has not come since the hub has started; `Ended`: its connection has ended, by the recorder or on the way; `Silent`: it answered no more; `Closed`: by the hub.",
    nullable(asText(choice(...BOX_SILENCES))),
  ),
});
export type HubBox = ValueOf<typeof box>;

export const hubBoxes = group({
  Boxes: listOf(box),
  Problem: meaning("Why recorders cannot connect; null: they can.", nullable(text)),
});
export type HubBoxes = ValueOf<typeof hubBoxes>;

export const hubCode = group({
  Code: meaning("To be pasted at the recorder.", text),
  UntilTime: text,
});
export type HubCodeAnswer = ValueOf<typeof hubCode>;
