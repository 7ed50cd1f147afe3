import type * as v from "valibot";
import { EMPTY_GUID, type Guid, NvrdError, newGuid, parseGuid } from "../../base/index.js";
import {
  SECURITY_OBJECT_DEPTH_MAX,
  SECURITY_OBJECTS_MAX,
  securityObject,
  securityObjectTexts,
} from "../../contract/index.js";
import { list, notesOf, readerOf } from "../../contract/reading/index.js";
import {
  answerConfiguration,
  type CollectionDescription,
  type CollectionEndpoints,
  checkChannels,
  checkIds,
  collectionRoutes,
  editConfiguration,
  Faults,
  guidOrNone,
  notFound,
  OBJECTS_PER_REQUEST_MAX,
  type Route,
  readBody,
} from "../../route/index.js";
import {
  type Folder,
  foldersOf,
  hangsOnRoot,
  placeChannels,
  type SecurityObject,
  type Site,
  withFolders,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const PATH = "/configure/securityobjects";
const NOUN = "security object";

const inputSchema = readerOf(securityObject, { Id: guidOrNone });
const schema = list(inputSchema, OBJECTS_PER_REQUEST_MAX, "objects");
type FolderInput = v.InferOutput<typeof inputSchema>;

const DESCRIPTION: CollectionDescription = {
  title: "SecurityObject",
  text: [
    `Security objects are the folders that hold the channels, in a tree. It has at most ${SECURITY_OBJECTS_MAX} folders in ${SECURITY_OBJECT_DEPTH_MAX} levels.`,
  ],
  all: "The tree, from its root.",
  members: { Id: "Leave it out of POST.", ...notesOf(securityObject, securityObjectTexts) },
  answered: {
    ChildSecObjects: {
      type: "array",
      description: "Only in answers: the folders within, of the same shape.",
    },
  },
  removal: ["The contents of the folder move to its parent."],
  examples: {
    id: "$YARD",
    post: [
      'YARD=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/securityobjects" --data \'[{ "Name": "Yard" }]\' | member CreatedObjectsIds)',
    ],
    put: [
      'ROOT=$(curl -fsSu "$AUTH" "$NVRD/configure/securityobjects" | member Id)',
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/securityobjects" --data \'[{',
      '  "Id": "\'$YARD\'", "ParentId": "\'$ROOT\'",',
      '  "ChildChannels": ["\'$CHANNEL\'"] }]\'',
    ],
  },
};

const endpoints: CollectionEndpoints = {
  noun: NOUN,
  bodySchema: schema,
  description: DESCRIPTION,
  path: PATH,
  getAll: ({ needs }) => {
    const site = needs.site.current;
    return answerConfiguration(describe(site.rootSecurityObject, null), site);
  },

  getOne: ({ needs, pathValues }) => {
    const site = needs.site.current;
    const folder = requireFolder(foldersOf(site), pathValues.get("id") ?? "");
    return answerConfiguration(describe(treeOf(site, folder.id), folder.parentId), site);
  },

  post: async (context) => {
    const inputs = readBody(schema, context.request.body);
    const ids = inputs.map(() => newGuid());
    const site = await editConfiguration(context, (current) => addFolders(current, inputs, ids));
    return answerConfiguration({ CreatedObjectsIds: ids }, site);
  },

  put: async (context) => {
    const inputs = readBody(schema, context.request.body);
    const site = await editConfiguration(context, (current) => changeFolders(current, inputs));
    return answerConfiguration({ ModifiedObjectsIds: inputs.map(({ Id }) => Id) }, site);
  },

  remove: async (context) => {
    let id: Guid = "";
    const site = await editConfiguration(context, (current) => {
      id = requireFolder(foldersOf(current), context.pathValues.get("id") ?? "").id;
      return removeFolder(current, id);
    });
    return answerConfiguration({ DeletedObjectsIds: [id] }, site);
  },
};

/** /configure/securityobjects: the tree of folders and the channels in them. */
export const SECURITY_OBJECT_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(endpoints);

function describe(node: SecurityObject, parentId: Guid | null): unknown {
  return {
    Id: node.id,
    Name: node.name,
    ParentId: parentId,
    ChildSecObjects: node.children.map((child) => describe(child, node.id)),
    ChildChannels: node.channelIds,
  };
}

function treeOf(site: Site, id: Guid): SecurityObject {
  const pending = [site.rootSecurityObject];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.id === id) return node;
    pending.push(...node.children);
  }
  throw notFound(NOUN, PATH, id);
}

