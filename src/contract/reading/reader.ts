import * as v from "valibot";
import { EMPTY_GUID, type Guid, parseGuid } from "../../base/index.js";
import {
  allMembersOf,
  type Coded,
  type Group,
  type InputOf,
  type InputValueOf,
  id,
  type Json,
  type Kind,
  type Line,
  type List,
  type Member,
  type Members,
  type MessageOf,
  membersOf,
  type OneOf,
  type TextRule,
  type Tree,
  type Variant,
} from "../kinds/kinds.js";
import { orEmptyRule, timeOfDay } from "../kinds/rules.js";
import {
  isKept,
  isPartly,
  type StoredOf,
  type StoredValueOf,
  storedName,
  storedWord,
  storedWordOf,
} from "../kinds/stored.js";
import { between, flag, guid, line, list, name, oneOf, text, whole } from "./values.js";
import { storedWeek, weekOf } from "./week-reader.js";

/** Readers of bodies, made of what a resource is. */

/** A schema of what `JSON.parse` gives. */
type Reader<T> = v.GenericSchema<unknown, T>;

/** What is described of an id in a body, in JSON Schema. */
const HEX = "[0-9a-fA-F]";
export const GUID_PATTERN = `^${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}$`;

/** A GUID in any case, with or without braces. */
export const guidText: Reader<Guid> = v.pipe(
  v.string("accepted: a GUID"),
  v.check((given) => parseGuid(given) !== undefined, "accepted: a GUID"),
  v.transform((given) => parseGuid(given) ?? EMPTY_GUID),
);

/** What is described of such a text that may be empty. */
const GUID_OR_EMPTY = {
  type: "string",
  format: "nvrd-guid",
  pattern: `^(?:|${GUID_PATTERN.slice(1, -1)})$`,
} as const;

/** A GUID; an empty text or all zeros means none and gives null. */
export const maybeGuidText: Reader<Guid | null> = v.pipe(
  v.string("accepted: a GUID, or an empty text"),
  v.check((text) => text === "" || parseGuid(text) !== undefined, "accepted: a GUID, or an empty text"),
  v.metadata({ jsonSchema: GUID_OR_EMPTY }),
  v.transform((text) => {
    const id = parseGuid(text);
    return id === undefined || id === EMPTY_GUID ? null : id;
  }),
);

/** A trimmed name. */
export const nameText = v.pipe(name, v.trim());

/** An optional member; null counts as absent. */
export const given = <T extends v.GenericSchema>(schema: T) => v.nullish(schema);

/**
 * An object with case-insensitive member names; unknown members are dropped. A member with the exact name takes precedence over
 * one that differs in case.
 */
export function members<const T extends v.ObjectEntries>(entries: T) {
  return v.pipe(v.unknown(), v.transform(namesOf(entries)), v.object(entries, "accepted: an object"));
}

function namesOf(entries: v.ObjectEntries): (data: unknown) => unknown {
  const known = new Map(Object.keys(entries).map((member) => [member.toLowerCase(), member]));
  return (data) => {
    // The schema would accept a list as an object without members.
    if (Array.isArray(data)) return null;
    if (typeof data !== "object" || data === null) return data;
    const renamed = new Map<string, unknown>();
    for (const [key, value] of Object.entries(data)) {
      const member = known.get(key.toLowerCase()) ?? key;
      if (member === key || !Object.hasOwn(data, member)) renamed.set(member, value);
    }
    return Object.fromEntries(renamed);
  };
}

type EntriesOutput<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>;

/** Reads the object of a body; `more`: members that are not of the resource itself, as `Id`. */
export function readerOf<M extends Members, const E extends v.ObjectEntries = Record<never, never>>(
  resource: M,
  more: E = {} as E,
): Reader<InputOf<M> & EntriesOutput<E>> {
  // The entries are made of the contract, which the compiler cannot follow; the type says the same of it.
  return members({ ...more, ...entriesOf(resource, []) }) as unknown as Reader<InputOf<M> & EntriesOutput<E>>;
}

function entriesOf(resource: Members, always: readonly string[]): v.ObjectEntries {
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([, { isOwn, isReadOnly }]) => isOwn !== true && isReadOnly !== true)
      .map(([member, kind]) => {
        const schema = readerOfValue(kind);
        return [member, always.includes(member) ? schema : given(schema)];
      }),
  );
}

/** Reads one value of a kind. */
export function readerOfValue<K extends Kind>(kind: K): Reader<InputValueOf<K>> {
  return readerOfKind(kind, BODY) as Reader<InputValueOf<K>>;
}

