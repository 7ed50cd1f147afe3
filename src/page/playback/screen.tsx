import "./motion/motion.css";
import "./playback.css";
import "./time/time.css";
import "./timeline/timeline.css";
import { computed, effect, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IconButton } from "../control/button.js";
import { useKeys } from "../control/keys.js";
import { fetchPart, Loaded } from "../control/loaded.js";
import { say, sayError } from "../control/notice.js";
import { channels } from "../state/channels.js";
import { areFormerAsked, formerCameras, readFormerCameras } from "../state/former.js";
import { useRead } from "../state/reading.js";
import { recorderNow } from "../state/recorder-time.js";
import { note, type Route, route } from "../state/route.js";
import { playbackWords } from "../words/playback.js";
import type { FileChoice, FileEditsProps } from "./export/edits.js";
import { mayProtect } from "./export/protected.js";
import type { SpanProps } from "./export/span-props.js";
import { usePlaybackKeys } from "./keys.js";
import { PLAYBACK_PARTS } from "./parts.js";
import { GoTo } from "./time/go-to.js";
import { following, type Span } from "./timeline/span.js";
import { Timeline } from "./timeline/timeline.js";
import { CameraChoice } from "./watch/camera-choice.js";
import { fetchKeyPictures } from "./watch/key-pictures.js";
import {
  choose,
  chosen,
  cursor,
  marked,
  type PanelName,
  panel,
  playState,
  recordedChannels,
  shownSpan,
  showSpan,
} from "./watch/model.js";
import { Pictures } from "./watch/pictures.js";
import { playing } from "./watch/playing.js";
import { Transport } from "./watch/transport.js";

/** The address is written anew at most so often while something plays. */
const NOTED_MS = 2000;

/** Recordings: pictures of several cameras, and the timeline that says what there is. */
export function PlaybackScreen() {
  const words = playbackWords();
  const open = panel.value;
  useKeys(usePlaybackKeys());
  useRead(readFormerCameras, sayError);
  useEffect(followRoute, []);
  useEffect(followChosen, []);
  useEffect(noteAddress, []);
  useEffect(() => fetchKeyPictures(PLAYBACK_PARTS.keyPictures), []);
  return (
    <div class={open === undefined ? "playback" : "playback with-panel"}>
      <h1 class="only-read">{words.timeline}</h1>
      <div class="playback-bar">
        <CameraChoice />
        <GoTo />
        <div class="playback-tools">
          <PanelButton name="motion" icon="motion" label={words.motionSearch} />
          <PanelButton name="export" icon="download" label={words.export} />
          {mayProtect() && <PanelButton name="protected" icon="lock" label={words.protectedList} />}
        </div>
      </div>
      <Pictures />
      <Transport />
      <Timeline list={<InWords />} />
      {open === "export" && <Loaded load={PLAYBACK_PARTS.export} props={IN_EXPORT} />}
      {open === "motion" && <Loaded load={PLAYBACK_PARTS.motion} props={IN_MOTION} />}
      {open === "protected" && <Loaded load={PLAYBACK_PARTS.protected} props={{}} />}
    </div>
  );
}

function editsForm(props: FileEditsProps) {
  return <Loaded load={PLAYBACK_PARTS.fileEdits} props={props} />;
}

async function makeFiles(span: SpanProps, choice: FileChoice): Promise<void> {
  const make = await fetchPart(PLAYBACK_PARTS.fileMaking);
  await make(span, choice);
}

const IN_MOTION = { things: <Loaded load={PLAYBACK_PARTS.thingResult} props={{}} /> };

const FILE_ROWS = <Loaded load={PLAYBACK_PARTS.fileRows} props={{}} />;

/** What stands in the panel of files. */
const IN_EXPORT = {
  files: (props: SpanProps) => (
    <Loaded load={PLAYBACK_PARTS.files} props={{ ...props, editsForm, rows: FILE_ROWS, make: makeFiles }} />
  ),
  saved: <Loaded load={PLAYBACK_PARTS.savedFiles} props={{}} />,
  moment: (channels: readonly string[]) => <Loaded load={PLAYBACK_PARTS.moment} props={{ channels }} />,
};

/** What the timeline draws, in words, when somebody opens it. */
function InWords() {
  const isOpen = useSignal(false);
  return (
    <details class="timeline-list" onToggle={({ currentTarget: { open } }) => (isOpen.value = open)}>
      <summary>{playbackWords().list}</summary>
      {isOpen.value && <Loaded load={PLAYBACK_PARTS.list} props={{}} />}
    </details>
  );
}

