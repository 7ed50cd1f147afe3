import { useSignal } from "@preact/signals";
import { Button } from "../control/button.js";
import { say, sayError } from "../control/notice.js";
import { RemoveButton } from "../control/remove-button.js";
import { useWork } from "../control/work.js";
import { readEventNames } from "../events/names.js";
import type { SelectionDraft } from "../settings/alarms/draft.js";
import { LastLine, selectionText } from "../settings/alarms/selection-text.js";
import { readChannels } from "../state/channels.js";
import { useRead } from "../state/reading.js";
import { addressOf } from "../state/route.js";
import { session } from "../state/session.js";
import { alarmsWords } from "../words/alarms.js";
import { messagesWords } from "../words/messages.js";
import { MessageForm } from "./message-form.js";
import {
  BrowserRefusal,
  changeSubscription,
  obstacle,
  readSubscriptions,
  removeSubscription,
  type Subscription,
  subscribe,
  testSubscription,
} from "./push.js";

/** Which browsers of this user are notified of events while the page is closed. */
export function Messages({ ownName }: { readonly ownName: string }) {
  const words = messagesWords();
  const list = useSignal<readonly Subscription[]>([]);
  /** Undefined inside: this browser. */
  const edited = useSignal<{ readonly one: Subscription | undefined } | undefined>(undefined);
  const read = async (): Promise<void> => {
    list.value = await readSubscriptions();
  };
  useRead(async () => {
    await Promise.all([read(), readEventNames(), readChannels()]);
  }, sayError);
  const save = async (name: string, draft: SelectionDraft): Promise<void> => {
    const one = edited.value?.one;
    try {
      if (one !== undefined) await changeSubscription(one.Id, name, draft);
      else sayResult(await testSubscription((await subscribe(name, draft)).Id), name);
    } catch (error) {
      if (!(error instanceof BrowserRefusal)) throw error;
      say(words.refusals[error.why], true);
    }
    await read();
  };
  return (
    <section class="card">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      {session.value?.IsDirectoryUser === true ? (
        <p class="advice">{words.inDirectory}</p>
      ) : (
        <Entrance onAdd={() => (edited.value = { one: undefined })} />
      )}
      {list.value.length > 0 && (
        <ul class="session-list">
          {list.value.map((one) => (
            <Row key={one.Id} one={one} onEdit={() => (edited.value = { one })} onChange={read} />
          ))}
        </ul>
      )}
      {edited.value !== undefined && (
        <MessageForm
          subscription={edited.value.one}
          ownName={ownName}
          onSave={save}
          onClose={() => (edited.value = undefined)}
        />
      )}
    </section>
  );
}

/** The way in for this browser, or what keeps it out and what to do. */
function Entrance({ onAdd }: { readonly onAdd: () => void }) {
  const words = messagesWords();
  const why = obstacle();
  if (why === undefined)
    return (
      <div class="edit-buttons">
        <Button onClick={onAdd}>{words.add}</Button>
      </div>
    );
  return (
    <>
      <p class="advice">{words.obstacles[why]}</p>
      {why === "insecure" && session.value?.IsAdministrator === true && (
        <p>
          <a href={addressOf("settings", { part: "maintenance" })}>{words.toCertificate}</a>
        </p>
      )}
    </>
  );
}

interface RowProps {
  readonly one: Subscription;
  readonly onEdit: () => void;
  readonly onChange: () => Promise<void>;
}

function Row({ one, onEdit, onChange }: RowProps) {
  const [words, alarms] = [messagesWords(), alarmsWords()];
  const [isTesting, work] = useWork();
  const act = (change: () => Promise<void>) => work(() => change().then(onChange));
  const remove = () =>
    act(async () => {
      await removeSubscription(one.Id);
      say(alarms.removed(one.Name));
    });
  return (
    <li>
      <div>
        <p class="session-name">{one.IsOwn ? one.Name : `${one.Login}: ${one.Name}`}</p>
        <p class="hint">{selectionText(one)}</p>
        <LastLine last={one.LastResult} />
        {one.LastResult?.IsReached === false && <p class="advice">{words.noWayOut(one.Host)}</p>}
      </div>
      <div class="edit-buttons">
        {one.IsOwn && (
          <>
            <Button label={alarms.changeNamed(one.Name)} onClick={onEdit}>
              {alarms.change}
            </Button>
            <Button
              disabled={isTesting}
              label={alarms.testNamed(one.Name)}
              onClick={() => void act(async () => sayResult(await testSubscription(one.Id), one.Name))}
            >
              {isTesting ? alarms.testing : alarms.test}
            </Button>
          </>
        )}
        <RemoveButton words={words.remove(one.Name)} sure={alarms.removeSure(one.Name)} onRemove={remove} />
      </div>
    </li>
  );
}

function sayResult({ Problem }: { readonly Problem: string | null }, name: string): void {
  const words = alarmsWords();
  say(Problem === null ? words.testSent(name) : words.testFailed(Problem), Problem !== null);
}
