import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { CameraHealth, Health, StreamHealth } from "../../../contract/answer/index.js";
import { sayError } from "../../control/notice.js";
import { addressOf } from "../../state/address.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { language } from "../../words/language.js";
import type { StreamName } from "./model.js";

/** Pictures and bits a second between the last two looks. */
export interface StreamRate {
  readonly perSecond: number;
  readonly bitsPerSecond: number;
}

interface Look {
  readonly atMs: number;
  readonly cameras: ReadonlyMap<string, CameraHealth>;
  readonly objects: Health["Objects"];
}

const LOOK_MS = 3000;
const BITS_PER_BYTE = 8;
const MS_PER_SECOND = 1000;

const looks = signal<{ readonly last: Look; readonly before: Look | undefined } | undefined>(undefined);

/** Looks how the cameras are, for as long as the component is shown. */
export function useCameraHealth(): void {
  useRead(look, sayError);
  useEffect(() => {
    const timer = setInterval(() => {
      // The next look follows; the frame says that the recorder does not answer.
      look().catch((error: unknown) => console.warn("the cameras' state cannot be read", error));
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
}

async function look(): Promise<void> {
  const { Cameras, Objects } = await requestJson<Health>(
    addressOf("/api/health", { language: language.value }),
  );
  const cameras = new Map(Cameras.List.map((camera) => [camera.Id.toLowerCase(), camera]));
  looks.value = { last: { atMs: performance.now(), cameras, objects: Objects }, before: looks.peek()?.last };
}

/** How the recorder's own detector of objects does; undefined until it was asked. */
export function objectsNow(): Health["Objects"] | undefined {
  return looks.value?.last.objects;
}

export function healthOf(id: string): CameraHealth | undefined {
  return looks.value?.last.cameras.get(id.toLowerCase());
}

/** Undefined until two looks have counted it. */
export function rateOf(id: string, type: StreamName): StreamRate | undefined {
  const { last, before } = looks.value ?? {};
  const find = (one: Look | undefined): StreamHealth | undefined =>
    one?.cameras.get(id.toLowerCase())?.Streams.find(({ StreamType }) => StreamType === type);
  const [now, then] = [find(last), find(before)];
  if (now === undefined || then === undefined || now.Bytes < then.Bytes) return undefined;
  const seconds = ((last?.atMs ?? 0) - (before?.atMs ?? 0)) / MS_PER_SECOND;
  return {
    perSecond: (now.Pictures - then.Pictures) / seconds,
    bitsPerSecond: ((now.Bytes - then.Bytes) * BITS_PER_BYTE) / seconds,
  };
}

/** What a camera does now, in one word. */
export type CameraState =
  | "off"
  | "lost"
  | "connecting"
  | "waiting"
  | "recorded"
  | "notRecorded"
  | "idle"
  | "unknown";

export function stateOf(id: string): CameraState {
  const camera = healthOf(id);
  if (camera === undefined) return "unknown";
  if (camera.IsDisabled) return "off";
  if (camera.IsRecording && camera.IsConnected) return "recorded";
  if (!camera.IsConnected && camera.Streams.some(({ State }) => State === "lost")) return "lost";
  if (!camera.IsConnected && camera.Streams.some(({ State }) => State === "waiting")) return "waiting";
  if (camera.Streams.some(({ State }) => State === "connecting")) return "connecting";
  return camera.IsConnected && camera.MustRecord ? "notRecorded" : "idle";
}

/** Which picture of a camera there can be; undefined while it is not known, or the camera is being connected. */
export function pictureOf(id: string): "live" | "recorded" | undefined {
  if (healthOf(id)?.IsConnected === true) return "live";
  const state = stateOf(id);
  return state === "lost" || state === "off" ? "recorded" : undefined;
}

/** What of a camera's streams cannot be recorded now, each once, with what to do. */
export function lossesOf(id: string): readonly string[] {
  const texts = healthOf(id)?.Streams.flatMap(({ State, Reason, Losses }) => [
    ...(State === "waiting" && Reason !== null ? [Reason] : []),
    ...Losses.map(({ Text, Remedy }) => `${Text}. ${Remedy}`),
  ]);
  return [...new Set(texts)];
}

/** Why a camera sends nothing; undefined where nothing is lost. */
export function causeOf(id: string): string | undefined {
  return healthOf(id)?.Streams.find(({ State }) => State === "lost")?.Cause ?? undefined;
}