/** What a body and the stored configuration write differently. */
interface Spelling {
  readonly id: Reader<unknown>;
  readonly maybeId: Reader<unknown>;
  readonly word: (word: string) => string;
  readonly name: Reader<unknown>;
  readonly group: (kind: Group) => Reader<unknown>;
  readonly tree: (kind: Tree) => Reader<unknown>;
  readonly variant: (kind: Variant) => Reader<unknown>;
  readonly line: (kind: Line) => Reader<unknown>;
  readonly coded: (kind: Coded) => Reader<unknown>;
  readonly json: (kind: Json) => Reader<unknown>;
  readonly week: () => Reader<unknown>;
}

const BODY: Spelling = {
  ...{ id: guidText, maybeId: maybeGuidText, name: nameText },
  word: (word) => word,
  group: ({ members: within, always }) => members(entriesOf(within, always)),
  tree: ({ members: within, children, max, noun }) => {
    const node: v.GenericSchema<unknown> = members({
      ...entriesOf(within, []),
      [children]: given(
        list(
          v.lazy(() => node),
          max,
          noun,
        ),
      ),
    });
    return node;
  },
  // Which members count is known with the tag alone, so that all are read.
  variant: (kind) =>
    members({ [kind.tag]: oneOf(Object.keys(kind.of)), ...entriesOf(allMembersOf(kind), []) }),
  line: (kind) =>
    lineReader(kind.isEmptyUsual === true ? { ...kind, rules: kind.rules.map(orEmptyRule) } : kind),
  coded: codedReader,
  json: () => otherwiseRead("JSON"),
  week: () => weekOf(members({ From: codedReader(timeOfDay), To: codedReader(timeOfDay) })),
};

function otherwiseRead(what: string): never {
  throw new Error(`${what} of a body is not read by a schema`);
}

function readerOfKind(kind: Kind, spelling: Spelling): Reader<unknown> {
  switch (kind.kind) {
    case "flag":
      return kind.only === undefined ? flag : v.literal(kind.only.value, `accepted: ${kind.only.accepted}`);
    case "whole":
      return whole(kind.min, kind.max);
    case "decimal":
      return between(kind.min, kind.max, kind.unit);
    case "line":
      return spelling.line(kind);
    case "plain":
      return kind.rules.reduce<Reader<unknown>>(withRule, v.string(`accepted: ${kind.accepted}`));
    case "coded":
      return spelling.coded(kind);
    case "choice":
      return oneOf(kind.of);
    case "word":
      return oneOf(kind.of.map(spelling.word));
    case "id":
      return spelling.id;
    case "maybeId":
      return spelling.maybeId;
    case "name":
      return kind.rules.reduce<Reader<unknown>>(withRule, spelling.name);
    case "list":
      return listReader(kind, spelling);
    case "group":
      return spelling.group(kind);
    case "tree":
      return spelling.tree(kind);
    case "variant":
      return spelling.variant(kind);
    case "json":
      return spelling.json(kind);
    case "week":
      return spelling.week();
    case "one of":
      return rangesReader(kind);
    default:
      return otherwiseRead(kind.kind);
  }
}

/** A number in one of several ranges. */
function rangesReader({ of }: OneOf): Reader<unknown> {
  const ranges = of.map((kind) =>
    kind.kind === "whole" || kind.kind === "decimal" ? kind : otherwiseRead("one of what is no number"),
  );
  const said = ranges.map(({ min, max }) => (min === max ? `${min}` : `${min} to ${max}`));
  return v.union(
    ranges.map((range) => readerOfKind(range, MESSAGE)),
    `accepted: ${said.join(", or ")}`,
  );
}

function listReader({ item, max, min, noun, accepted }: List, spelling: Spelling): Reader<unknown> {
  const all = list(readerOfKind(item, spelling), max, noun, accepted);
  return min === undefined ? all : v.pipe(all, v.minLength(min.count, `accepted: ${min.accepted}`));
}

function codedReader({ pattern, accepted, rules }: Coded): Reader<unknown> {
  const message = `accepted: ${accepted}`;
  return rules.reduce<Reader<unknown>>(withRule, v.pipe(v.string(message), v.regex(pattern, message)));
}

function lineReader({ max, rules, isLong }: Line): Reader<unknown> {
  return rules.reduce<Reader<unknown>>(withRule, isLong ? text(max) : line(max));
}

