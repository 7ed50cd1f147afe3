import {
  Alarms,
  type AlarmsOptions,
  alarmSender,
  WEBHOOK_REACH_ANY,
  WEBHOOK_REACH_PUBLIC,
} from "../../alarm/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import { type Language, NvrdError, STREAM_TYPES, US_PER_SECOND } from "../../base/index.js";
import { archiveMaterial } from "../../compat/index.js";
import type { EventRecord } from "../../event/index.js";
import type { Stills } from "../../picture/index.js";
import { nearestRecordedUs, rotationOf } from "../../player/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site } from "../../site/index.js";

/** Wide enough to recognize somebody on a phone. */
const PICTURE_WIDTH = 1280;
/** A picture that is further from its event is none of it. */
const PICTURE_OFF_US_MAX = 10 * US_PER_SECOND;
/** The smallest stream that was recorded first: the picture goes to a phone. */
const SMALLEST_FIRST = [...STREAM_TYPES].reverse();

interface AlarmServiceOptions extends Omit<AlarmsOptions, "send"> {
  readonly settings: Settings;
  readonly language: () => Language;
  /** Recordings and the maker of pictures, which start after the alarms. */
  readonly pictures: () => { readonly archive: ArchiveAccess; readonly stills: Stills };
}

/** The alarms, with pictures of their events for the services that take some. */
export function createAlarms({ settings, language, pictures, ...parts }: AlarmServiceOptions): Alarms {
  const reach = settings.webhookPrivateTargets === "forbid" ? WEBHOOK_REACH_PUBLIC : WEBHOOK_REACH_ANY;
  const pictureOf = (event: EventRecord, signal: AbortSignal) =>
    eventPicture({ ...pictures(), site: parts.site.current }, event, signal);
  const { clock, log } = parts;
  return new Alarms({ ...parts, send: alarmSender({ reach, language, pictureOf, clock, log }) });
}

interface PictureParts {
  readonly archive: ArchiveAccess;
  readonly stills: Stills;
  readonly site: Site;
}

/** What was recorded at an event, as a JPEG. Rejects with NvrdError where nothing was. */
async function eventPicture(
  { archive, stills, site }: PictureParts,
  { channelId, timeUs }: EventRecord,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const camera = site.cameras.find(({ id }) => id === channelId);
  const found = SMALLEST_FIRST.flatMap((streamType) => {
    const atUs = nearestRecordedUs(archive, { channelId, streamType }, timeUs);
    return atUs === undefined ? [] : [{ streamType, atUs, offUs: Math.abs(atUs - timeUs) }];
  }).toSorted((one, other) => one.offUs - other.offUs)[0];
  if (camera === undefined || found === undefined || found.offUs > PICTURE_OFF_US_MAX)
    throw new NvrdError("NOT_FOUND", "nothing was recorded at the event");
  const { streamType, atUs } = found;
  const key = { channelId, streamType };
  const picture = { archive, key, rotation: rotationOf(camera, streamType), atUs };
  const share = stills.make(
    {
      key: `alarm ${channelId}/${streamType} ${atUs} ${site.revision}`,
      open: (opened) => archiveMaterial(picture, opened),
    },
    { width: PICTURE_WIDTH },
  );
  const cancel = (): void => share.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    return (await share.still).jpeg;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
