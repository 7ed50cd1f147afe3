import type { Guid } from "../../base/index.js";
import type { SecurityObject, Site } from "./model.js";

/** A security object without its children. */
export interface Folder {
  readonly id: Guid;
  readonly name: string | null;
  /** Null: the root. */
  readonly parentId: Guid | null;
  readonly channelIds: readonly Guid[];
}

/** The tree as a list, parents before children, so that a folder is moved by changing its parent. */
export function foldersOf(site: Site): readonly Folder[] {
  const list = (node: SecurityObject, parentId: Guid | null): Folder[] => [
    { id: node.id, name: node.name, parentId, channelIds: node.channelIds },
    ...node.children.flatMap((child) => list(child, node.id)),
  ];
  return list(site.rootSecurityObject, null);
}

/** The configuration with the tree built from the folders; folders not connected to the root must have been refused before. */
export function withFolders(site: Site, folders: readonly Folder[]): Site {
  const build = ({ id, name, channelIds }: Folder): SecurityObject => ({
    id,
    name,
    children: folders.filter(({ parentId }) => parentId === id).map(build),
    channelIds,
  });
  const root = folders.find(({ parentId }) => parentId === null);
  return root === undefined ? site : { ...site, rootSecurityObject: build(root) };
}

/** Whether a folder is connected to the root; a folder moved into itself is not. */
export function hangsOnRoot(folder: Folder, folders: readonly Folder[]): boolean {
  const byId = new Map(folders.map((candidate) => [candidate.id, candidate]));
  const seen = new Set<Guid>();
  for (let at: Folder | undefined = folder; at !== undefined; at = byId.get(at.parentId ?? "")) {
    if (at.parentId === null) return true;
    if (seen.has(at.id)) return false;
    seen.add(at.id);
  }
  return false;
}

/**
 * Puts channels into folders; `contents` has the new channels of some folders. A channel is removed from its previous folder.
 * Channels that were removed from a folder and are in no other go to the root, so that every channel is in a folder.
 */
export function placeChannels(
  folders: readonly Folder[],
  contents: ReadonlyMap<Guid, readonly Guid[]>,
): readonly Folder[] {
  const placed = new Set([...contents.values()].flat());
  const left = folders
    .filter(({ id }) => contents.has(id))
    .flatMap(({ channelIds }) => channelIds)
    .filter((id) => !placed.has(id));
  return folders.map((folder) => {
    const kept = contents.get(folder.id) ?? folder.channelIds.filter((id) => !placed.has(id));
    return { ...folder, channelIds: folder.parentId === null ? [...new Set([...kept, ...left])] : kept };
  });
}
