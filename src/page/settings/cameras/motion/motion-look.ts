import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { RequestError, requestJson } from "../../../state/request.js";

/** What moves now, as `GET /api/channels/{id}/motion` has it. */
export interface MotionNow {
  readonly Detector: "Recorder" | "Camera" | "None";
  readonly IsMotion: boolean;
  readonly Time: string;
  readonly Seen: readonly {
    readonly Source: string;
    readonly Zone: string;
    readonly Time: string;
    readonly Box: {
      readonly Left: number;
      readonly Top: number;
      readonly Width: number;
      readonly Height: number;
    } | null;
  }[];
}

const LOOK_MS = 500;
/** What was seen longer ago is not where it was. */
export const FRESH_MS = 1500;

/** Looks what the detectors of a channel see, for as long as the component is shown. */
export function useMotion(channel: string): Signal<MotionNow | undefined> {
  const now = useSignal<MotionNow | undefined>(undefined);
  useEffect(() => {
    const end = new AbortController();
    void follow(channel, now, end.signal);
    return () => end.abort();
  }, [channel]);
  return now;
}

async function follow(
  channel: string,
  now: Signal<MotionNow | undefined>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      now.value = await requestJson<MotionNow>(`/api/channels/${channel}/motion`, { signal });
    } catch (error) {
      if (!(error instanceof RequestError)) return;
      now.value = undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
