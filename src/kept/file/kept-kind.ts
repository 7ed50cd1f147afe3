import * as v from "valibot";
import { errorText, NvrdError } from "../../base/index.js";

/**
 * What a damaged file costs. `rebuild`: something else says the same. `forget`: a figure or a convenience. `refuse`: nobody can
 * know, so what depends on it stands still, and it is set aside before it is replaced.
 */
type KeptPolicy = "rebuild" | "forget" | "refuse";

/** A larger file is none of ours. */
const LENGTH_MAX = 16_000_000;
const COPY_SUFFIX = ".copy";

/** What was made of a text. */
export interface KeptReading<T> {
  readonly value?: T;
  /** Why it, or a part of it, cannot be read; quotes nothing of the text. */
  readonly fault?: string;
}

/** What is written of a schema's value. */
export type Kept<Schema extends v.GenericSchema> = Unchanging<v.InferInput<Schema>>;

type Unchanging<T> = T extends object ? { readonly [Member in keyof T]: Unchanging<T[Member]> } : T;

export interface KeptKindOptions<Schema extends v.GenericSchema> {
  /** Of the file, below the directory that its owner names. */
  readonly name: string;
  /** Its owner's directory, for people; default: the data directory. */
  readonly folder?: string;
  /** What it says, for people: "who is logged in". */
  readonly says: string;
  readonly policy: KeptPolicy;
  /** The log's line when it, or one of its copies, cannot be read. Says what follows from it. */
  readonly damaged: string;
  /** The log's line when it cannot be replaced; default: "cannot be saved". */
  readonly unsaved?: string;
  /** Of both lines; default: "error". */
  readonly severity?: "warn" | "error";
  /** Of its format; default: 1. A newer one is not read. */
  readonly version?: number;
  /** The member that holds the version; default: "formatVersion". */
  readonly versionMember?: "formatVersion" | "format" | "Version";
  /** Earlier versions of the program wrote none. */
  readonly mayLackVersion?: true;
  /** A file of a newer format stops the start: going on without it could delete recordings. Otherwise it counts as damaged. */
  readonly stopsIfNewer?: true;
  /** Of all other members. */
  readonly schema: Schema;
  /** What is not known of a file that could be read in part; undefined: nothing. */
  readonly lackOf?: (value: v.InferOutput<Schema>) => string | undefined;
  /** 2: nothing else says the same. One is written after the other. */
  readonly copies?: 2;
  /** Of the file; default: readable by its owner and group. */
  readonly mode?: number;
  /** Of its folder, which is made where it is not there; default: the folder is there. */
  readonly folderMode?: number;
  /** How long a change waits for others; they are written together. */
  readonly delayMs?: number;
  /** Of the JSON, for people who look into it. */
  readonly indent?: 2;
}

/** A small file that is kept: what it says, its format, and what happens when it is damaged. */
export class KeptKind<Schema extends v.GenericSchema = v.GenericSchema> {
  readonly options: KeptKindOptions<Schema>;

  constructor(options: KeptKindOptions<Schema>) {
    this.options = options;
  }

  /** The newest version of its format that is read, and the one that is written. */
  get version(): number {
    return this.options.version ?? 1;
  }

  /** Its place and name, for people. */
  get label(): string {
    const { folder = "", name } = this.options;
    return folder.includes(":") ? `${folder}\`${name}\`` : `\`${folder}${name}\``;
  }

  /** Names of its copies, in the order in which they are read and written. */
  get names(): readonly string[] {
    const { name, copies } = this.options;
    return copies === 2 ? [name, `${name}${COPY_SUFFIX}`] : [name];
  }

  /** As `read`, for who goes on without: throws NvrdError FORMAT_NEWER only, and only where the kind stops then. */
  look(text: string, where?: string): KeptReading<v.InferOutput<Schema>> {
    try {
      const value = this.read(text, where);
      const fault = this.options.lackOf?.(value);
      return fault === undefined ? { value } : { value, fault };
    } catch (error) {
      if (error instanceof NvrdError && this.options.stopsIfNewer === true) throw error;
      return { fault: errorText(error) };
    }
  }

  /** Throws NvrdError FORMAT_NEWER, and an Error that quotes nothing of the text. `where` names it in the first. */
  read(text: string, where = this.options.name): v.InferOutput<Schema> {
    if (text.length > LENGTH_MAX) throw new RangeError(`it has ${text.length} characters`);
    const { [this.#versionMember]: version, ...members } = objectOf(text);
    this.#requireVersion(version, where);
    const parsed = v.safeParse(this.options.schema, members);
    if (parsed.success) return parsed.output;
    throw new TypeError(issueText(parsed.issues[0]));
  }

  /** What `read` reads. */
  text(value: Kept<Schema>): string {
    const members = { [this.#versionMember]: this.version, ...(value as object) };
    return `${JSON.stringify(members, null, this.options.indent)}\n`;
  }

  get #versionMember(): string {
    return this.options.versionMember ?? "formatVersion";
  }

  #requireVersion(version: unknown, where: string): void {
    if (version === undefined && this.options.mayLackVersion === true) return;
    if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1)
      throw new TypeError("it names no format");
    if (version > this.version)
      throw new NvrdError(
        "FORMAT_NEWER",
        `${where} has format ${version}, this version knows ${this.version}`,
      );
  }
}

/** Declares a small file. Exported by the file that declares it: docs/design/small-files.md and a test are made from all of them. */
export function keptKind<Schema extends v.GenericSchema>(options: KeptKindOptions<Schema>): KeptKind<Schema> {
  return new KeptKind(options);
}

/** A message of JSON.parse quotes the text, which may hold a secret. */
function objectOf(text: string): Readonly<Record<string, unknown>> {
  const parsed = jsonOf(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new SyntaxError("it is not an object");
  return parsed as Readonly<Record<string, unknown>>;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError("it is not JSON");
  }
}

/** Where it is wrong and what was expected, without what was found there. */
function issueText(issue: v.BaseIssue<unknown>): string {
  const message = errorText(issue.message.replace(/ but received [\s\S]*$/, ""));
  const place = v.getDotPath(issue);
  return place === null ? message : `${place}: ${message}`;
}
