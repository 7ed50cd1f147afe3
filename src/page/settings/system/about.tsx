import type { Health } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { say, sayError } from "../../control/notice.js";
import { durationWords } from "../../state/figures.js";
import { locale } from "../../state/locale.js";
import { timeFormat } from "../../state/time-format.js";
import { systemWords } from "../../words/settings/system.js";
import { confirmTime } from "./model.js";

/** Version, time and who vouches for it, and since when it runs. */
export function About({ state }: { readonly state: Health }) {
  const words = systemWords();
  const { Clock, Machine, Service, Versions } = state;
  const rows: readonly (readonly [string, string])[] = [
    [words.version, Versions.Nvrd],
    [words.time, momentWords(state.Time, true)],
    [words.timeFrom, words.witness[Clock.KnownBy ?? "nobody"]],
    ...(Machine.UptimeSeconds === null ? [] : [[words.boxUp, durationWords(Machine.UptimeSeconds)] as const]),
    [words.recorderUp, durationWords(Service.UptimeSeconds)],
  ];
  return (
    <article class="card">
      <h3>{words.about}</h3>
      <dl class="figures-list">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {!Clock.IsKnown && (
        <div class="edit-buttons">
          <Button onClick={() => void confirmTime().then(() => say(words.timeConfirmed), sayError)}>
            {words.timeIsRight}
          </Button>
        </div>
      )}
      <details>
        <summary>{words.starts}</summary>
        <ul class="start-list">
          {state.Restarts.map(({ Start, LastSeen, End, Version }) => (
            <li key={Start}>
              {`${End === null ? words.since(momentWords(Start)) : words.started(momentWords(Start), momentWords(LastSeen))}: ${words.end[End ?? "running"]} · ${Version}`}
            </li>
          ))}
        </ul>
      </details>
    </article>
  );
}

function momentWords(time: string, withSeconds = false): string {
  const format = timeFormat(locale.value, {
    dateStyle: "medium",
    timeStyle: withSeconds ? "medium" : "short",
  });
  return format.format(Date.parse(time));
}
