import type { ExportPlan } from "../../compat/index.js";
import type { PICTURE_FORMS } from "../../contract/index.js";
import { Codec } from "../../live/index.js";

type PictureForm = (typeof PICTURE_FORMS)[number];

/** What becomes of what was recorded. */
export interface MovieEdits {
  readonly pictures: PictureForm;
  /** The camera's name and the time are written into the pictures. */
  readonly showTime: boolean;
  /** How many times as fast it is; what is faster than 1 has no sound. */
  readonly speed: number;
}

/** Of H.264 that every player decodes: baseline, main and high (ITU-T H.264, A.2); 8 bits, 4:2:0. */
const PROFILES = new Set([66, 77, 100]);
/** Of an `avcC` box: its type, and the version before the profile. */
const PROFILE_BEHIND_TYPE = 5;

/** What of a plan stays as it is. */
export interface MovieForm {
  /** The pictures are not encoded anew. */
  readonly copiesPictures: boolean;
  readonly hasSound: boolean;
  /** The sound is AAC of one format. */
  readonly copiesSound: boolean;
}

/** What has to be converted for a movie of AAC and these pictures: as little as possible. */
export function movieFormOf(plan: ExportPlan, { pictures, showTime, speed }: MovieEdits): MovieForm {
  const { units } = plan;
  const sounds = units.flatMap(({ options }) => options.audio ?? []);
  const videos = units.map(({ options }) => options.video);
  const isOne = (tracks: readonly { readonly id: number; readonly description: number }[]): boolean =>
    tracks.every(({ id, description }) => id === tracks[0]?.id && description === tracks[0].description);
  const isEdited = showTime || speed !== 1;
  const stays = pictures === "AsRecorded" ? isOneTrack(videos) : isOne(videos) && isPlayable(plan);
  return {
    copiesPictures: stays && !isEdited,
    hasSound: sounds.length > 0 && speed === 1,
    copiesSound: sounds.every(({ codec }) => codec === Codec.AAC) && isOne(sounds),
  };
}

function isOneTrack(videos: readonly { readonly id: number }[]): boolean {
  return videos.every(({ id }) => id === videos[0]?.id);
}

function isPlayable({ tracks, units }: ExportPlan): boolean {
  const { id, codec, description } = units[0]?.options.video ?? {};
  if (codec !== Codec.H264) return false;
  const entry = tracks.find((track) => track.id === id)?.entries[(description ?? 1) - 1];
  const at = entry?.indexOf("avcC", 0, "latin1") ?? -1;
  return entry !== undefined && at >= 0 && PROFILES.has(entry[at + PROFILE_BEHIND_TYPE] ?? 0);
}
