import { locale } from "../../state/locale.js";
import { timeFormat } from "../../state/time-format.js";
import { alarmsWords } from "../../words/alarms.js";
import type { LastResult, SelectionObject } from "./model.js";

/** What is told and when, in a sentence. */
export function selectionText({
  Events,
  QuietHours: { IsOn, From, To, ErrorsAnyway },
}: SelectionObject): string {
  const words = alarmsWords();
  const quiet = IsOn ? [words.quietFrom(From, To), ...(ErrorsAnyway ? [words.errorsAnyway] : [])] : [];
  return `${[words.selections[Events], ...quiet].join(". ")}.`;
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
