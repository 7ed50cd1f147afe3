import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { IconButton } from "../control/button.js";
import { Icon, type IconName } from "../control/icon.js";
import { eventsWords } from "../words/events.js";
import { type EventItem, eventTitle, findings, timeOf } from "./event-item.js";
import { clockTime, playAddress, playableChannel } from "./moment.js";
import type { EventPictures } from "./pictures.js";

const KIND_ICONS: readonly IconName[] = ["info", "events", "warning"];
export const KIND_CLASSES: readonly string[] = ["info", "alarm", "error"];

/** Pixels of the picture in the list, twice what it is in CSS for dense screens. */
const PICTURE_WIDTH = 224;

interface EventRowProps {
  readonly item: EventItem;
  readonly pictures: EventPictures;
  /** Whether Tab reaches it: one row of the list has that. */
  readonly isTabStop: boolean;
  readonly onDetails: (item: EventItem) => void;
  readonly onFocus: () => void;
}

/** One event: a picture, what happened, where and when. A click plays it, or shows more where there is nothing to play. */
export function EventRow({ item, pictures, isTabStop, onDetails, onFocus }: EventRowProps) {
  const words = eventsWords();
  const address = playAddress(item);
  const tabIndex = isTabStop ? 0 : -1;
  const face = <EventFace item={item} pictures={pictures} />;
  return (
    <div class={`event-row ${KIND_CLASSES[item.EventCategory]}`} onFocusCapture={onFocus}>
      {address === undefined ? (
        <button type="button" class="event-face" tabIndex={tabIndex} onClick={() => onDetails(item)}>
          {face}
        </button>
      ) : (
        <a class="event-face" href={address} tabIndex={tabIndex}>
          {face}
        </a>
      )}
      <span class="event-more">
        <IconButton
          icon="more"
          label={`${words.details}: ${eventTitle(item)}, ${clockTime(timeOf(item))}`}
          tabIndex={tabIndex}
          onClick={() => onDetails(item)}
        />
      </span>
    </div>
  );
}

function EventFace({ item, pictures }: Pick<EventRowProps, "item" | "pictures">) {
  const timeMs = timeOf(item);
  const more = [findings(item), item.EventComment].filter((text) => text !== "").join(" · ");
  return (
    <>
      <EventPicture item={item} pictures={pictures} width={PICTURE_WIDTH} />
      <span class="event-words">
        <span class="event-title">
          <span class="event-kind">
            <Icon name={KIND_ICONS[item.EventCategory] ?? "info"} />
            <span class="only-read">{eventsWords().kindOf[item.EventCategory]}: </span>
          </span>
          {eventTitle(item)}
        </span>
        <span class="event-comment">{more}</span>
      </span>
      <span class="event-place">
        <time dateTime={item.Timestamp}>{clockTime(timeMs)}</time>
        <span class="event-camera">{item.ChannelName}</span>
      </span>
    </>
  );
}

interface EventPictureProps {
  readonly item: EventItem;
  readonly pictures: EventPictures;
  readonly width: number;
}

/** The recorded picture of an event; its place stays empty until it is here, and where there is none. */
export function EventPicture({ item, pictures, width }: EventPictureProps) {
  const channelId = useComputed(() => playableChannel(item)).value;
  const timeMs = timeOf(item);
  const moment = channelId === undefined ? undefined : { channelId, timeMs, width };
  const [url, setUrl] = useState(() => (moment === undefined ? undefined : pictures.known(moment)));
  useEffect(() => {
    if (moment === undefined) return;
    const leaving = new AbortController();
    void pictures.load(moment, leaving.signal).then((found) => {
      if (!leaving.signal.aborted) setUrl(found);
    });
    return () => leaving.abort();
  }, [channelId, timeMs, width]);
  return (
    <span class="event-picture">
      {url === undefined ? (
        <Icon name={item.ChannelName === "" ? "recorder" : "still"} />
      ) : (
        <img src={url} alt="" />
      )}
    </span>
  );
}