interface PanelButtonProps {
  readonly name: PanelName;
  readonly icon: "motion" | "download" | "lock";
  readonly label: string;
}

function PanelButton({ name, icon, label }: PanelButtonProps) {
  const isOpen = panel.value === name;
  return (
    <IconButton
      icon={icon}
      label={label}
      pressed={isOpen}
      onClick={() => (panel.value = isOpen ? undefined : name)}
    />
  );
}

/** What was shown last: cameras that come and go do not bring its moment back. */
let shownRoute: Route | undefined;

/** Shows what the address says: cameras, and a moment. A screen that is opened again shows what it showed. */
function followRoute(): () => void {
  return effect(() => {
    const { screen, parameters } = route.value;
    const known = recordedChannels.value;
    if (screen !== "playback" || known.length === 0 || route.value === shownRoute) return;
    const wanted = namedChannels(parameters.get("channel") ?? "");
    const found = known.filter(({ Id }) => wanted.includes(Id.toLowerCase())).map(({ Id }) => Id);
    // It may be a former camera, which is known later.
    if (found.length < wanted.length && !areFormerAsked.value) return;
    shownRoute = route.value;
    // Another camera in its place would show something else than the link means.
    if (found.length < wanted.length) say(playbackWords().notSeen, true);
    if (wanted.length > 0) choose(found);
    else if (chosen.peek().length === 0) choose(known.slice(0, 1).map(({ Id }) => Id));
    const saved = savedSpan(parameters.get("save"));
    if (saved !== undefined) {
      marked.value = saved;
      panel.value = "export";
    }
    if (parameters.get("play") === "1") playing.resume();
    const show = (time = beginOf(found)): void => {
      if (time !== undefined) showAt(time, parameters.get("play") === "1");
    };
    const written = parameters.get("time") ?? "";
    if (written === "" || Number.isFinite(Number(written)))
      show(written === "" ? undefined : Number(written));
    else void readMoment(written, show);
  });
}

function showAt(time: number, isPlayed: boolean): void {
  playing.seek(time);
  // Who comes from an event wants to see it move.
  if (isPlayed) playing.start();
  showSpan(following(shownSpan.peek(), time));
}

/** Reads a time of an address as a person writes it; `show` is called unless another address has come meanwhile. */
async function readMoment(text: string, show: (time?: number) => void): Promise<void> {
  const asked = shownRoute;
  try {
    const read = await PLAYBACK_PARTS.typedMoment();
    if (shownRoute === asked) show(read(text, recorderNow())?.moment);
  } catch (error) {
    sayError(error);
  }
}

/** The channels of an address; where a former camera's recordings were given to another one, that one. */
function namedChannels(text: string): readonly string[] {
  const ids = text
    .toLowerCase()
    .split(",")
    .filter((id) => id !== "");
  const given = new Map(
    formerCameras.value.map(({ Id, GivenTo }) => [Id.toLowerCase(), GivenTo?.toLowerCase()]),
  );
  return [...new Set(ids.map((id) => given.get(id) ?? id))];
}

/** A former camera has nothing now: a link without a time shows where its recordings begin. */
function beginOf([id]: readonly string[]): number | undefined {
  const former = formerCameras.value.find(({ Id }) => Id === id);
  return former === undefined ? undefined : Date.parse(former.FromTime);
}

/** What is to be saved as a file: from and to, Unix milliseconds. */
function savedSpan(text: string | null): Span | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "") ?? [];
  const span = { from: Number(from), to: Number(to) };
  return span.from < span.to ? span : undefined;
}

/** Not the channels and the time themselves: a camera that gets another name interrupts nothing. */
const areKnown = computed(() => channels.value !== undefined);

/** Plays the cameras that are chosen, for as long as the screen is shown. */
function followChosen(): () => void {
  const stop = effect(() => {
    chosen.value;
    if (areKnown.value) playing.open();
  });
  return () => {
    stop();
    playing.close();
  };
}

/** Keeps the address current: it can be sent to somebody, and the page can be loaded again. */
function noteAddress(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = effect(() => {
    cursor.value;
    playState.value;
    if (chosen.value.length === 0 || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (route.peek().screen === "playback")
        note({ channel: chosen.peek().join(","), time: String(Math.round(cursor.peek())) });
    }, NOTED_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
