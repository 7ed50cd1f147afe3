/** What of a schema of `/openapi.json` counts here. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly format?: string;
  readonly pattern?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/** `/openapi.json`. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** One request that is meant to hold the recorder, and what is bad about it. */
export interface WorstRequest {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The largest body that is taken. */
const BODY_BYTES = 1024 * 1024 - 64;
/** What a route without a login takes. */
const OPEN_BODY_BYTES = 8 * 1024 - 64;
const QUERY_LENGTH = 8000;
/** Of all headers: the library takes some more. */
const HEADER_BYTES = 3500;
const DEPTH_MAX = 6;
const LIST_ITEMS_MAX = 40_000;
const TEXT_LENGTH_MAX = 4096;
const GUID = "22222222-0000-4000-8000-000000000001";

/** The worst requests to an operation, made from its description: some that it allows, some that it forbids. */
export function worstRequests(
  description: Description,
  { path, method, operation }: { path: string; method: string; operation: Operation },
): WorstRequest[] {
  const plain = { method: method.toUpperCase(), path: filled(path, operation, GUID), headers: {}, body: "" };
  const requests: WorstRequest[] = [{ ...plain, what: "nothing", body: method === "get" ? "" : "{}" }];
  for (const [what, query] of queries(description, operation))
    requests.push({ ...plain, what, path: `${plain.path}?${query}`.slice(0, QUERY_LENGTH) });
  for (const [what, headers] of HEADERS) requests.push({ ...plain, what, headers });
  if (path.includes("{"))
    requests.push({
      ...plain,
      what: "long names in the path",
      path: filled(path, operation, "%C3%A9".repeat(600)),
    });
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  if (content === undefined) return requests;
  for (const [what, body] of bodies(description, content.schema ?? {}))
    requests.push({ ...plain, what, body });
  return requests;
}

function filled(path: string, { parameters = [] }: Operation, value: string): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const [first] = parameters.find((one) => one.name === name)?.schema?.enum ?? [];
    return first === undefined ? value : String(first);
  });
}

function* queries(
  description: Description,
  { parameters = [] }: Operation,
): Generator<readonly [what: string, query: string]> {
  const named = parameters.filter((one) => one.in === "query");
  const allowed = named.map(
    ({ name, schema = {} }) => `${name}=${encodeURIComponent(textOf(description, schema))}`,
  );
  yield ["a query as it is allowed", allowed.join("&")];
  yield ["many parameters", Array.from({ length: 2000 }, (_, at) => `${at.toString(36)}`).join("&")];
  yield ["a parameter of escapes", `${named[0]?.name ?? "a"}=${"%D0%96".repeat(QUERY_LENGTH / 6)}`];
  yield ["a parameter many times", `${named[0]?.name ?? "a"}=1&`.repeat(QUERY_LENGTH / 4)];
  for (const { name } of named.slice(0, 6)) {
    yield [`${name} of many items`, `${name}=${`${GUID},`.repeat(QUERY_LENGTH / 37)}`];
    yield [`${name} of digits`, `${name}=${"1".repeat(QUERY_LENGTH)}`];
  }
}

const crumbs = Array.from({ length: 300 }, (_, at) => `a${at}=${at}`).join("; ");
const HEADERS: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
  ["a cookie of many crumbs", { Cookie: crumbs.slice(0, HEADER_BYTES) }],
  ["a cookie of quotes", { Cookie: `a="${'\\"'.repeat(HEADER_BYTES / 2)}` }],
  ["a long Basic login", { Authorization: `Basic ${"QTo6".repeat(HEADER_BYTES / 4)}` }],
  ["a Digest of many fields", { Authorization: `Digest ${'a="b",'.repeat(HEADER_BYTES / 6)}` }],
  ["a Digest of quotes", { Authorization: `Digest username="${'\\"'.repeat(HEADER_BYTES / 2)}` }],
  ["many languages", { "Accept-Language": "en;q=0.1,".repeat(HEADER_BYTES / 9) }],
  ["many types", { Accept: "a/b;q=0.1,".repeat(HEADER_BYTES / 10) }],
  ["many ranges", { Range: `bytes=${"0-1,".repeat(HEADER_BYTES / 4)}` }],
  ["many ETags", { "If-None-Match": '"a",'.repeat(HEADER_BYTES / 4) }],
  ["many hops", { "X-Forwarded-For": "1.2.3.4,".repeat(HEADER_BYTES / 8), Origin: "http://x/" }],
];

