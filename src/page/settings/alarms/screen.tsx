import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { say, sayError } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { readEventNames } from "../../events/names.js";
import { alarmsWords } from "../../words/alarms.js";
import { type CardProps, ItemCard, ItemsSection } from "../items-section.js";
import { type Alarms, readAlarms, type Target, type TargetState, testTarget, wayOf } from "./model.js";
import { LastLine, selectionText } from "./selection-text.js";
import { TargetForm } from "./target-form.js";

/** Who is notified when something goes wrong, and whether that arrives. */
export function AlarmsSection() {
  const words = alarmsWords();
  useEffect(() => void readEventNames().catch(sayError), []);
  return (
    <ItemsSection
      words={[words.title, words.why, words.add, words.none]}
      read={readAlarms}
      isFollowed
      card={TargetCard}
      form={TargetForm}
    />
  );
}

function TargetCard({ item: target, known, onEdit, readAgain }: CardProps<Alarms>) {
  const state = known.states.get(target.Id);
  const words = alarmsWords();
  const [isTesting, act] = useWork();
  const { Name, IsEnabled } = target;
  async function test(): Promise<void> {
    const problem = await testTarget(target.Id);
    say(problem === undefined ? words.testSent(Name) : words.testFailed(problem), problem !== undefined);
    readAgain();
  }
  return (
    <ItemCard name={Name} onEdit={onEdit}>
      <p>{`${words.ways[wayOf(target)]}: ${placeOf(target)}`}</p>
      <p>{selectionText(target)}</p>
      {!IsEnabled && <p class="advice">{words.off}</p>}
      {state !== undefined && IsEnabled && <StateLine state={state} />}
      <LastLine last={state?.LastResult ?? null} />
      <div class="edit-buttons">
        <Button disabled={isTesting} label={words.testNamed(Name)} onClick={() => void act(test)}>
          {isTesting ? words.testing : words.test}
        </Button>
      </div>
    </ItemCard>
  );
}

/** Where the messages go: never more than the host of a webhook, whose path may be a secret. */
function placeOf({ Mail, Webhook, Syslog }: Target): string {
  if (Mail !== null) return Mail.Recipients.join(", ");
  if (Webhook !== null && Webhook.To !== "") return Webhook.To;
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
