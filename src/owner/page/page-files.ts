import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import * as v from "valibot";
import { errorText, type Log, once } from "../../base/index.js";
import type { NetworkControl } from "../../box/network/index.js";
import { type Answer, type Headers, namesEtag } from "../../http/index.js";
import type { ServerReach } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface PageNeeds {
  /** Undefined: the page is switched off. */
  readonly page: PageFiles | undefined;
  readonly network: Pick<NetworkControl, "trialHosts">;
  readonly reach: ServerReach;
  readonly site: Pick<SiteStore, "current">;
}

/** Where the build puts the page, in the checkout as in packages. */
export const PAGE_FOLDER = fileURLToPath(new URL("../../../build/page", import.meta.url));

/** Of all files with their compressed forms. */
const PAGE_BYTES_MAX = 5_000_000;
const LIST_NAME = "files.json";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** The list that scripts/page.mjs writes beside the files. */
const LIST = v.array(
  v.object({
    /** `/`, `/page/NAME`, or a name that browsers know. */
    path: v.pipe(v.string(), v.regex(/^\/(?:page\/[\w.-]+|worker\.js|icon\.png)?$/)),
    /** Beside the list; compressed with `.br` and `.gz`. */
    file: v.pipe(v.string(), v.regex(/^\w[\w.-]*$/)),
    type: v.pipe(v.string(), v.regex(/^[a-z]+\/[\w.+-]+(?:; charset=utf-8)?$/)),
    /** Its name changes with its content. */
    immutable: v.boolean(),
  }),
);
type Listed = v.InferOutput<typeof LIST>[number];

/** One form of a file: as it is, or compressed. */
interface Form {
  readonly encoding: string | undefined;
  readonly whole: () => Answer;
  readonly notModified: Answer;
  readonly etag: string;
}

/** The headers of a request that choose the form. */
export interface PageRequest {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export interface PageFilesOptions {
  readonly folder: string;
  /** Of every answer. */
  readonly headers: Headers;
  readonly log: Log;
}

/**
 * The files of the browser's page, in memory with their headers: a request reads no disk. What is kept is compressed; a file as it is, which
 * browsers do not ask for, is made of that by the first request, and stays.
 */
export class PageFiles {
  readonly #forms: ReadonlyMap<string, readonly Form[]>;

  private constructor(forms: ReadonlyMap<string, readonly Form[]>) {
    this.#forms = forms;
  }

  /** Reads them all; without any where the page is not built, or cannot be read. */
  static read(options: PageFilesOptions): PageFiles {
    const { folder, log } = options;
    try {
      const listed = v.parse(LIST, JSON.parse(readFileSync(path.join(folder, LIST_NAME), "utf8")));
      return new PageFiles(formsOf(listed, options));
    } catch (error) {
      log.warn({ folder, reason: errorText(error) }, "the page cannot be read: it is not served");
      return new PageFiles(new Map());
    }
  }

  /** Whether there is a page to serve. */
  get isThere(): boolean {
    return this.#forms.size > 0;
  }

  /** The answer to a request for a path, in lower case; undefined if there is no such file. */
  answer(askedPath: string, request: PageRequest): Answer | undefined {
    const forms = this.#forms.get(askedPath);
    if (forms === undefined) return undefined;
    const form = chooseForm(forms, request.acceptEncoding);
    if (form === undefined) return undefined;
    return namesEtag(request.ifNoneMatch, form.etag, { weak: true }) ? form.notModified : form.whole();
  }
}

function formsOf(listed: readonly Listed[], options: PageFilesOptions): ReadonlyMap<string, readonly Form[]> {
  const forms = new Map<string, readonly Form[]>();
  let bytes = 0;
  for (const one of listed) {
    // Requests come with their path in lower case.
    const key = one.path.toLowerCase();
    if (forms.has(key)) throw new RangeError(`${LIST_NAME} lists ${key} twice`);
    const ofFile = readFile(one, options.folder);
    bytes += ofFile.bytes;
    if (bytes > PAGE_BYTES_MAX) throw new RangeError(`its files have more than ${PAGE_BYTES_MAX} bytes`);
    forms.set(
      key,
      ofFile.bodies.map((body) => formOf(body, one, options.headers)),
    );
  }
  if (!forms.has("/")) throw new RangeError(`${LIST_NAME} does not list /`);
  return forms;
}

/** What is sent of a file in one form. */
interface FormBody {
  readonly encoding: string | undefined;
  readonly etag: string;
  readonly body: () => Uint8Array;
}

/** How a file may be sent, the smallest form first, and the bytes of all forms. */
function readFile({ file }: Listed, folder: string): { bodies: readonly FormBody[]; bytes: number } {
  const [br, gzip, plain] = [".br", ".gz", ""].map((ending) =>
    readFileSync(path.join(folder, `${file}${ending}`)),
  );
  if (br === undefined || gzip === undefined || plain === undefined) throw new Error("a form was not read");
  const bodies = [
    bodyOf("br", br),
    bodyOf("gzip", gzip),
    { encoding: undefined, etag: etagOf(plain), body: unpacked(gzip, plain.length) },
  ];
  return { bodies, bytes: br.length + gzip.length + plain.length };
}

function bodyOf(encoding: string, bytes: Uint8Array): FormBody {
  return { encoding, etag: etagOf(bytes), body: () => bytes };
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
}

function unpacked(gzip: Uint8Array, maxOutputLength: number): () => Uint8Array {
  return once(() => gunzipSync(gzip, { maxOutputLength }));
}

function formOf({ encoding, etag, body }: FormBody, { type, immutable }: Listed, headers: Headers): Form {
  const kept: Headers = [
    ["Cache-Control", immutable ? IMMUTABLE : "no-cache"],
    ["ETag", etag],
    ["Vary", "Accept-Encoding"],
    ...headers,
  ];
  const encoded: Headers = encoding === undefined ? [] : [["Content-Encoding", encoding]];
  const whole: Headers = [["Content-Type", type], ...encoded, ...kept];
  return {
    encoding,
    etag,
    whole: () => ({ status: 200, headers: whole, body: body() }),
    notModified: { status: 304, headers: kept, body: new Uint8Array(0) },
  };
}

/** The first form that the client accepts, in the service's order; as it is where it accepts none of them. */
function chooseForm(forms: readonly Form[], acceptEncoding: string | undefined): Form | undefined {
  const accepted = acceptedEncodings(acceptEncoding ?? "");
  const may = (encoding: string): boolean => accepted.get(encoding) ?? accepted.get("*") ?? false;
  return forms.find(({ encoding }) => encoding === undefined || may(encoding));
}

/** By name in lower case whether it is accepted: its weight is not 0 (RFC 9110, 12.5.3). */
function acceptedEncodings(text: string): ReadonlyMap<string, boolean> {
  const entries = text.split(",").map((entry): [string, boolean] => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return [name, !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))];
  });
  return new Map(entries.filter(([name]) => name !== ""));
}
