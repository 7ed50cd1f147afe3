import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../control/icon.js";
import { Loaded } from "../../control/loaded.js";
import { connection } from "../../player/live-socket.js";
import { useZoom, ZoomMap } from "../../player/zoom-view.js";
import { type Channel, rights } from "../../state/channels.js";
import { quietSinceMs } from "../../state/quiet.js";
import { wallWords } from "../../words/wall.js";
import { beginDrag } from "../drag.js";
import { seenAt } from "../happening/happening.js";
import type { Place } from "../layout/layout.js";
import { momentWords } from "../moment.js";
import { WALL_PARTS } from "../parts.js";
import { talking } from "../talk/talk.js";
import {
  channelOf,
  enlarged,
  heard,
  listIsOpen,
  mainStreams,
  piloted,
  selected,
  showsBoxes,
  showsFigures,
} from "../wall-state.js";
import type { LivePicture } from "./live-picture.js";
import { note, slowPictures, withoutPicture } from "./picture-problems.js";
import { TileControls } from "./tile-controls.js";
import { TileSurface } from "./tile-surface.js";
import { useLivePicture } from "./use-live-picture.js";

interface TileProps {
  readonly index: number;
  readonly id: string | undefined;
  readonly place: Place;
}

/** A place of the wall: a camera, or room for one. */
export function Tile({ index, id, place }: TileProps) {
  const channel = channelOf(id);
  const isSelected = selected.value === index;
  const classes = [
    "tile",
    isSelected ? "selected" : "",
    enlarged.value === index ? "enlarged" : "",
    enlarged.value !== undefined && enlarged.value !== index ? "behind" : "",
    id !== undefined && seenAt(id).length > 0 ? "happening" : "",
  ];
  return (
    <li
      class={classes.join(" ")}
      data-tile={index}
      aria-label={channel?.Name ?? wallWords().tile(index + 1)}
      style={{
        gridColumn: `${place.x + 1} / span ${place.width}`,
        gridRow: `${place.y + 1} / span ${place.height}`,
      }}
    >
      {channel === undefined ? (
        <EmptyTile index={index} isGone={id !== undefined} />
      ) : (
        <CameraTile key={channel.Id} index={index} channel={channel} />
      )}
    </li>
  );
}

function EmptyTile({ index, isGone }: { readonly index: number; readonly isGone: boolean }) {
  const words = wallWords();
  return (
    <button
      type="button"
      class="tile-surface empty-tile"
      aria-label={words.emptyTile(index + 1)}
      tabIndex={selected.value === index ? 0 : -1}
      onFocus={() => (selected.value = index)}
      onClick={() => {
        selected.value = index;
        listIsOpen.value = true;
      }}
    >
      <Icon name="add" />
      {isGone && <span>{words.gone}</span>}
    </button>
  );
}

interface CameraTileProps {
  readonly index: number;
  readonly channel: Channel;
}

