import { useSignal } from "@preact/signals";
import type { AwayBucket } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Dialog } from "../../control/dialog.js";
import { Fault } from "../../control/fault.js";
import { errorWords, say } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { useRead } from "../../state/reading.js";
import { commonWords } from "../../words/common.js";
import { awayWords } from "../../words/settings/away.js";
import { readBucket, setRules } from "./bucket.js";
import type { Target } from "./model.js";

interface BucketDialogProps {
  readonly target: Target;
  readonly onClose: () => void;
}

/** What the bucket has beside recordings, and the rules by which it removes what is old. */
export function BucketDialog({ target, onClose }: BucketDialogProps) {
  const words = awayWords();
  const bucket = useSignal<AwayBucket | undefined>(undefined);
  const fault = useSignal("");
  const take = async (asked: Promise<AwayBucket>): Promise<void> => {
    bucket.value = await asked;
    fault.value = "";
  };
  const showFault = (error: unknown): void => {
    fault.value = errorWords(error);
  };
  useRead(() => take(readBucket(target.Id)), showFault);
  const [isBusy, act] = useWork(showFault);
  const set = async (): Promise<void> => {
    await take(setRules(target.Id));
    say(words.rulesSet);
  };
  const known = bucket.value;
  return (
    <Dialog title={`${words.bucket}: ${target.Bucket}`} onClose={onClose}>
      <Fault text={fault.value} />
      {known === undefined && fault.value === "" && <p class="quiet">{commonWords().loading}</p>}
      {known !== undefined && (
        <div class="edit-form">
          <p>{words.objectLock[known.ObjectLock]}</p>
          {known.HasVersions && <p>{words.versions}</p>}
          <h3>{words.rules}</h3>
          <RuleList rules={known.Rules} />
          <h3>{words.proposed}</h3>
          <ul>
            {known.Proposed.map((rule) => (
              <li key={rule.Id}>
                {proposalWords(rule, target)} <strong>{rule.IsSet ? words.isSet : words.isNotSet}</strong>
              </li>
            ))}
          </ul>
          {known.Rules !== null && (
            <Button kind="main" disabled={isBusy} onClick={() => void act(set)}>
              {words.setRules}
            </Button>
          )}
        </div>
      )}
    </Dialog>
  );
}

function RuleList({ rules }: { readonly rules: AwayBucket["Rules"] }) {
  const words = awayWords();
  if (rules === null) return <p>{words.rulesUnknown}</p>;
  if (rules.length === 0) return <p>{words.noRules}</p>;
  return rules.map(({ Id, Xml }) => (
    <details key={Xml}>
      <summary>{Id || words.unnamed}</summary>
      <code>{Xml}</code>
    </details>
  ));
}

/** In the reader's language, as far as the page knows the rule. */
function proposalWords({ Id, Text }: AwayBucket["Proposed"][number], { KeepDays }: Target): string {
  const { uploads, age, versions } = awayWords().proposals;
  if (Id.endsWith(":uploads")) return uploads;
  if (Id.endsWith(":age")) return age(`${KeepDays}`);
  return Id.endsWith(":versions") ? versions : Text;
}
