#!/usr/bin/env node
/**
 * Takes the multipart framing off a `/video` answer, so that players can read it (docs/guide/watch.md):
 *
 *   curl -fsSN -u "root:$MD5" "http://127.0.0.1:8080/video?channelid=$ID" | node scripts/video-parts.mjs | ffplay -f h264 -
 *
 * Standard output gets the bodies of the video parts, one after another; with `--sound` those of the sound parts
 * (G.711 µ-law, 8 kHz). Ends with status 1, and the reason, when the input is not a `/video` answer.
 */
import process from "node:process";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";

const HEADER_BYTES_MAX = 4096;
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** Multipart in, bodies of the parts whose Content-Type `wanted` accepts out. */
export class PartBodies extends Transform {
  #wanted;
  #pending = Buffer.alloc(0);
  /** Bytes of the current body that are still to come; undefined while a header is read. */
  #bodyLeft;
  #passing = false;

  constructor(wanted) {
    super();
    this.#wanted = wanted;
  }

  _transform(chunk, _encoding, done) {
    let rest = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    try {
      while (rest.length > 0 || this.#bodyLeft === 0) {
        const taken = this.#bodyLeft === undefined ? this.#header(rest) : this.#body(rest);
        if (taken === 0) break;
        rest = rest.subarray(taken);
      }
      this.#pending = rest;
      done();
    } catch (error) {
      done(error);
    }
  }

  _flush(done) {
    const rest = this.#pending.toString("latin1").trim();
    done(rest === "" || /^--\S+$/.test(rest) ? null : new Error(notVideo(this.#pending)));
  }

  #header(bytes) {
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) {
      if (bytes.length > HEADER_BYTES_MAX) throw new Error(notVideo(bytes));
      return 0;
    }
    const text = bytes.toString("latin1", 0, end);
    const type = /^Content-Type: *(.+?) *$/im.exec(text)?.[1];
    const length = Number(/^Content-Length: *(\d+) *$/im.exec(text)?.[1] ?? Number.NaN);
    if (!/^(\r\n)?--/.test(text) || type === undefined || !(length <= BODY_BYTES_MAX))
      throw new Error(notVideo(bytes));
    this.#bodyLeft = length;
    this.#passing = this.#wanted(type);
    return end + 4;
  }

  #body(bytes) {
    const body = bytes.subarray(0, this.#bodyLeft);
    if (this.#passing) this.push(body);
    this.#bodyLeft -= body.length;
    if (this.#bodyLeft === 0) this.#bodyLeft = undefined;
    return body.length;
  }
}

function notVideo(bytes) {
  return `not a /video answer: ${bytes.toString("latin1", 0, 300)}`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sound = process.argv.includes("--sound");
  const wanted = (type) => type.startsWith("audio,") === sound;
  try {
    await pipeline(process.stdin, new PartBodies(wanted), process.stdout);
  } catch (error) {
    // The player was closed: the end of watching, not a failure.
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_PREMATURE_CLOSE") {
      console.error(`video-parts: ${error.message}`);
      process.exitCode = 1;
    }
  }
}
