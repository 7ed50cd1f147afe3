import type * as v from "valibot";
import { type Guid, NvrdError, newGuid, once, parseGuid } from "../../base/index.js";
import { shown } from "../../http/index.js";
import { foldName, type Site, siteValues, unknownChannels } from "../../site/index.js";
import { Faults } from "../body/body-reader.js";
import { readBody } from "../body/body-schema.js";
import { listOf, schemaOfBody } from "../body/json-schema.js";
import { bodyWarnings, withWarnings } from "../body/unknown-members.js";
import type { Endpoint, RequestContext } from "../endpoint/context.js";
import { answerConfiguration, editConfiguration, type SiteNeeds } from "./configuration-edit.js";
import { type CollectionDescription, objectSchema } from "./object-description.js";

/** Maximum number of objects in one request. */
export const OBJECTS_PER_REQUEST_MAX = 256;

interface Item {
  readonly id: Guid;
  readonly name: string;
}

interface Input {
  readonly Id?: Guid | null | undefined;
  readonly Name?: string | null | undefined;
}

/** The context for reading an object of a body: the configuration, its path, and the list of faults. */
export interface InputPlace {
  readonly site: Site;
  /** `[1]` */
  readonly path: string;
  readonly faults: Faults;
}

/** One kind of objects of the configuration that are administered as a list. */
export interface CollectionOptions<T extends Item, I extends Input, P = I, N extends SiteNeeds = SiteNeeds> {
  /** `group` */
  readonly noun: string;
  readonly path: string;
  readonly countMax: number;
  readonly schema: v.GenericSchema<unknown, I>;
  readonly description: CollectionDescription;
  /** Whether names need not be unique. */
  readonly namesRepeat?: boolean;
  itemsOf(site: Site): readonly T[];
  withItems(site: Site, items: readonly T[]): Site;
  describe(item: T, site: Site): unknown;
  /** Slow work before the change (hashing a password). */
  prepare(input: I): Promise<P>;
  /** The object that results from `base` (undefined for a new one) and `input`; adds faults to `place`. */
  make(input: P, base: T | undefined, identity: Item, place: InputPlace): T;
  /** Tries, before anything is stored, what only a try can show. Throws NvrdError where the object would not work. */
  prove?(item: T, context: RequestContext<N>): Promise<void>;
  /** Called while it is being stored, one change after the other: throws NvrdError where what it refers to is not there. */
  checkReferences?(item: T, context: RequestContext<N>): void;
  /** Throws NvrdError IN_USE if it is still referenced. */
  checkUnused?(item: T, site: Site): void;
  /** The configuration without references to it. */
  forget?(site: Site, id: Guid): Site;
}

export interface CollectionEndpoints<N extends SiteNeeds = SiteNeeds> {
  readonly noun: string;
  readonly path: string;
  /** The array that POST and PUT take. */
  readonly bodySchema: v.GenericSchema;
  readonly description: CollectionDescription;
  readonly getAll: Endpoint<N>;
  readonly getOne: Endpoint<N>;
  readonly post: Endpoint<N>;
  readonly put: Endpoint<N>;
  readonly remove: Endpoint<N>;
}

/**
 * The five endpoints of a collection. An array with a fault changes nothing, and all faults are listed by path. PUT changes
 * only the given objects, and only their given members.
 */
export function collection<T extends Item, I extends Input, P, N extends SiteNeeds = SiteNeeds>(
  options: CollectionOptions<T, I, P, N>,
): CollectionEndpoints<N> {
  const { noun, path, description } = options;
  const bodySchema = siteValues.list(options.schema, OBJECTS_PER_REQUEST_MAX, "objects");

  // Members of answers come back from programs that send whole objects. Made for the first body: a start needs none of it.
  const knownMembers = once(() => listOf(objectSchema(schemaOfBody(options.schema), description)));
  const warningsOf = ({ request }: RequestContext<N>) => bodyWarnings(request.body, knownMembers());

  const find = (site: Site, context: RequestContext<N>): T => {
    const text = context.pathValues.get("id") ?? "";
    const item = options.itemsOf(site).find((candidate) => candidate.id === parseGuid(text));
    if (item === undefined) throw notFound(noun, path, text);
    return item;
  };

  const readInputs = async (body: Uint8Array): Promise<readonly Read<I, P>[]> => {
    const read: Read<I, P>[] = [];
    for (const input of readBody(bodySchema, body)) {
      read.push({
        id: input.Id ?? undefined,
        name: input.Name ?? undefined,
        prepared: await options.prepare(input),
      });
    }
    return read;
  };

  const getAll: Endpoint<N> = ({ needs }) => {
    const site = needs.site.current;
    const items = options.itemsOf(site).map((item) => options.describe(item, site));
    return answerConfiguration(items, site);
  };

  const getOne: Endpoint<N> = (context) => {
    const site = context.needs.site.current;
    return answerConfiguration(options.describe(find(site, context), site), site);
  };

  const post: Endpoint<N> = async (context) => {
    const inputs = await readInputs(context.request.body);
    const ids = inputs.map(() => newGuid());
    const edit = (current: Site): Site => addAll(options, current, inputs, ids);
    const site = await store(options, context, ids, edit);
    return answerConfiguration(withWarnings({ CreatedObjectsIds: ids }, warningsOf(context)), site);
  };

  const put: Endpoint<N> = async (context) => {
    const inputs = await readInputs(context.request.body);
    const ids = inputs.map(({ id }) => id ?? "");
    const edit = (current: Site): Site => changeAll(options, current, inputs);
    const site = await store(options, context, ids, edit);
    return answerConfiguration(withWarnings({ ModifiedObjectsIds: ids }, warningsOf(context)), site);
  };

  const remove: Endpoint<N> = async (context) => {
    let id: Guid = "";
    const site = await editConfiguration(context, (current) => {
      const item = find(current, context);
      id = item.id;
      options.checkUnused?.(item, current);
      const rest = options.withItems(
        current,
        options.itemsOf(current).filter((candidate) => candidate !== item),
      );
      return options.forget?.(rest, item.id) ?? rest;
    });
    return answerConfiguration({ DeletedObjectsIds: [id] }, site);
  };

  return { noun, path, bodySchema, description, getAll, getOne, post, put, remove };
}

