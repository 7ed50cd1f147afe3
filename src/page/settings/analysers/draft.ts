import { analyser as contract, vision as server } from "../../../contract/index.js";
import type { Analyser, FrigateCamera, Kind, Task } from "./model.js";

/** What the form holds: texts as they are typed. */
export interface Draft {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly kind: Kind;
  readonly url: string;
  /** Empty: as it is. */
  readonly key: string;
  /** PEM; empty: the usual authorities. */
  readonly authority: string;
  readonly tasks: ReadonlySet<Task>;
  readonly confidence: string;
  readonly startsRecording: boolean;
  readonly allCameras: boolean;
  readonly cameraIds: ReadonlySet<string>;
  /** How Frigate names each camera, by channel; empty: it does not watch it. */
  readonly frigate: ReadonlyMap<string, FrigateCamera>;
}

export function draftOf(analyser: Analyser | undefined): Draft {
  const { Vision: vision, Frigate: frigate } = analyser ?? {};
  const tasks = (["Objects", "Plates", "Faces"] as const).filter(
    (task) => vision?.[task] ?? server[task].default,
  );
  return {
    ...{
      name: analyser?.Name ?? "",
      isEnabled: analyser?.IsEnabled ?? contract.IsEnabled.default,
      kind: analyser?.Kind ?? "Vision",
    },
    ...{ url: vision?.Url ?? "", key: "", tasks: new Set(tasks) },
    authority: vision?.Authority ?? server.Authority.default,
    ...{
      confidence: `${analyser?.MinConfidence ?? contract.MinConfidence.default}`,
      startsRecording: analyser?.StartsRecording ?? contract.StartsRecording.default,
    },
    ...{
      allCameras: vision?.AllChannels ?? server.AllChannels.default,
      cameraIds: new Set(vision?.ChannelIds ?? []),
    },
    frigate: new Map((frigate?.Cameras ?? []).map((camera) => [camera.ChannelId, camera])),
  };
}

/** The body of the request that keeps it. A key that was not typed stays as it is. */
export function analyserOf(
  draft: Draft,
  id: string | undefined,
): Readonly<Record<string, unknown>> & { readonly Id?: string } {
  return {
    ...(id === undefined ? {} : { Id: id }),
    ...{ Name: draft.name.trim(), IsEnabled: draft.isEnabled, Kind: draft.kind },
    ...{ MinConfidence: Number(draft.confidence), StartsRecording: draft.startsRecording },
    ...(draft.kind === "Vision" ? { Vision: visionOf(draft) } : { Frigate: frigateOf(draft) }),
  };
}

function visionOf({ url, key, authority, tasks, allCameras, cameraIds }: Draft): object {
  return {
    Url: url.trim(),
    Authority: authority,
    ...(key === "" ? {} : { ApiKey: key }),
    ...{ Objects: tasks.has("Objects"), Plates: tasks.has("Plates"), Faces: tasks.has("Faces") },
    ...{ AllChannels: allCameras, ...(allCameras ? {} : { ChannelIds: [...cameraIds] }) },
  };
}

/** A camera that had a size keeps it. */
function frigateOf({ frigate }: Draft): object {
  const named = [...frigate.values()].map((camera) => ({ ...camera, Name: camera.Name.trim() }));
  return { Cameras: named.filter(({ Name }) => Name !== "") };
}
