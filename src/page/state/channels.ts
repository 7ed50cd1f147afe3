import { signal } from "@preact/signals";
import { requestJson } from "./request.js";

/** A channel as `GET /configex` has it; what the page uses. */
export interface Channel {
  readonly Id: string;
  readonly Name: string;
  readonly IsDisabled: boolean;
  readonly IsSoundOn: boolean;
  readonly IsPtzOn: boolean;
  readonly AllowedRealtime: boolean;
  readonly AllowedArchive: boolean;
}

interface Configuration {
  readonly RevNum: number;
  readonly Channels: readonly Channel[];
}

/** All channels that this user may see, in the configuration's order; undefined until they are known. */
export const channels = signal<readonly Channel[] | undefined>(undefined);

/** Reads the channels anew; an unchanged configuration changes nothing on the screen. */
export async function readChannels(): Promise<void> {
  const { RevNum, Channels } = await requestJson<Configuration>("/configex?responsetype=json");
  const known = JSON.stringify(channels.value);
  if (known !== JSON.stringify(Channels)) channels.value = Channels;
  revision.value = RevNum;
}

/** Revision of the configuration that `channels` comes from. */
export const revision = signal(0);