/** Stores what `edit` makes, where the objects with these ids pass both checks. */
async function store<T extends Item, I extends Input, P, N extends SiteNeeds>(
  options: CollectionOptions<T, I, P, N>,
  context: RequestContext<N>,
  ids: readonly Guid[],
  edit: (site: Site) => Site,
): Promise<Site> {
  await prove(options, context, ids, edit);
  return await editConfiguration(context, (current) => {
    const next = edit(current);
    for (const item of options.itemsOf(next))
      if (ids.includes(item.id)) options.checkReferences?.(item, context);
    return next;
  });
}

/** Tries, of what `edit` would store, the objects with these ids. */
async function prove<T extends Item, I extends Input, P, N extends SiteNeeds>(
  options: CollectionOptions<T, I, P, N>,
  context: RequestContext<N>,
  ids: readonly Guid[],
  edit: (site: Site) => Site,
): Promise<void> {
  if (options.prove === undefined) return;
  const items = options.itemsOf(edit(context.needs.site.current)).filter(({ id }) => ids.includes(id));
  for (const item of items) await options.prove(item, context);
}

interface Read<I, P> {
  readonly id: Guid | undefined;
  readonly name: string | undefined;
  readonly prepared: P;
  /** Used only for the type. */
  readonly input?: I;
}

function addAll<T extends Item, I extends Input, P, N extends SiteNeeds>(
  options: CollectionOptions<T, I, P, N>,
  site: Site,
  inputs: readonly Read<I, P>[],
  ids: readonly Guid[],
): Site {
  const faults = new Faults();
  const added = inputs.map((input, index) => {
    const path = `[${index}]`;
    if (input.id !== undefined) faults.add(`${path}.Id`, "is given by the server: leave it out");
    if (input.name === undefined) faults.add(`${path}.Name`, "is required");
    const identity = { id: ids[index] ?? newGuid(), name: input.name ?? "" };
    return options.make(input.prepared, undefined, identity, { site, path, faults });
  });
  const items = [...options.itemsOf(site), ...added];
  if (items.length > options.countMax)
    faults.add("the body", `there may be ${options.countMax} ${options.noun}s`, "CONFLICT");
  if (options.namesRepeat !== true) checkNames(options.noun, items, added, faults);
  faults.throwIfAny();
  return options.withItems(site, items);
}

function changeAll<T extends Item, I extends Input, P, N extends SiteNeeds>(
  options: CollectionOptions<T, I, P, N>,
  site: Site,
  inputs: readonly Read<I, P>[],
): Site {
  const faults = new Faults();
  checkIds(inputs, faults);
  const known = new Map(options.itemsOf(site).map((item) => [item.id, item]));
  const changed = inputs.map((input, index) => {
    const path = `[${index}]`;
    const base = known.get(input.id ?? "");
    if (base === undefined) throw notFound(options.noun, options.path, input.id ?? "", `${path}.Id: `);
    const identity = { id: base.id, name: input.name ?? base.name };
    return options.make(input.prepared, base, identity, { site, path, faults });
  });
  const byId = new Map(changed.map((item) => [item.id, item]));
  const items = options.itemsOf(site).map((item) => byId.get(item.id) ?? item);
  if (options.namesRepeat !== true) checkNames(options.noun, items, changed, faults);
  faults.throwIfAny();
  return options.withItems(site, items);
}

/** Checks that every object of a PUT has a unique id. Throws at once, because nothing else can be checked without ids. */
export function checkIds(inputs: readonly { readonly id: Guid | undefined }[], faults: Faults): void {
  const seen = new Set<Guid>();
  for (const [index, { id }] of inputs.entries()) {
    if (id === undefined) faults.add(`[${index}].Id`, "is required");
    else if (seen.has(id)) faults.add(`[${index}].Id`, "occurs twice in the body", "CONFLICT");
    else seen.add(id);
  }
  faults.throwIfAny();
}

function checkNames(noun: string, items: readonly Item[], touched: readonly Item[], faults: Faults): void {
  const counts = new Map<string, number>();
  for (const { name } of items) counts.set(foldName(name), (counts.get(foldName(name)) ?? 0) + 1);
  for (const [index, { name }] of touched.entries()) {
    if (name !== "" && (counts.get(foldName(name)) ?? 0) > 1)
      faults.add(`[${index}].Name`, `another ${noun} has this name`, "CONFLICT");
  }
}

/** Adds faults for unknown and repeated channels. */
export function checkChannels(
  ids: readonly Guid[],
  member: string,
  place: InputPlace,
  options: { readonly mayRepeat?: boolean } = {},
): void {
  const at = `${place.path}.${member}`;
  for (const id of unknownChannels(place.site, ids))
    place.faults.add(at, `no channel has the id ${id}`, "NOT_FOUND");
  if (options.mayRepeat !== true && new Set(ids).size < ids.length)
    place.faults.add(at, "a channel is named twice", "CONFLICT");
}

export function notFound(noun: string, path: string, id: string, at = ""): NvrdError {
  return new NvrdError("NOT_FOUND", `${at}there is no ${noun} ${shown(id)}`, { hint: `see GET ${path}` });
}
