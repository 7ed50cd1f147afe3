import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Fault } from "../../control/fault.js";
import { Choice, Field } from "../../control/field.js";
import { errorWords, say } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { recorderNow } from "../../state/recorder-time.js";
import { commonWords } from "../../words/common.js";
import { lockWords } from "../../words/lock.js";
import {
  type AwayLock,
  isFixed,
  isLock,
  known,
  LOCK_MODES,
  type LockDraft,
  lastDay,
  saveLock,
} from "./locks.js";
import type { ProtectedTime } from "./protected.js";

/** What is offered for a new lock. */
const DAYS_OFFERED = 365;
const DAY_MS = 86_400_000;

interface LockFormProps {
  /** A lock is changed; a protected time gets one. */
  readonly of: ProtectedTime | AwayLock;
  readonly onClose: () => void;
}

/** How long the storage keeps recordings, and who may change that. */
export function LockForm({ of, onClose }: LockFormProps) {
  const words = lockWords();
  const draft = useSignal<LockDraft>(draftOf(of));
  const fault = useSignal("");
  const [isBusy, act] = useWork((error) => (fault.value = errorWords(error)));
  /** What nobody can take back is asked for a second time. */
  const isSure = useSignal(false);
  const set = (part: Partial<LockDraft>): void => {
    draft.value = { ...draft.value, ...part };
    isSure.value = false;
  };
  const save = async (): Promise<void> => {
    if (draft.value.Mode === "Compliance" && !isSure.value) {
      isSure.value = true;
      return;
    }
    await saveLock(of, draft.value);
    say(words.locked);
    onClose();
  };
  const { TargetId, Mode, UntilDay, LegalHold } = draft.value;
  const { targets } = known.value;
  const modes = isLock(of) && isFixed(of, recorderNow()) ? (["Compliance"] as const) : LOCK_MODES;
  return (
    <form
      class="lock-form"
      data-guarded=""
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void act(save);
      }}
    >
      {!isLock(of) && <p class="hint">{words.why}</p>}
      {!isLock(of) && targets.length > 1 && (
        <Choice
          label={words.storage}
          value={TargetId}
          options={[["", words.all], ...targets.map(({ Id, Name }) => [Id, Name] as const)]}
          onValue={(id) => set({ TargetId: id })}
        />
      )}
      <Choice
        label={words.mode}
        value={Mode}
        options={modes.map((mode) => [mode, words.modes[mode]] as const)}
        onValue={(mode) => set({ Mode: mode })}
      />
      {Mode !== "None" && (
        <Field
          label={words.untilDay}
          type="date"
          value={UntilDay}
          onValue={(day) => set({ UntilDay: day })}
        />
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={LegalHold}
          onChange={({ currentTarget: { checked } }) => set({ LegalHold: checked })}
        />
        <span>{words.hold}</span>
      </label>
      <Fault text={fault.value} />
      <div class="file-buttons">
        <Button type="submit" kind={isSure.value ? "danger" : "main"} disabled={isBusy}>
          {isSure.value ? words.setForGood(UntilDay) : words.set}
        </Button>
        <Button onClick={onClose}>{commonWords().cancel}</Button>
      </div>
    </form>
  );
}

function draftOf(of: ProtectedTime | AwayLock): LockDraft {
  if (isLock(of))
    return { TargetId: "", Mode: of.Mode, UntilDay: lastDay(of) || offeredDay(), LegalHold: of.LegalHold };
  return { TargetId: "", Mode: "Governance", UntilDay: offeredDay(), LegalHold: false };
}

function offeredDay(): string {
  return new Date(recorderNow() + DAYS_OFFERED * DAY_MS).toISOString().slice(0, 10);
}
