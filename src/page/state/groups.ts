import { computed } from "@preact/signals";
import { channels, type Folder, folders } from "./channels.js";

/** A folder below the root: where cameras are. */
export interface Group {
  readonly id: string;
  readonly name: string;
  /** Its name after those of the folders around it. */
  readonly path: string;
  /** Of all folders in it too, in the configuration's order. */
  readonly channels: readonly string[];
  readonly depth: number;
}

/** All groups that hold a camera that the user may see, each before those within it. */
export const groups = computed<readonly Group[]>(() =>
  folders.value === undefined
    ? []
    : groupsWithin(
        folders.value,
        [],
        (channels.value ?? []).map(({ Id }) => Id),
      ),
);

function groupsWithin(folder: Folder, above: readonly string[], order: readonly string[]): readonly Group[] {
  return folder.ChildSecObjects.flatMap((child) => {
    const path = [...above, child.Name ?? ""];
    const held = channelsOf(child);
    const group = {
      id: child.Id,
      name: child.Name ?? "",
      path: path.join(" / "),
      channels: order.filter((id) => held.has(id)),
      depth: above.length,
    };
    return group.channels.length === 0 ? [] : [group, ...groupsWithin(child, path, order)];
  });
}

function channelsOf({ ChildChannels, ChildSecObjects }: Folder): ReadonlySet<string> {
  return new Set([...ChildChannels, ...ChildSecObjects.flatMap((child) => [...channelsOf(child)])]);
}

/** Where each camera is: the path of its folder; none for those of the root. */
const places = computed<ReadonlyMap<string, string>>(() => {
  const found = new Map<string, string>();
  // The innermost folder of a camera comes last.
  for (const { path, channels: held } of groups.value) for (const id of held) found.set(id, path);
  return found;
});

export function placeOf(channel: string): string {
  return places.value.get(channel) ?? "";
}

/** Whether a camera has all words of a text in its name or its place. */
export function isSought(
  { Id, Name }: { readonly Id: string; readonly Name: string },
  text: string,
): boolean {
  const known = `${Name} ${placeOf(Id)}`.toLocaleLowerCase();
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => known.includes(word));
}
