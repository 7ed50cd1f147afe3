import type { SoundForm, SoundPiece, TranscodedPicture } from "../../picture/index.js";
import { type Part, typedPart } from "../parts/multipart.js";

/** Part types of sound: `audio, PCMU` is from the reference, the others follow its style. */
const SOUND_TYPES: Readonly<Record<SoundForm, string>> = {
  pcm: "audio, PCM",
  g711u: "audio, PCMU",
  g711a: "audio, PCMA",
  aac: "audio, AAC",
};

const PARTS = new WeakMap<TranscodedPicture | SoundPiece, Part>();

/** The part of a picture, created once for all its viewers. */
export function partOfPicture(picture: TranscodedPicture): Part {
  return knownOr(picture, () => typedPart(pictureType(picture), picture.timeUs, [picture.data]));
}

/** The part of a piece of sound, created once for all its listeners, because a piece has one form. */
export function partOfSound(piece: SoundPiece, form: SoundForm): Part {
  return knownOr(piece, () => typedPart(SOUND_TYPES[form], piece.timeUs, [piece.data]));
}

function pictureType({ form, key }: TranscodedPicture): string {
  if (form === "jpeg") return "image/jpeg";
  return `video, h264, ${key ? "I-frame" : "P-frame"}`;
}

function knownOr(item: TranscodedPicture | SoundPiece, make: () => Part): Part {
  const known = PARTS.get(item);
  if (known !== undefined) return known;
  const part = make();
  PARTS.set(item, part);
  return part;
}