function withRule(
  schema: Reader<unknown>,
  { pattern, lengthMin, lengthMax, check, accepted, said }: TextRule,
): Reader<unknown> {
  const message = `accepted: ${accepted}`;
  if (lengthMin !== undefined) return v.pipe(schema as Reader<string>, v.minLength(lengthMin, message));
  if (lengthMax !== undefined) return v.pipe(schema as Reader<string>, v.maxLength(lengthMax, message));
  const holds = (value: unknown): boolean =>
    typeof value === "string" && pattern?.test(value) !== false && check?.(value) !== false;
  const ruled =
    pattern !== undefined && check === undefined
      ? v.pipe(schema as Reader<string>, v.regex(pattern, message))
      : v.pipe(schema, v.check(holds, message));
  return said === undefined ? ruled : v.pipe(ruled, v.metadata({ jsonSchema: { pattern: said } }));
}

/** Messages: members by their exact names, and null is not the same as left out. */
const MESSAGE: Spelling = {
  ...BODY,
  group: ({ members: within }) => v.object(messageEntries(within), "accepted: an object"),
};

function messageEntries(within: Members): v.ObjectEntries {
  return Object.fromEntries(
    Object.entries(within).map(([member, kind]) => {
      const schema = readerOfKind(kind, MESSAGE);
      return [member, kind.isOptional === true ? v.exactOptional(schema) : schema];
    }),
  );
}

/** Reads one of these messages, by its `type`. */
export function readerOfMessages<M extends Readonly<Record<string, Group>>>(
  messages: M,
): Reader<MessageOf<M>> {
  const types = Object.entries(messages).map(([type, { members: within }]) =>
    v.object({ type: v.literal(type), ...messageEntries(within) }),
  );
  const accepted = `accepted: ${Object.keys(messages).join(", ")}`;
  // The entries are made of the contract, which the compiler cannot follow; the type says the same of it.
  return v.variant("type", types, ({ path }) =>
    path === undefined ? "accepted: an object" : accepted,
  ) as unknown as Reader<MessageOf<M>>;
}

const STORED: Spelling = {
  ...{ id: guid, maybeId: v.nullable(guid), name },
  word: storedWord,
  group: ({ members: within }) => v.strictObject(storedEntries(within)),
  // How many there are is checked for the whole tree, and how deep it is.
  tree: ({ members: within, storedChildren }) => {
    const node: v.GenericSchema<unknown> = v.strictObject({
      ...storedEntries(within),
      [storedChildren]: v.pipe(v.array(v.lazy(() => node)), v.readonly()),
    });
    return node;
  },
  variant: (kind) =>
    v.variant(
      kind.storedTag,
      Object.keys(kind.of).map((word) =>
        v.strictObject({
          [kind.storedTag]: v.literal(storedWordOf(kind, word)),
          ...storedEntries(membersOf(kind, word)),
        }),
      ),
    ),
  line: lineReader,
  coded: (kind) => (kind.minuteMax === undefined ? codedReader(kind) : whole(0, kind.minuteMax)),
  json: ({ max }) => v.pipe(line(max), v.check(isJson, "accepted: JSON")),
  week: () => storedWeek,
};

/** The value of a kind as the stored configuration has it: strict, and its members by the names that they are kept by. */
export function storedValue<K extends Kind>(kind: K): Kept<K> {
  const { isNullable, isRequired }: Member = kind;
  // An empty text is one that is not given, and so is not kept where there must be one.
  const schema = readerOfKind(isRequired === true && kind.kind === "maybeId" ? id : kind, STORED);
  return (isNullable === true ? v.nullable(schema) : schema) as Kept<K>;
}

/** All of something, or a list of them. */
export function storedAllOr<K extends List>(kind: K, accepted: string) {
  return v.union([v.literal("all"), storedValue(kind)], `accepted: all, or a list of ${accepted}`);
}

type Kept<K> = v.GenericSchema<StoredValueOf<K>, StoredValueOf<K>>;
type KeptEntries<M> = {
  [N in keyof StoredOf<M>]-?: v.GenericSchema<
    Exclude<StoredOf<M>[N], undefined>,
    Exclude<StoredOf<M>[N], undefined>
  >;
};

/** The members of a resource as the stored configuration has them; not those that are commands. */
export function storedEntries<M extends Members>(resource: M): KeptEntries<M> {
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([, member]) => isKept(member))
      .map(([name, member]) => [
        storedName(name, member),
        isPartly(member) ? v.exactOptional(readerOfKind(member, STORED)) : storedValue(member),
      ]),
  ) as KeptEntries<M>;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The parser's message would quote the text; the caller reports what is accepted.
    return false;
  }
}
