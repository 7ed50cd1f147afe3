import { BackgroundProcess } from "../../support/service/background-process.js";
import { buildProgram } from "../../support/service/paced-source.js";

/** What viewers may be late by to begin and to end. */
const PATIENCE_MS = 60_000;

/** What viewers of HLS ask for, at one port of 127.0.0.1. */
export interface PlayedFiles {
  readonly port: number;
  /** Absolute paths of media playlists. With `files`: one. */
  readonly playlists: readonly string[];
  /** Files that are there: each period the playlist and the next of the parts. Live when absent: reloads that wait, and new parts. */
  readonly files?: { readonly parts: readonly string[]; readonly periodMs: number };
}

export interface PlayOptions {
  readonly viewers: number;
  readonly settleMs: number;
  readonly windowMs: number;
  /** Called as measuring begins. */
  readonly onBegin: () => void;
  /** Called as it ends. */
  readonly onEnd: () => void;
}

/** What all viewers together got while it was measured. */
export interface Played {
  readonly bytes: number;
  readonly requests: number;
  /** Age of a part's first picture when the whole part was there, ms; 0 for files. */
  readonly age: { readonly p50: number; readonly p99: number };
}

/** Plays by `hls-viewers.c`. Rejects when one of the viewers is not served. */
export async function playHls(
  { port, playlists, files }: PlayedFiles,
  { viewers, settleMs, windowMs, onBegin, onEnd }: PlayOptions,
): Promise<Played> {
  const how = files === undefined ? "live" : `${files.periodMs}`;
  const asked = [how, ...playlists, ...(files?.parts ?? [])];
  const times = [`${viewers}`, `${settleMs / 1000}`, `${windowMs / 1000}`];
  const program = await buildProgram("hls-viewers");
  const process = new BackgroundProcess(program, [`${port}`, ...times, ...asked]);
  try {
    await process.waitFor(/^measuring$/m, settleMs + PATIENCE_MS);
    onBegin();
    const found = await process.waitFor(
      /^bytes (\d+) requests (\d+) age (\d+) (\d+)$/m,
      windowMs + PATIENCE_MS,
    );
    onEnd();
    const [bytes = 0, requests = 0, age50 = 0, age99 = 0] = found.slice(1).map(Number);
    return { bytes, requests, age: { p50: age50 / 1000, p99: age99 / 1000 } };
  } finally {
    await process.stop();
  }
}
