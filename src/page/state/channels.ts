import { signal } from "@preact/signals";
import { requestJson } from "./request.js";

/** A channel as `GET /configex` has it; what the page uses. */
export interface Channel {
  readonly Id: string;
  readonly Name: string;
  readonly IsDisabled: boolean;
  readonly IsSoundOn: boolean;
  readonly IsPtzOn: boolean;
  readonly IsTransmitSoundOn: boolean;
  readonly AllowedRealtime: boolean;
  readonly AllowedArchive: boolean;
}

/** What the user may do, as `GET /configex` has it; what the page uses. */
export interface Rights {
  readonly CanPTZ: boolean;
  readonly CanReceiveSound: boolean;
  readonly CanReceiveMainStream: boolean;
  readonly CanTransmitSound: boolean;
  readonly CanRunUserScenarios: boolean;
}

interface Configuration {
  readonly RevNum: number;
  readonly Channels: readonly Channel[];
  readonly UserGroup: Rights;
}

/** All channels that this user may see, in the configuration's order; undefined until they are known. */
export const channels = signal<readonly Channel[] | undefined>(undefined);

/** None until they are known. */
export const rights = signal<Rights>({
  CanPTZ: false,
  CanReceiveSound: false,
  CanReceiveMainStream: false,
  CanTransmitSound: false,
  CanRunUserScenarios: false,
});

/** Reads the channels anew; an unchanged configuration changes nothing on the screen. */
export async function readChannels(): Promise<void> {
  const { RevNum, Channels, UserGroup } = await requestJson<Configuration>("/configex?responsetype=json");
  const known = JSON.stringify(channels.value);
  if (known !== JSON.stringify(Channels)) channels.value = Channels;
  if (JSON.stringify(rights.value) !== JSON.stringify(UserGroup)) rights.value = UserGroup;
  revision.value = RevNum;
}

/** Revision of the configuration that `channels` comes from. */
export const revision = signal(0);