function requireFolder(folders: readonly Folder[], text: string, at = ""): Folder {
  const folder = folders.find(({ id }) => id === parseGuid(text));
  if (folder === undefined) throw notFound(NOUN, PATH, text, at);
  return folder;
}

function addFolders(site: Site, inputs: readonly FolderInput[], ids: readonly Guid[]): Site {
  const faults = new Faults();
  const folders = foldersOf(site);
  const added = inputs.map((input, index): Folder => {
    if (input.Id) faults.add(`[${index}].Id`, "is given by the server: leave it out");
    if (!input.Name) faults.add(`[${index}].Name`, "is required");
    const parentId = parentOf(input, site.rootSecurityObject.id, folders, `[${index}]`, faults);
    return { id: ids[index] ?? EMPTY_GUID, name: input.Name ?? null, parentId, channelIds: [] };
  });
  const contents = contentsOf(inputs, added, site, faults);
  faults.throwIfAny();
  return withFolders(site, placeChannels([...folders, ...added], contents));
}

function changeFolders(site: Site, inputs: readonly FolderInput[]): Site {
  const faults = new Faults();
  checkIds(
    inputs.map(({ Id }) => ({ id: Id ?? undefined })),
    faults,
  );
  let folders = foldersOf(site);
  const changed = inputs.map((input, index) => {
    const before = requireFolder(folders, input.Id ?? "", `[${index}].Id: `);
    const parentId = newParent(input, before, folders, `[${index}]`, faults);
    return { ...before, name: input.Name ?? before.name, parentId };
  });
  for (const folder of changed) folders = putFolder(folders, folder);
  for (const [index, folder] of changed.entries()) {
    if (!hangsOnRoot(folder, folders))
      faults.add(`[${index}].ParentId`, "a folder cannot be moved into itself");
  }
  const contents = contentsOf(inputs, changed, site, faults);
  faults.throwIfAny();
  return withFolders(site, placeChannels(folders, contents));
}

/** A moved folder is placed after the existing ones. */
function putFolder(folders: readonly Folder[], folder: Folder): readonly Folder[] {
  const before = folders.find(({ id }) => id === folder.id);
  if (before?.parentId === folder.parentId)
    return folders.map((other) => (other.id === folder.id ? folder : other));
  return [...folders.filter(({ id }) => id !== folder.id), folder];
}

function newParent(
  input: FolderInput,
  before: Folder,
  folders: readonly Folder[],
  path: string,
  faults: Faults,
): Guid | null {
  if (before.parentId !== null) return parentOf(input, before.parentId, folders, path, faults);
  if (input.ParentId) faults.add(`${path}.ParentId`, "the root cannot be moved");
  return null;
}

function parentOf(
  { ParentId }: FolderInput,
  fallback: Guid,
  folders: readonly Folder[],
  path: string,
  faults: Faults,
): Guid {
  if (!ParentId) return fallback;
  if (folders.some(({ id }) => id === ParentId)) return ParentId;
  faults.add(`${path}.ParentId`, "no security object has this id", "NOT_FOUND");
  return fallback;
}

/** The contents of each folder in a body; a channel may be in only one of them. */
function contentsOf(
  inputs: readonly FolderInput[],
  folders: readonly Folder[],
  site: Site,
  faults: Faults,
): ReadonlyMap<Guid, readonly Guid[]> {
  const contents = new Map<Guid, readonly Guid[]>();
  const taken = new Set<Guid>();
  for (const [index, { ChildChannels }] of inputs.entries()) {
    const folder = folders[index];
    if (!ChildChannels || folder === undefined) continue;
    checkChannels(ChildChannels, "ChildChannels", { site, path: `[${index}]`, faults });
    if (ChildChannels.some((id) => taken.has(id)))
      faults.add(`[${index}].ChildChannels`, "a channel is in two folders of the body");
    for (const id of ChildChannels) taken.add(id);
    contents.set(folder.id, ChildChannels);
  }
  return contents;
}

/** Its folders and channels move to its parent. */
function removeFolder(site: Site, id: Guid): Site {
  const folders = foldersOf(site);
  const gone = requireFolder(folders, id);
  if (gone.parentId === null) {
    throw new NvrdError("CONFLICT", "the root security object cannot be deleted", {
      hint: `see GET ${PATH} for those below it`,
    });
  }
  const rest = folders
    .filter((folder) => folder !== gone)
    .map((folder) => ({
      ...folder,
      parentId: folder.parentId === id ? gone.parentId : folder.parentId,
      channelIds:
        folder.id === gone.parentId ? [...folder.channelIds, ...gone.channelIds] : folder.channelIds,
    }));
  return withFolders(site, rest);
}
