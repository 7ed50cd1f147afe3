import {
  Alarms,
  type AlarmsOptions,
  alarmSender,
  WEBHOOK_REACH_ANY,
  WEBHOOK_REACH_PUBLIC,
} from "../../alarm/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import { type Guid, type Language, NvrdError, STREAM_TYPES, US_PER_SECOND } from "../../base/index.js";
import { partAround, type SeenStillNeeds, seenStill } from "../../compat/index.js";
import { EVENT_TYPES, type EventRecord, memberBox } from "../../event/index.js";
import type { Stills } from "../../picture/index.js";
import { rotationOf } from "../../player/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site } from "../../site/index.js";

/** Wide enough to recognize somebody on a phone. */
const PICTURE_WIDTH = 1280;
/** A picture that is further from its event is none of it. */
const PICTURE_OFF_US_MAX = 10 * US_PER_SECOND;
/** The smallest stream that was recorded first: the picture goes to a phone. */
const SMALLEST_FIRST = [...STREAM_TYPES].reverse();
/** What is shown around a thing: its own sides on each side of it, and at least this part of the picture's. */
const AROUND_THING = 1;
const AROUND_SIDE_MIN = 0.25;
/** Their box is the largest of all that moves, which may be the whole picture's. */
const MOTION_TYPES: ReadonlySet<Guid> = new Set([
  EVENT_TYPES.motionDetected.id,
  EVENT_TYPES.motionStarted.id,
]);

interface AlarmServiceOptions extends Omit<AlarmsOptions, "send"> {
  readonly settings: Settings;
  readonly language: () => Language;
  /** Recordings and the maker of pictures, which start after the alarms. */
  readonly pictures: () => { readonly archive: ArchiveAccess; readonly stills: Stills };
}

/** The alarms, with pictures of their events for the services that take some. */
export function createAlarms({ settings, language, pictures, ...parts }: AlarmServiceOptions): Alarms {
  const reach = settings.webhookPrivateTargets === "forbid" ? WEBHOOK_REACH_PUBLIC : WEBHOOK_REACH_ANY;
  const { clock, log } = parts;
  const pictureOf = (event: EventRecord, signal: AbortSignal) =>
    eventPicture({ ...pictures(), clock, site: parts.site.current }, event, signal);
  return new Alarms({ ...parts, send: alarmSender({ reach, language, pictureOf, clock, log }) });
}

interface PictureParts extends SeenStillNeeds {
  readonly site: Site;
}

/** What was recorded at an event, as a JPEG: the thing that it is about, with what is around it. Rejects with NvrdError where nothing was. */
async function eventPicture(
  { site, ...needs }: PictureParts,
  event: EventRecord,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { channelId, timeUs: atUs } = event;
  const camera = site.cameras.find(({ id }) => id === channelId);
  const box = MOTION_TYPES.has(event.typeId) ? undefined : memberBox(event);
  const part = box === undefined ? undefined : partAround(box, AROUND_THING, AROUND_SIDE_MIN);
  const streams =
    camera === undefined
      ? []
      : (part === undefined ? SMALLEST_FIRST : STREAM_TYPES).map((streamType) => ({
          key: { channelId, streamType },
          rotation: rotationOf(camera, streamType),
        }));
  const wanted = { streams, atUs, part, side: PICTURE_WIDTH, offUsMax: PICTURE_OFF_US_MAX };
  const jpeg = await seenStill(needs, wanted, signal);
  if (jpeg === undefined) throw new NvrdError("NOT_FOUND", "nothing was recorded at the event");
  return jpeg;
}
