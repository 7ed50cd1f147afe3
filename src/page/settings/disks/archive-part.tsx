import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ArchiveChannel, ArchiveReach } from "../../../contract/answer/index.js";
import { sayError } from "../../control/notice.js";
import { daysText, sizeText } from "../../state/figures.js";
import { lastingSentence, readReach } from "../../state/reach.js";
import { useRead } from "../../state/reading.js";
import { commonWords } from "../../words/common.js";
import { archiveWords } from "../../words/settings/archive.js";
import { dayText } from "./disk-words.js";

const LOOK_MS = 10_000;

/** How far back the recordings of each camera reach and why, and what is to be expected. */
export function ArchivePart() {
  const words = archiveWords();
  const state = useSignal<ArchiveReach | undefined>(undefined);
  const read = async (): Promise<void> => {
    state.value = await readReach();
  };
  useRead(read, sayError);
  useEffect(() => {
    // What fails in between is said by the frame.
    const timer = setInterval(() => void read().catch(() => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const known = state.value;
  return (
    <section class="card" aria-label={words.title}>
      <h3>{words.title}</h3>
      {known === undefined ? (
        <p class="quiet">{commonWords().loading}</p>
      ) : (
        <>
          <p>
            <strong>{lastingSentence(known)}</strong>
          </p>
          <p>{roomText(known)}</p>
          {known.Channels.length === 0 ? (
            <p class="hint">{words.noCameras}</p>
          ) : (
            <ul class="reach-list" aria-label={words.cameras}>
              {known.Channels.map((channel) => (
                <ChannelRow key={channel.ChannelId} channel={channel} />
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}

function ChannelRow({ channel }: { readonly channel: ArchiveChannel }) {
  const words = archiveWords();
  const { Name, DepthDays, BytesPerDay, ForecastDays, OldestTime, CompleteSinceTime } = channel;
  const hasOlder = OldestTime !== null && CompleteSinceTime !== null && OldestTime < CompleteSinceTime;
  const facts = [
    ...(BytesPerDay === null ? [] : [words.aDay(sizeText(BytesPerDay))]),
    ...(ForecastDays === null ? [] : [words.forecast(daysText(ForecastDays))]),
  ];
  return (
    <li>
      <p class="reach-name">
        <span>{Name}</span>
        <strong>{DepthDays === null ? words.none : daysText(DepthDays)}</strong>
      </p>
      <p>{reasonText(channel)}</p>
      {hasOlder && <p class="hint">{words.older(dayText(OldestTime))}</p>}
      {facts.length > 0 && <p class="hint">{facts.join(" · ")}</p>}
    </li>
  );
}

/** Why there is nothing older, and what could be done where that is wanted. */
function reasonText({ Reason, MinDays, MaxDays, CompleteSinceTime }: ArchiveChannel): string {
  const { reasons } = archiveWords();
  const since = CompleteSinceTime === null ? "" : dayText(CompleteSinceTime);
  switch (Reason) {
    case "Began":
      return reasons.began(since);
    case "Age":
      return reasons.age(MaxDays);
    case "Space":
      return reasons.space;
    case "Minimum":
      return reasons.minimum(MinDays);
    case "MinimumUnmet":
      return reasons.minimumUnmet(MinDays);
    case "Nothing":
      return reasons.nothing;
  }
}

function roomText({ UsedBytes, AllowedBytes, BytesPerDay, FullTime, Time }: ArchiveReach): string {
  const words = archiveWords();
  const used = words.used(sizeText(UsedBytes), sizeText(AllowedBytes));
  const rate = BytesPerDay === null ? [] : [words.allADay(sizeText(BytesPerDay))];
  const isNearlyFull = UsedBytes > FULL_SHARE * AllowedBytes;
  const isFull = FullTime !== null && isNearlyFull && Date.parse(FullTime) - Date.parse(Time) < FULL_SOON_MS;
  const full = FullTime === null ? [] : [isFull ? words.isFull : words.fullOn(dayText(FullTime))];
  return [used, ...rate, ...full].join(" ");
}

/** So near its end the oldest recordings already make room; a small disk is filled in hours anyway. */
const FULL_SOON_MS = 6 * 3_600_000;
const FULL_SHARE = 0.9;
