import { useSignal } from "@preact/signals";
import type { SessionItem } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { say, sayError } from "../control/notice.js";
import { locale } from "../state/locale.js";
import { useRead } from "../state/reading.js";
import { endSession, readSessions, session } from "../state/session.js";
import { timeFormat } from "../state/time-format.js";
import { accountWords } from "../words/account.js";
import { browserName } from "./browser-name.js";

/** Where somebody is logged in: one's own sessions, everybody's for an administrator. Each can be ended. */
export function Sessions() {
  const words = accountWords();
  const sessions = useSignal<readonly SessionItem[]>([]);
  const read = async (): Promise<void> => {
    sessions.value = await readSessions();
  };
  useRead(read, sayError);
  const end = async (ended: readonly SessionItem[], done: string): Promise<void> => {
    try {
      for (const { Id } of ended) await endSession(Id);
      say(done);
    } finally {
      await read();
    }
  };
  const own = session.value?.UserId;
  const others = sessions.value.filter(({ IsThis, UserId }) => !IsThis && UserId === own);
  return (
    <section class="card">
      <h2>{words.sessions}</h2>
      <p>{words.sessionsWhy}</p>
      <ul class="session-list">
        {sessions.value.map((item) => (
          <SessionRow key={item.Id} item={item} onEnd={() => void end([item], words.ended).catch(sayError)} />
        ))}
      </ul>
      {others.length > 1 && (
        <Button kind="danger" onClick={() => void end(others, words.endedOthers).catch(sayError)}>
          {words.endOthers}
        </Button>
      )}
    </section>
  );
}

function SessionRow({ item, onEnd }: { readonly item: SessionItem; readonly onEnd: () => void }) {
  const words = accountWords();
  const name = nameOf(item.UserAgent);
  const used = timeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" });
  return (
    <li>
      <div>
        <p class="session-name">
          {item.UserId === session.value?.UserId ? name : `${item.Login}: ${name}`}
          {item.IsThis && <span class="session-badge">{words.thisSession}</span>}
        </p>
        <p class="hint">{`${item.Address} · ${words.lastUsed(used.format(Date.parse(item.LastUsedTime)))}`}</p>
      </div>
      {!item.IsThis && (
        <Button label={words.endSession(name, item.Address)} onClick={onEnd}>
          {words.end}
        </Button>
      )}
    </li>
  );
}

/** A browser by what it says of itself. */
export function nameOf(userAgent: string): string {
  const words = accountWords();
  const { browser = words.unknownBrowser, system } = browserName(userAgent);
  return system === undefined ? browser : words.browserOn(browser, system);
}
