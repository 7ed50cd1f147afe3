import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { recorderNow } from "../../state/recorder-time.js";
import { commonWords } from "../../words/common.js";
import { lockWords } from "../../words/lock.js";
import { playbackWords } from "../../words/playback.js";
import { spanWords } from "../time/format.js";
import { LockForm } from "./lock-form.js";
import { type AwayLock, isFixed, known, lastDay, liftLock, readLocks } from "./locks.js";
import type { ProtectedTime } from "./protected.js";

const LOOK_MS = 3000;

/** Asks again while the storage has not confirmed all locks. */
export function useLocks(): void {
  const isUnderWay = known.value.locks.some((lock) => lock.IsCounting || lock.Done < lock.Segments);
  useEffect(() => {
    if (!isUnderWay) return;
    // What fails in between is said by the frame, or by the next one who acts.
    const timer = setInterval(() => void readLocks().catch(() => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
}

/** The locks of a protected time, and the way to one more. */
export function LocksOf({ time }: { readonly time: ProtectedTime }) {
  const isAdding = useSignal(false);
  const { targets, locks } = known.value;
  return (
    <>
      {locks
        .filter((lock) => isOf(lock, time))
        .map((lock) => (
          <Lock key={lock.Id} lock={lock} />
        ))}
      {isAdding.value ? (
        <LockForm of={time} onClose={() => (isAdding.value = false)} />
      ) : (
        targets.length > 0 && <Button onClick={() => (isAdding.value = true)}>{lockWords().lock}</Button>
      )}
    </>
  );
}

/** Locks whose time is not protected any more. */
export function OtherLocks({ times }: { readonly times: readonly ProtectedTime[] }) {
  const others = known.value.locks.filter((lock) => !times.some((time) => isOf(lock, time)));
  if (others.length === 0) return null;
  return (
    <section>
      <h3>{lockWords().others}</h3>
      <ul class="protected-list">
        {others.map((lock) => (
          <li key={lock.Id}>
            <p>
              {lock.ChannelName === "" ? playbackWords().deletedCamera : lock.ChannelName},{" "}
              {spanWords(Date.parse(lock.FromTime), Date.parse(lock.ToTime), recorderNow())}
            </p>
            <Lock lock={lock} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function isOf(lock: AwayLock, { ChannelId, FromTime, ToTime }: ProtectedTime): boolean {
  return lock.ChannelId === ChannelId && lock.FromTime === FromTime && lock.ToTime === ToTime;
}

function Lock({ lock }: { readonly lock: AwayLock }) {
  const words = lockWords();
  const doing = useSignal<"change" | "lift" | undefined>(undefined);
  const { TargetName, Mode, LegalHold, IsLifted, Segments, Done, Problem } = lock;
  const close = (): void => {
    doing.value = undefined;
  };
  const said = IsLifted
    ? words.lifted
    : [Mode === "None" ? "" : words.said[Mode](lastDay(lock)), LegalHold ? words.held : ""]
        .filter(Boolean)
        .join(" ");
  return (
    <fieldset class="lock">
      <legend>{`${TargetName}: ${said}`}</legend>
      <p class="hint">{words.done(Done, Segments)}</p>
      {Problem !== null && <p class="fault">{Problem}</p>}
      {doing.value === "change" && <LockForm of={lock} onClose={close} />}
      {doing.value === "lift" && (
        <div class="ask" role="alert">
          <p>{words.liftSure}</p>
          <Button kind="danger" onClick={() => void liftLock(lock).then(close, sayError)}>
            {words.lift}
          </Button>
          <Button onClick={close}>{commonWords().cancel}</Button>
        </div>
      )}
      {doing.value === undefined && !IsLifted && (
        <div class="file-buttons">
          <Button onClick={() => (doing.value = "change")}>{words.change}</Button>
          {!isFixed(lock, recorderNow()) && (
            <Button onClick={() => (doing.value = "lift")}>{words.lift}</Button>
          )}
        </div>
      )}
    </fieldset>
  );
}
