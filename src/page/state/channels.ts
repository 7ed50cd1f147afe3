import { type Signal, signal } from "@preact/signals";
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

/** A folder of the configuration, as `GET /configex` has it. */
export interface Folder {
  readonly Id: string;
  readonly Name: string | null;
  readonly ChildSecObjects: readonly Folder[];
  readonly ChildChannels: readonly string[];
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
  readonly RootSecObject: Folder;
  readonly UserGroup: Rights;
}

/** All channels that this user may see, in the configuration's order; undefined until they are known. */
export const channels = signal<readonly Channel[] | undefined>(undefined);

/** The folders that hold them, from the root. */
export const folders = signal<Folder | undefined>(undefined);

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
  const answer = await requestJson<Configuration>("/configex?responsetype=json");
  const { RevNum, Channels, UserGroup, RootSecObject } = answer;
  change(channels, withDistinctNames(Channels, RootSecObject));
  change(folders, RootSecObject);
  change(rights, UserGroup);
  revision.value = RevNum;
}

/** Cameras of one name with the folder they are in: at a hub, that is their recorder. */
function withDistinctNames(all: readonly Channel[], root: Folder): readonly Channel[] {
  const counts = new Map<string, number>();
  for (const { Name } of all) counts.set(Name, (counts.get(Name) ?? 0) + 1);
  return all.map((channel) => {
    const { Id, Name } = channel;
    const place = counts.get(Name) === 1 ? null : folderOf(Id, root);
    return place === null ? channel : { ...channel, Name: `${Name} · ${place}` };
  });
}

/** The name of the uppermost folder that holds a channel; null: it is in the root. */
function folderOf(id: string, { ChildSecObjects }: Folder): string | null {
  const holds = (folder: Folder): boolean =>
    folder.ChildChannels.includes(id) || folder.ChildSecObjects.some(holds);
  return ChildSecObjects.find(holds)?.Name ?? null;
}

function change<T>(known: Signal<T>, read: T): void {
  if (JSON.stringify(known.peek()) !== JSON.stringify(read)) known.value = read;
}

/** Revision of the configuration that `channels` comes from. */
export const revision = signal(0);
