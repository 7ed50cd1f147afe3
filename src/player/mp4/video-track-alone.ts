import { box } from "./box.js";
import { VIDEO_TRACK } from "./fragment-tracks.js";
import { boxesIn, numberAt, type ReadBox, trackNumber } from "./read-boxes.js";

/** Where `trex` has the number of its track (ISO/IEC 14496-12, 8.8.3). */
const TREX_ID_AT = 12;

/** The init segment of fragments with the pictures' track alone. Throws RangeError where it is none. */
export function videoTrackAlone(init: Buffer): Buffer {
  return Buffer.concat(
    boxesIn(init).map(({ type, whole, content }) =>
      type === "moov" ? box("moov", ...boxesIn(content).flatMap(ofVideo)) : whole,
    ),
  );
}

function ofVideo({ type, whole, content }: ReadBox): Buffer[] {
  if (type === "trak") return trackNumber(content) === VIDEO_TRACK ? [whole] : [];
  if (type === "mvhd") {
    // It ends with the number that the next track would have.
    const header = Buffer.from(whole);
    header.writeUInt32BE(VIDEO_TRACK + 1, header.length - 4);
    return [header];
  }
  if (type !== "mvex") return [whole];
  const kept = boxesIn(content).filter(
    (each) => each.type !== "trex" || numberAt(each.whole, TREX_ID_AT) === VIDEO_TRACK,
  );
  return [box("mvex", ...kept.map((each) => each.whole))];
}
