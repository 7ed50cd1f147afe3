import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Client } from "ldapts";
import {
  type Clock,
  type ClockTimer,
  NvrdError,
  setTimeLimit,
  unlessAborted,
  withoutSecret,
} from "../../base/index.js";
import { ldapLibrary } from "./ldap-library.js";

/** Maximum size of all answers during one login; a user in a thousand groups needs far less. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Result codes of a bind with a wrong name or password (RFC 4511, appendix A.2): constraintViolation
 * (locked by a policy), noSuchObject, invalidDNSyntax, inappropriateAuthentication (no password set),
 * invalidCredentials, unwillingToPerform (disabled). Anything else is a fault of the directory, not of the user.
 */
const REFUSED_BIND_CODES = new Set([19, 32, 34, 48, 49, 53]);
const NO_SUCH_OBJECT = 32;

export interface LdapConnectionOptions {
  /** `ldap://host[:port]` or `ldaps://host[:port]`. */
  readonly url: string;
  /** Start TLS on an `ldap://` connection before any other request (RFC 4511, section 4.14). */
  readonly startTls: boolean;
  /** Accepted issuer certificates, PEM; those of the machine when absent. */
  readonly ca?: string;
  /** Total time from the first call. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface LdapEntry {
  readonly dn: string;
  values(attribute: string): readonly string[];
}

/** The part of the library's message reader used here. */
interface MessageReader {
  buffer?: Buffer;
  read(data: Buffer, waiting: unknown): void;
}

/**
 * One connection to a directory, for one login, over ldapts. It adds what the library lacks: a deadline for the whole login
 * (the library has timeouts per operation, and none for StartTLS), a limit on the size of answers, the rejection of unencrypted
 * bytes sent before StartTLS that would count as answers after it, and the handling of exceptions in its reader, which would
 * end the process. Referrals are not followed.
 */
export class LdapConnection {
  readonly #options: LdapConnectionOptions;
  readonly #client: Client;
  readonly #reader: MessageReader;
  /** Aborted with the reason when waiting ends. */
  readonly #ending = new AbortController();
  readonly #timer: ClockTimer;
  #answeredBytes = 0;
  #reading = false;

  /** Throws the library's error for an invalid URL; settings were checked before. */
  constructor(options: LdapConnectionOptions) {
    this.#options = options;
    const { url, timeoutMs } = options;
    const tls = url.startsWith("ldaps:") ? { tlsOptions: this.#tlsOptions() } : {};
    const { Client } = ldapLibrary();
    this.#client = new Client({ url, timeout: timeoutMs, connectTimeout: timeoutMs, ...tls });
    this.#reader = (this.#client as unknown as { messageParser: MessageReader }).messageParser;
    this.#guardReader();
    this.#timer = setTimeLimit(
      options.clock,
      () => this.#abort(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: "ETIMEDOUT" })),
      timeoutMs,
    );
  }

  /** Starts TLS if configured. Rejects with NvrdError NOT_AVAILABLE. */
  async open(): Promise<void> {
    if (!this.#options.startTls || this.#options.url.startsWith("ldaps:")) return;
    await this.#within("StartTLS", this.#client.startTLS(this.#tlsOptions()));
    if (this.#reader.buffer !== undefined) {
      this.#abort(new Error("unencrypted bytes after the answer to StartTLS"));
      await this.#within("StartTLS", Promise.resolve());
    }
  }

  /** Whether the directory accepts name and password. Neither may be empty. Rejects with NvrdError NOT_AVAILABLE. */
  async bind(name: string, password: string): Promise<boolean> {
    // An empty password would be an unauthenticated bind (RFC 4513, 5.1.2), which succeeds without a check. A name that is
    // neither a DN nor an address could be that of a SASL mechanism, which the library accepts in the same argument.
    if (password === "" || !/[=@\\]/.test(name)) return false;
    try {
      await this.#within("bind", this.#client.bind(name, password), password);
      return true;
    } catch (error) {
      if (REFUSED_BIND_CODES.has(resultCode(error))) return false;
      throw error;
    }
  }

  /**
   * Matching entries below `base`, at most `entriesMax`; none if `base` does not exist. Rejects with NvrdError NOT_AVAILABLE.
   */
  async search(
    base: string,
    query: {
      readonly scope: "base" | "sub";
      readonly filter: string;
      readonly attributes: readonly string[];
      readonly entriesMax: number;
    },
  ): Promise<LdapEntry[]> {
    try {
      const { searchEntries } = await this.#within(
        "search",
        this.#client.search(base, {
          scope: query.scope,
          derefAliases: "never",
          filter: ldapLibrary().FilterParser.parseString(query.filter),
          attributes: [...query.attributes],
          sizeLimit: query.entriesMax,
        }),
      );
      return searchEntries.slice(0, query.entriesMax).map((entry) => ({
        dn: entry.dn,
        values: (attribute) => textValues(entry, attribute),
      }));
    } catch (error) {
      if (resultCode(error) === NO_SUCH_OBJECT) return [];
      throw error;
    }
  }

  /** Closes the connection, even during an operation. */
  close(): void {
    this.#timer.clear();
    // This call destroys the socket; its later result does not matter.
    this.#client.unbind().catch(() => undefined);
  }

  /** `secret`: was sent, and may come back in what the directory says. */
  async #within<T>(what: string, work: Promise<T>, secret = ""): Promise<T> {
    try {
      return await unlessAborted(work, this.#ending.signal, () => this.#ending.signal.reason);
    } catch (cause) {
      if (cause instanceof Error) cause.message = withoutSecret(cause.message, secret);
      const reason = cause instanceof Error ? cause.message : String(cause);
      const line = reason.replace(/\p{Cc}+/gu, " ").slice(0, 200);
      throw new NvrdError("NOT_AVAILABLE", `the directory cannot be asked (${what}: ${line})`, { cause });
    }
  }

  #abort(error: Error): void {
    this.#ending.abort(error);
    this.close();
  }

  #guardReader(): void {
    const reader = this.#reader;
    const read = reader.read.bind(reader);
    reader.read = (data, waiting) => {
      // The library calls this function recursively for the next message in the same bytes.
      if (this.#reading) return read(data, waiting);
      this.#reading = true;
      try {
        this.#answeredBytes += data.length;
        if (this.#answeredBytes > ANSWER_BYTES_MAX)
          throw new Error(`more than ${ANSWER_BYTES_MAX} bytes answered`);
        read(data, waiting);
      } catch (error) {
        this.#abort(error instanceof Error ? error : new Error(String(error)));
      } finally {
        this.#reading = false;
      }
    };
  }

  #tlsOptions(): ConnectionOptions {
    const host = new URL(this.#options.url).hostname;
    const { ca } = this.#options;
    return {
      host,
      minVersion: "TLSv1.2",
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca }),
    };
  }
}

/** Whether `filter` is a valid LDAP filter (RFC 4515). */
export function isLdapFilter(filter: string): boolean {
  try {
    ldapLibrary().FilterParser.parseString(filter);
    return filter.startsWith("(");
  } catch {
    // The caller reports what is accepted.
    return false;
  }
}

function resultCode(error: unknown): number {
  const cause = error instanceof NvrdError ? error.cause : error;
  return cause instanceof ldapLibrary().ResultCodeError ? cause.code : -1;
}

/** The attribute's values that are text; its name matches in any case (RFC 4512, section 2.5). */
function textValues(entry: object, attribute: string): string[] {
  const wanted = attribute.toLowerCase();
  const found = Object.entries(entry).find(([name]) => name.toLowerCase() === wanted)?.[1];
  return [found].flat().filter((value) => typeof value === "string");
}
