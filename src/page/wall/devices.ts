import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { CamerasOutputs } from "../../contract/answer/index.js";
import { sayError } from "../control/notice.js";
import { type Channel, revision } from "../state/channels.js";
import { useRead } from "../state/reading.js";
import { requestJson } from "../state/request.js";
import { session } from "../state/session.js";
import { wallWords } from "../words/wall.js";
import { canTalk } from "./talk/talk.js";

/** A camera that has not named its outputs yet is asked for them again after so long. */
const AGAIN_MS = 20_000;

/** The camera whose outputs and announcements are shown. */
export const devicesOf = signal<Channel | undefined>(undefined);

/** Cameras that have outputs; none for who may not switch them. */
const withOutputs = signal<ReadonlySet<string>>(new Set());
export const maySwitch = ({ Id }: Channel): boolean => withOutputs.value.has(Id);

/** Finds out which cameras have outputs, for as long as the wall is shown; again with each change of the configuration. */
export function useOutputs(): void {
  const isAllowed = session.value?.IsAdministrator === true;
  const times = useSignal(0);
  const isNaming = useSignal(false);
  useRead(
    async () => {
      const list = isAllowed ? await requestJson<CamerasOutputs>("/api/outputs") : [];
      withOutputs.value = new Set(
        list.flatMap(({ ChannelId, Outputs }) => (Outputs?.length ? [ChannelId] : [])),
      );
      isNaming.value = list.some(({ Outputs }) => Outputs === null);
    },
    sayError,
    [isAllowed, revision.value, times.value],
  );
  useEffect(() => {
    if (!isNaming.value) return undefined;
    const timer = setTimeout(() => (times.value += 1), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isNaming.value, times.value]);
}

/** What of a camera's devices the user may use; undefined: nothing. */
export function devicesName(channel: Channel): string | undefined {
  const { outputs, announcements, both } = wallWords().devices;
  if (!canTalk(channel)) return maySwitch(channel) ? outputs : undefined;
  return maySwitch(channel) ? both : announcements;
}