function* bodies(description: Description, schema: Schema): Generator<readonly [what: string, body: string]> {
  const full = JSON.stringify(largestOf(description, schema, DEPTH_MAX));
  const isList = resolved(description, schema).type === "array";
  yield ["a body as it is allowed", full];
  for (const size of [OPEN_BODY_BYTES, BODY_BYTES]) {
    const sized = `${Math.round(size / 1024)} kB`;
    yield [`${sized} of members`, `${members(size)}}`];
    yield [`${sized} of objects of 1000 members`, list(`${members(9000)}}`, size)];
    yield [`${sized} of numbers`, `[${"1,".repeat(Math.min(LIST_ITEMS_MAX, size / 2 - 2))}1]`];
    yield [`${sized} of empty objects`, list("{}", size)];
    yield [`${sized} of brackets`, "[".repeat(size)];
    yield [`${sized} of escapes`, `{"a":"${"\\n".repeat(size / 2 - 8)}"}`];
    yield [
      `${sized} of the same member`,
      `{${'"a":[],'.repeat(Math.min(1000, size / 8 - 2))}"a":[${" ".repeat(Math.max(0, size - 8100))}]}`,
    ];
    yield [`${sized} of XML`, `<a>${"<b c='d'/>".repeat(size / 10 - 1)}</a>`];
    yield [`${sized} of a form`, "a=b&".repeat(size / 4)];
    yield [`${sized} that is no UTF-8`, `{"a":"${"\ud800".repeat(size / 3 - 8)}"}`];
    if (isList) yield [`${sized} of what is allowed`, list(full.slice(1, -1), size)];
    yield [`${sized} in each member`, inEachMember(description, schema, size)];
  }
}

const members = (size: number): string => {
  const names: string[] = [];
  for (let bytes = 0; bytes < size - 12; bytes += names.at(-1)?.length ?? 0)
    names.push(`"k${names.length}":1,`);
  return `{${names.join("").slice(0, -1)}`;
};

/** Many of one item, within a body. */
function list(item: string, size: number): string {
  const count = Math.max(1, Math.min(LIST_ITEMS_MAX, Math.floor((size - 2) / (item.length + 1))));
  return `[${Array.from({ length: count }, () => item).join(",")}]`;
}

/** An object whose members are all lists, which most of them may not be. */
function inEachMember(description: Description, schema: Schema, size: number): string {
  const object = resolved(description, resolved(description, schema).items ?? schema);
  const names = Object.keys(object.properties ?? { a: {} });
  const item = `[${"{},".repeat(Math.min(30_000, size / 3 - 200) / names.length)}{}]`;
  const body = `{${names.map((name) => `${JSON.stringify(name)}:${item}`).join(",")}}`;
  return resolved(description, schema).type === "array" ? `[${body}]` : body;
}

function resolved(description: Description, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return resolved(description, description.components?.schemas?.[name] ?? {});
  const [first] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? [];
  return first === undefined || schema.type !== undefined ? schema : resolved(description, first);
}

/** The largest value that a schema allows, within reason. */
function largestOf(description: Description, given: Schema, depth: number): unknown {
  const schema = resolved(description, given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.at(-1);
  if (schema.type === "object" || schema.properties !== undefined) {
    const entries = depth <= 0 ? [] : Object.entries(schema.properties ?? {});
    return Object.fromEntries(
      entries.map(([name, member]) => [name, largestOf(description, member, depth - 1)]),
    );
  }
  if (schema.type === "array") {
    const count = depth <= 0 ? 0 : Math.min(schema.maxItems ?? 64, 64);
    return Array.from({ length: count }, () => largestOf(description, schema.items ?? {}, depth - 1));
  }
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return schema.maximum ?? schema.minimum ?? 1;
  return textOf(description, schema);
}

function textOf(description: Description, given: Schema): string {
  const schema = resolved(description, given);
  if (schema.enum !== undefined) return String(schema.enum.at(-1));
  if (schema.type === "boolean") return "true";
  if (schema.type === "integer" || schema.type === "number") return String(schema.maximum ?? 1);
  if (schema.format === "uuid" || /guid/i.test(schema.format ?? "")) return GUID;
  if (schema.format === "nvrd-time") return "21.11.2026 09:00:00";
  return "Ж".repeat(Math.min(schema.maxLength ?? 64, TEXT_LENGTH_MAX));
}
