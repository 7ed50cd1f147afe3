import { locale } from "../../state/locale.js";
import { timeFormat } from "../../state/time-format.js";
import { alarmsWords } from "../../words/alarms.js";
import type { LastResult, SelectionObject } from "./model.js";

/** What is sent and when, in a sentence. */
export function selectionText({ Events, QuietHours: quiet, SendingHours: hours }: SelectionObject): string {
  const words = alarmsWords();
  const when = quiet.IsOn ? [words.quietFrom(quiet.From, quiet.To)] : hours.IsOn ? [words.times.Week] : [];
  const errors = (quiet.IsOn && quiet.ErrorsAnyway) || (hours.IsOn && hours.ErrorsAnyway);
  return `${[words.selections[Events], ...when, ...(errors ? [words.errorsAnyway] : [])].join(". ")}.`;
}

/** How the last message went. */
export function LastLine({ last }: { readonly last: LastResult | null }) {
  const words = alarmsWords();
  if (last === null) return <p class="hint">{words.neverSent}</p>;
  const moment = { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" } as const;
  const time = timeFormat(locale.value, moment).format(Date.parse(last.Time));
  const what = last.IsTest ? words.lastTest : words.lastMessage;
  if (last.IsSent) return <p class="hint">{`${what(time)} ${words.accepted}`}</p>;
  return <p class="advice">{`${what(time)} ${words.refused(last.Problem ?? "")}`}</p>;
}
