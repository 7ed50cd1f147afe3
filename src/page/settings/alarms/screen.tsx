import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { say, sayError } from "../../control/notice.js";
import { readEventNames } from "../../events/names.js";
import { useRead } from "../../state/reading.js";
import { alarmsWords } from "../../words/alarms.js";
import { commonWords } from "../../words/common.js";
import { type Alarms, readAlarms, type Target, type TargetState, testTarget } from "./model.js";
import { TargetForm } from "./target-form.js";
import { LastLine, selectionText } from "./told.js";

const LOOK_MS = 5000;

/** Who is told when something goes wrong, and whether that arrives. */
export function AlarmsSection() {
  const words = alarmsWords();
  const alarms = useSignal<Alarms | undefined>(undefined);
  /** Undefined inside: a new one. */
  const edited = useSignal<{ readonly target: Target | undefined } | undefined>(undefined);
  const read = async (): Promise<void> => {
    alarms.value = await readAlarms();
  };
  useRead(read, sayError);
  useEffect(() => {
    readEventNames().catch(sayError);
    // What fails in between is said by the frame, or by the next one who acts.
    const timer = setInterval(() => void read().catch(() => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const known = alarms.value;
  const close = (): void => {
    edited.value = undefined;
    read().catch(sayError);
  };
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <div class="edit-buttons">
        <Button kind="main" onClick={() => (edited.value = { target: undefined })}>
          {words.add}
        </Button>
      </div>
      {known === undefined && <p class="quiet">{commonWords().loading}</p>}
      {known?.targets.length === 0 && <p class="hint">{words.none}</p>}
      {known?.targets.map((target) => (
        <TargetCard
          key={target.Id}
          target={target}
          state={known.states.get(target.Id)}
          onEdit={() => (edited.value = { target })}
          onTested={() => void read().catch(sayError)}
        />
      ))}
      {edited.value !== undefined && <TargetForm target={edited.value.target} onClose={close} />}
    </section>
  );
}

interface TargetCardProps {
  readonly target: Target;
  readonly state: TargetState | undefined;
  readonly onEdit: () => void;
  readonly onTested: () => void;
}

function TargetCard({ target, state, onEdit, onTested }: TargetCardProps) {
  const words = alarmsWords();
  const isTesting = useSignal(false);
  const { Name, IsEnabled } = target;
  async function test(): Promise<void> {
    isTesting.value = true;
    try {
      const problem = await testTarget(target.Id);
      say(problem === undefined ? words.testSent(Name) : words.testFailed(problem), problem !== undefined);
      onTested();
    } catch (error) {
      sayError(error);
    } finally {
      isTesting.value = false;
    }
  }
  return (
    <article class="card alarm-card">
      <header>
        <h3>{Name}</h3>
        <Button label={words.changeNamed(Name)} onClick={onEdit}>
          {words.change}
        </Button>
      </header>
      <p>{`${words.kinds[target.Kind]}: ${placeOf(target)}`}</p>
      <p>{selectionText(target)}</p>
      {!IsEnabled && <p class="advice">{words.off}</p>}
      {state !== undefined && IsEnabled && <StateLine state={state} />}
      <LastLine last={state?.LastResult ?? null} />
      <div class="edit-buttons">
        <Button disabled={isTesting.value} label={words.testNamed(Name)} onClick={() => void test()}>
          {isTesting.value ? words.testing : words.test}
        </Button>
      </div>
    </article>
  );
}

/** Where the messages go: never more than the host of a webhook, whose path may be a secret. */
function placeOf({ Mail, Webhook, Syslog }: Target): string {
  if (Mail !== null) return Mail.Recipients.join(", ");
  if (Webhook !== null) return URL.canParse(Webhook.Url) ? new URL(Webhook.Url).host : Webhook.Url;
  return Syslog === null ? "" : `${Syslog.Host}:${Syslog.Port}`;
}

function StateLine({ state }: { readonly state: TargetState }) {
  const words = alarmsWords();
  const { WaitingEvents, IsQuiet, IsLimited, IsFailing } = state;
  if (WaitingEvents === 0) return null;
  const why = IsFailing ? words.retrying : IsQuiet ? words.quietNow : IsLimited ? words.limitedNow : "";
  return <p role="status">{`${words.waiting(WaitingEvents)} ${why}`}</p>;
}