function CameraTile({ index, channel }: CameraTileProps) {
  const words = wallWords();
  const isHeard = heard.value === index;
  const isPiloted = piloted.value === index;
  const isClose = useSignal(false);
  const { box, video, picture } = useLivePicture({
    channel: channel.Id,
    isMain: mainStreams.value.has(channel.Id) || isClose.value,
    hasSound: isHeard,
    hasBoxes: showsBoxes.value,
  });
  const zoom = useZoom({
    box,
    picture: video,
    // There wheel and click move the camera.
    isOn: !isPiloted,
    takesDouble: enlarged.value === index,
    onClose: (scale) => (isClose.value = scale > 1 && rights.value.CanReceiveMainStream),
  });
  const surface = useRef<HTMLButtonElement>(null);
  return (
    <div class="tile-box" ref={box}>
      <video class="tile-video" ref={video} tabIndex={-1} aria-hidden="true" muted />
      {picture !== undefined && showsBoxes.value && (
        <Loaded load={WALL_PARTS.seenBoxes} props={{ picture, video, view: zoom }} kind="only-read" />
      )}
      {picture !== undefined && <ProblemOf picture={picture} channel={channel} />}
      {isPiloted ? (
        <Loaded load={WALL_PARTS.ptz} props={{ channel, surface }} kind="tile-problem waiting" />
      ) : (
        <TileSurface index={index} name={channel.Name} surface={surface} onDrag={beginDrag} />
      )}
      {talking.value?.channel === channel.Id && (
        <p class="tile-talk" role="status">
          {talking.value.isHeard ? words.talk.speak : words.talk.asking}
        </p>
      )}
      <p class="tile-name">
        <span>{channel.Name}</span>
        {isHeard && <Icon name="soundOn" />}
        {mainStreams.value.has(channel.Id) && <Icon name="best" />}
        <SeenBadge channel={channel.Id} />
        {picture?.state.value.isSlow === true && (
          <span class="tile-badge slow" title={words.slow}>
            <Icon name="slow" />
            <span class="only-read">{words.slow}</span>
          </span>
        )}
      </p>
      {picture !== undefined && (
        <>
          {showsFigures.value && <Loaded load={WALL_PARTS.figures} props={{ picture }} kind="only-read" />}
          <ZoomMap view={zoom} box={box} />
          <TileControls index={index} channel={channel} picture={picture} video={video} />
        </>
      )}
    </div>
  );
}

/** What is seen there now: the first of the kinds that have a word, else that something moves. */
function SeenBadge({ channel }: { readonly channel: string }) {
  const { kinds, other } = wallWords().happening;
  const seen = seenAt(channel);
  if (seen.length === 0) return null;
  const named =
    seen.find((kind): kind is keyof typeof kinds => kind in kinds && kind !== "motion") ?? seen[0];
  const text = named !== undefined && named in kinds ? kinds[named as keyof typeof kinds] : other;
  return (
    <span class="tile-badge seen">
      <Icon name="motion" />
      <span>{text}</span>
    </span>
  );
}

function useNote(where: typeof withoutPicture, channel: string, isSo: boolean): void {
  useEffect(() => {
    note(where, channel, isSo);
    return () => note(where, channel, false);
  }, [isSo, channel]);
}

/** What is wrong, in words, over the last picture; nothing while pictures come. */
function ProblemOf({ picture, channel }: { readonly picture: LivePicture; readonly channel: Channel }) {
  const text = problemWords(picture.state, channel);
  const { problem, refusal } = picture.state.value;
  const isWrong = refusal !== undefined || (problem !== undefined && problem.reason !== "starting");
  useNote(withoutPicture, channel.Id, isWrong);
  useNote(slowPictures, channel.Id, picture.state.value.isSlow);
  if (text === undefined) return null;
  const isWaiting = !isWrong && connection.value.lostAtMs === undefined && channel.AllowedRealtime;
  return (
    <p class={isWaiting ? "tile-problem waiting" : "tile-problem"}>
      {!isWaiting && <Icon name="noPicture" />}
      <span>{text}</span>
    </p>
  );
}

function problemWords(state: Signal<LivePicture["state"]["value"]>, channel: Channel): string | undefined {
  const words = wallWords();
  const picture = state.value;
  const { isShowing, problem, refusal } = picture;
  const { state: link, lostAtMs } = connection.value;
  const quietMs = quietSinceMs.value;
  if (!channel.AllowedRealtime) return words.forbidden;
  if (quietMs !== undefined) return words.noConnection(momentWords(lostAtMs ?? quietMs));
  if (lostAtMs !== undefined && link !== "open") return words.noConnection(momentWords(lostAtMs));
  if (refusal !== undefined) return words.ended;
  if (problem?.reason === "no-playable-stream" && !rights.value.CanReceiveMainStream)
    return words.noSecondStream;
  if (problem !== undefined)
    return words.problems[problem.reason](
      problem.since === undefined ? undefined : momentWords(problem.since),
    );
  if (picture.isStanding) return words.standing;
  return isShowing ? undefined : words.connecting;
}
