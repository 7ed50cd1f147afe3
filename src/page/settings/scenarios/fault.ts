import { scenariosWords } from "../../words/settings/scenarios.js";
import type { Action, Scenario, Start } from "./model.js";

/** What a scenario needs still, in words; undefined: nothing. */
export function faultOf({ Name, Actions, Starts }: Scenario): string | undefined {
  const words = scenariosWords();
  if (Name.trim() === "") return words.nameNeeded;
  if (Actions.length === 0) return words.actionNeeded;
  const action = Actions.findIndex(lacks);
  if (action >= 0) return words.actionLacks(action + 1);
  const start = Starts.findIndex(startLacks);
  return start >= 0 ? words.startLacks(start + 1) : undefined;
}

function lacks({ Type, Seconds, Preset, Output, AnnouncementId }: Action): boolean {
  switch (Type) {
    case "Record":
      return !Seconds;
    case "Preset":
      return Preset == null || Number.isNaN(Preset);
    case "Output":
      return !Output;
    case "Announcement":
      return !AnnouncementId;
    default:
      return false;
  }
}

function startLacks(start: Start): boolean {
  return start.Type === "Event"
    ? start.EventTypeIds.length === 0
    : start.Days.length === 0 || start.Time === "";
}
