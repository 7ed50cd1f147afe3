import { computed, signal } from "@preact/signals";
import type { PlaySpeed } from "../../../contract/answer/index.js";
import { type Channel, channels } from "../../state/channels.js";
import { formerCameras, formerName } from "../../state/former.js";
import { recorderNow } from "../../state/recorder-time.js";
import { formerWords } from "../../words/former.js";
import { type Span, withinNow } from "../timeline/span.js";

/* What the recordings screen shows. It stays as it is while another screen is open. */

const HOUR_MS = 3_600_000;

/** As many cameras are played at once at most; the service may allow fewer. */
export const CAMERAS_MAX = 16;

export const SPEEDS: readonly PlaySpeed[] = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

/** Channels that are shown, in the order of their rows. */
export const chosen = signal<readonly string[]>([]);

/** The camera that sound, pictures over the timeline and motion search are of. */
export const active = signal<string | undefined>(undefined);

/** The moment that the playback is at: where it was last sent, and where it has gone on to from there. */
export const cursor = signal(recorderNow());

/** The same by the second: what is said of it does not change with each picture. */
export const cursorSecond = computed(() => Math.floor(cursor.value / 1000) * 1000);

/** When the pictures that are seen were taken. It is the cursor's moment but for the time that a picture needs to come. */
export const shownMoment = signal(recorderNow());

/** The same by the second. */
export const shownSecond = computed(() => Math.floor(shownMoment.value / 1000) * 1000);

/** A picture of the cursor's moment is on its way. */
export const isAwaited = signal(false);

/** It has been on its way for too long, and all wait for it. */
export const isStanding = signal(false);

/** What the timeline shows. */
export const shownSpan = signal<Span>({
  from: recorderNow() - 2 * HOUR_MS,
  to: recorderNow() + HOUR_MS / 2,
});

/** `edge`: the recordings' end is reached, and what is shown is live. `start`: their beginning, backwards. */
export type PlayState = "idle" | "playing" | "paused" | "edge" | "start";

export const playState = signal<PlayState>("idle");

/** What is played is as good as live. */
export const isLive = signal(false);
export const speed = signal<PlaySpeed>(1);

/** Channel whose sound is heard. */
export const heard = signal<string | undefined>(undefined);

/** What is marked on the timeline, to be saved or protected. */
export const marked = signal<Span | undefined>(undefined);

/** What is open beside the pictures. */
export type PanelName = "export" | "motion" | "protected";
export const panel = signal<PanelName | undefined>(undefined);

/** Spans that a motion search found. */
export const foundSpans = signal<{ readonly channel: string; readonly spans: readonly Span[] } | undefined>(
  undefined,
);

export const isPlaying = computed(() => playState.value === "playing" || playState.value === "edge");

/** The recorder's clock, for what is drawn: it goes on by as much as can be seen. */
export const shownNow = signal(recorderNow());

export function showSpan(span: Span): void {
  shownSpan.value = withinNow(span, recorderNow());
}

/** Channels that may be shown here; those of former cameras come last. */
export const recordedChannels = computed(() => [
  ...(channels.value ?? []).filter(({ AllowedArchive }) => AllowedArchive),
  ...formerCameras.value
    .filter(({ GivenTo }) => GivenTo === null)
    .map((camera) => {
      const words = formerWords();
      return formerChannel(camera.Id, words.former(formerName(camera, words.nameless)));
    }),
]);

/** It has recordings, and nothing else that a camera has. */
function formerChannel(Id: string, Name: string): Channel {
  return {
    ...{ Id, Name, IsDisabled: true, IsSoundOn: true, IsPtzOn: false },
    ...{ IsTransmitSoundOn: false, AllowedRealtime: false, AllowedArchive: true },
  };
}

export function nameOf(id: string | undefined): string {
  return recordedChannels.value.find(({ Id }) => Id === id)?.Name ?? "";
}

export function choose(ids: readonly string[]): void {
  chosen.value = ids.slice(0, CAMERAS_MAX);
  if (active.value === undefined || !ids.includes(active.value)) active.value = ids[0];
  if (heard.value !== undefined && !ids.includes(heard.value)) heard.value = undefined;
}
