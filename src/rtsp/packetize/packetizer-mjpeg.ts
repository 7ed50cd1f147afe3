import type { PacketBatch } from "./packetizer-batch.js";
import { type JpegPicture, parseJpegPicture } from "./packetizer-jpeg-header.js";

/** The tables are in the first packet of each picture (RFC 2435, 4.2: those of 255 must not be cached). */
const Q_IN_BAND = 255;
const RESTART_TYPE = 64;
/** F and L set, count all ones: the picture is reassembled before decoding (RFC 2435, 3.1.7). */
const WHOLE_PICTURE_RESTART_COUNT = 0xffff;
const FRAGMENT_OFFSET_MAX = 0xffffff;

/** Whole JPEG pictures to RTP (RFC 2435), quantization tables in-band, restart intervals kept. */
export class MjpegPacketizer {
  /** False when RFC 2435 cannot carry this picture (see `JpegPicture`). */
  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean {
    const picture = parseJpegPicture(unit);
    if (picture === undefined) return false;
    const byteLength = picture.scanEnd - picture.scanStart;
    if (byteLength === 0 || byteLength > FRAGMENT_OFFSET_MAX) return false;
    for (let offset = 0; offset < byteLength; ) {
      batch.begin(timestamp);
      writeHeaders(picture, offset, batch);
      const start = picture.scanStart + offset;
      const end = Math.min(start + batch.room, picture.scanEnd);
      batch.append(unit, start, end);
      batch.finish();
      offset += end - start;
    }
    batch.markLast();
    return true;
  }
}

function writeHeaders(picture: JpegPicture, offset: number, batch: PacketBatch): void {
  const restarts = picture.restartInterval > 0;
  batch.byte(0);
  batch.byte(offset >> 16);
  batch.byte((offset >> 8) & 0xff);
  batch.byte(offset & 0xff);
  batch.byte(picture.type + (restarts ? RESTART_TYPE : 0));
  batch.byte(Q_IN_BAND);
  batch.byte(picture.widthBlocks);
  batch.byte(picture.heightBlocks);
  if (restarts) {
    batch.byte(picture.restartInterval >> 8);
    batch.byte(picture.restartInterval & 0xff);
    batch.byte(WHOLE_PICTURE_RESTART_COUNT >> 8);
    batch.byte(WHOLE_PICTURE_RESTART_COUNT & 0xff);
  }
  if (offset > 0) return;
  batch.byte(0);
  batch.byte(picture.precision);
  batch.byte(picture.tables.length >> 8);
  batch.byte(picture.tables.length & 0xff);
  batch.append(picture.tables, 0, picture.tables.length);
}
