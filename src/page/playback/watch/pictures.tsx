import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../../control/button.js";
import { connection } from "../../player/live-socket.js";
import { useZoom, ZoomMap } from "../../player/zoom-view.js";
import { playbackWords } from "../../words/playback.js";
import { regionOverlay } from "../motion/region.js";
import { nearWords } from "../time/format.js";
import { timelineRows } from "../timeline/data.js";
import { reasonWords } from "../timeline/words.js";
import { columnsFor } from "./columns.js";
import { active, chosen, heard, isStanding, nameOf, panel, recordedChannels } from "./model.js";
import type { PictureFault, PlayedCamera } from "./played-camera.js";
import { playedCameras, playing } from "./playing.js";

/** A change of a picture's size is sent when it is over. */
const RESIZED_MS = 300;

/** The pictures of all chosen cameras, as large as they fit. */
export function Pictures() {
  const words = playbackWords();
  const element = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 16, height: 9 });
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined)
        size.value = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const cameras = playedCameras.value;
  const columns = columnsFor(cameras.length, size.value.width, size.value.height);
  return (
    <div ref={element} class="pictures" style={{ "--columns": columns }}>
      {cameras.map((camera) => (
        <Picture key={camera.channel} camera={camera} isAlone={cameras.length === 1} />
      ))}
      <PicturesBanner />
      {chosen.value.length === 0 && (
        <p class="quiet">{recordedChannels.value.length === 0 ? words.noCameras : words.pickCamera}</p>
      )}
    </div>
  );
}

/** Why no picture moves. */
function PicturesBanner() {
  const words = playbackWords();
  const isLost = connection.value.lostAtMs !== undefined;
  if (!isLost && !isStanding.value) return null;
  return (
    <p class="pictures-banner" role="alert">
      {isLost ? words.reconnecting : words.standing}
    </p>
  );
}

interface PictureProps {
  readonly camera: PlayedCamera;
  readonly isAlone: boolean;
}

function Picture({ camera, isAlone }: PictureProps) {
  const words = playbackWords();
  const frame = useRef<HTMLElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const scale = useSignal(1);
  const Region = regionOverlay.value;
  const isPlain = panel.value !== "motion" || active.value !== camera.channel;
  const zoom = useZoom({
    box: frame,
    picture: place,
    isOn: isPlain,
    takesDouble: true,
    onClose: (next) => (scale.value = next),
  });
  useTileSize(frame, camera, scale.value);
  useEffect(() => {
    const { video } = camera;
    video.setAttribute("aria-label", nameOf(camera.channel));
    // The other deck's element lies there as well: one that is put in anew would be stopped.
    if (video.parentElement !== place.current) place.current?.append(video);
  }, [camera]);
  const isActive = active.value === camera.channel && !isAlone;
  const isHeard = heard.value === camera.channel;
  const stream = camera.stream.value;
  return (
    <figure ref={frame} class={isActive ? "picture active" : "picture"}>
      <div ref={place} class="picture-video" />
      {Region !== undefined && !isPlain && (
        <Region ratio={stream === undefined ? 16 / 9 : stream.width / stream.height} />
      )}
      <PictureFaultWords camera={camera} />
      <ZoomMap view={zoom} box={frame} />
      <figcaption>
        <button type="button" aria-pressed={isActive} onClick={() => (active.value = camera.channel)}>
          {nameOf(camera.channel)}
        </button>
        <span class="picture-tools">
          {hasSound(camera.channel) && (
            <IconButton
              icon={isHeard ? "soundOn" : "soundOff"}
              label={words.soundOf(nameOf(camera.channel))}
              pressed={isHeard}
              onClick={() => playing.hear(isHeard ? undefined : camera.channel)}
            />
          )}
          <IconButton icon="full" label={words.full} onClick={() => void showFull(frame.current)} />
        </span>
      </figcaption>
    </figure>
  );
}

/** Whether the camera is set to have sound, or what the timeline shows has some. */
function hasSound(channel: string): boolean {
  const isOn = recordedChannels.value.some(({ Id, IsSoundOn }) => Id === channel && IsSoundOn);
  return isOn || (timelineRows.value[chosen.value.indexOf(channel)]?.Sound.length ?? 0) > 0;
}

/** Why there is no picture of this moment. */
function PictureFaultWords({ camera }: { readonly camera: PlayedCamera }) {
  const words = playbackWords();
  const [fault, gap] = [camera.fault.value, camera.gap.value];
  if (fault !== undefined)
    return (
      <p class="picture-words" role="status">
        {fault.kind === "problem" ? problemWords(fault) : fault.text}
      </p>
    );
  if (gap === undefined)
    return camera.isLate.value ? (
      <p class="picture-words" role="status">
        {camera.isStanding.value ? words.pictureStanding : words.pictureLate}
      </p>
    ) : null;
  const reason = reasonWords(gap.reason as Parameters<typeof reasonWords>[0]);
  return (
    <p class="picture-words" role="status">
      {words.gapSaid(reason, nearWords(gap.to, gap.from))}
    </p>
  );
}

/** Why a recording cannot be read, and what helps, only the service knows. */
function problemWords({ reason, text }: Extract<PictureFault, { kind: "problem" }>): string {
  const said = playbackWords().problems[reason] ?? reason;
  return reason === "recording-not-readable" && text !== "" ? `${said}: ${text}` : said;
}

/** The service sends the stream that fills the tile: it gets the tile's size. What is looked at closely is larger. */
function useTileSize(frame: { current: HTMLElement | null }, camera: PlayedCamera, scale: number): void {
  useEffect(() => {
    if (frame.current === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(([entry]) => {
      const box = entry?.contentRect;
      if (box === undefined || box.width === 0) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        const width = Math.max(16, Math.round(box.width * scale * devicePixelRatio));
        const height = Math.max(16, Math.round(box.height * scale * devicePixelRatio));
        camera.resize({ width, height });
      }, RESIZED_MS);
    });
    observer.observe(frame.current);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [camera, scale]);
}

/** A phone's browser may know no full screen for anything but a video. */
async function showFull(element: HTMLElement | null): Promise<void> {
  try {
    if (document.fullscreenElement !== null) await document.exitFullscreen();
    else await element?.requestFullscreen();
  } catch (error) {
    console.warn("the browser shows nothing in full", error);
  }
}

/** Shows the active camera over the whole screen, or no more. */
export function toggleFull(): void {
  const camera = playedCameras.peek().find(({ channel }) => channel === active.peek());
  void showFull(camera?.video.closest("figure") ?? null);
}
