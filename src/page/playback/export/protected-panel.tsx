import "./export.css";
import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { errorWords, say, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { recorderNow } from "../../state/recorder-time.js";
import { commonWords } from "../../words/common.js";
import { playbackWords } from "../../words/playback.js";
import { sizeWords, spanWords, timeWords } from "../time/format.js";
import { centred, lengthOf } from "../timeline/span.js";
import { choose, chosen, recordedChannels, shownSpan, showSpan } from "../watch/model.js";
import { Panel } from "../watch/panel.js";
import { playing } from "../watch/playing.js";
import { LocksOf, OtherLocks, useLocks } from "./lock-list.js";
import { readLocks } from "./locks.js";
import { type ProtectedTime, protectedTimes, readProtected, release } from "./protected.js";

/** All that is protected, here and at storages off the box, and the way to release it. */
export function ProtectedPanel() {
  const words = playbackWords();
  const fault = useSignal("");
  const read = (): Promise<unknown> => Promise.all([readProtected(), readLocks()]);
  useRead(read, (error) => (fault.value = errorWords(error)));
  useLocks();
  const times = protectedTimes.value;
  return (
    <Panel title={words.protectedList}>
      <p class="hint">{words.protectIntro}</p>
      {fault.value !== "" && <p class="fault">{fault.value}</p>}
      {times === undefined && fault.value === "" && <p class="quiet">{commonWords().loading}</p>}
      {times?.length === 0 && <p class="quiet">{words.protectedNone}</p>}
      <ul class="protected-list">
        {times?.map((time) => (
          <Item key={time.Id} time={time} />
        ))}
      </ul>
      {times !== undefined && <OtherLocks times={times} />}
    </Panel>
  );
}

function Item({ time }: { readonly time: ProtectedTime }) {
  const words = playbackWords();
  const isAsking = useSignal(false);
  const [from, to] = [Date.parse(time.FromTime), Date.parse(time.ToTime)];
  return (
    <li>
      <button type="button" class="link" onClick={() => goTo(time, from, to)}>
        {time.ChannelName === "" ? words.deletedCamera : time.ChannelName},{" "}
        {spanWords(from, to, recorderNow())}
      </button>
      {time.Comment !== "" && <p>{time.Comment}</p>}
      <p class="hint">
        {words.protectedBy(time.UserName, timeWords(Date.parse(time.CreatedTime), "day"))} ·{" "}
        {sizeWords(time.Bytes)}
      </p>
      {isAsking.value ? (
        <div class="ask" role="alert">
          <p>{words.releaseSure}</p>
          <Button kind="danger" onClick={() => void release(time).then(() => say(words.released), sayError)}>
            {words.release}
          </Button>
          <Button onClick={() => (isAsking.value = false)}>{commonWords().cancel}</Button>
        </div>
      ) : (
        <Button onClick={() => (isAsking.value = true)}>{words.release}</Button>
      )}
      <LocksOf time={time} />
    </li>
  );
}

function goTo({ ChannelId }: ProtectedTime, from: number, to: number): void {
  const isKnown = recordedChannels.peek().some(({ Id }) => Id === ChannelId);
  if (isKnown && !chosen.peek().includes(ChannelId)) choose([ChannelId, ...chosen.peek()]);
  playing.seek(from);
  const shown = shownSpan.peek();
  const length = Math.max((to - from) * 1.5, Math.min(lengthOf(shown), 3_600_000));
  showSpan(centred({ from: 0, to: length }, (from + to) / 2));
}
