import { Dialog } from "../control/dialog.js";
import { eventsWords } from "../words/events.js";
import { type EventItem, eventTitle, findings, timeOf } from "./event-item.js";
import { EventPicture } from "./event-row.js";
import { dateAndTime, playAddress } from "./moment.js";
import type { EventPictures } from "./pictures.js";

const PICTURE_WIDTH = 640;

interface EventDetailsProps {
  readonly item: EventItem;
  readonly pictures: EventPictures;
  readonly onClose: () => void;
}

/** All that is known of one event, with its picture larger. */
export function EventDetails({ item, pictures, onClose }: EventDetailsProps) {
  const words = eventsWords();
  const address = playAddress(item);
  const lines = [
    [words.happened, dateAndTime(timeOf(item))],
    [words.camera, item.ChannelName],
    [words.kind, words.kindOf[item.EventCategory]],
    [words.findings, findings(item)],
    [words.comment, item.EventComment],
  ].filter(([, text]) => text !== "");
  return (
    <Dialog title={eventTitle(item)} onClose={onClose}>
      <div class="event-details">
        {address !== undefined && <EventPicture item={item} pictures={pictures} width={PICTURE_WIDTH} />}
        <dl>
          {lines.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {address !== undefined && (
          <a class="button main" href={address}>
            {words.play}
          </a>
        )}
      </div>
    </Dialog>
  );
}
