import { errorText } from "../../base/index.js";
import { readIdentity } from "../../site/index.js";
import type { S3Client, Sending } from "../s3/s3-client.js";
import { S3Error } from "../s3/s3-error.js";
import type { S3Answer } from "../s3/s3-exchange.js";
import { HEADER_BYTES_MAX, openHeader, type Payload, SealError } from "../seal/age-header.js";
import { openRange, sealedRange } from "../seal/age-stream.js";
import { SEALED_END } from "../seal/sealed-name.js";
import type { Sealing } from "./send-messages.js";

/** Keys of objects that were read last. */
const KNOWN_MAX = 512;

/** Reads parts of objects, encrypted or not: a bucket may have both. */
export class SealedReads {
  readonly #client: S3Client;
  readonly #identities: readonly Uint8Array[];
  readonly #sealedFirst: boolean;
  /** Null: it is not encrypted. */
  readonly #known = new Map<string, Payload | null>();

  constructor(client: S3Client, { recipients, identity }: Sealing) {
    this.#client = client;
    const key = readIdentity(identity);
    this.#identities = key === undefined ? [] : [key];
    this.#sealedFirst = recipients.length > 0 || key !== undefined;
  }

  /** Plain bytes `[from, to)`; fewer where the object ends. Rejects with S3Error; `sealed`: we have no key to it. */
  async read(key: string, [from, to]: readonly [number, number], sending: Sending): Promise<Uint8Array> {
    const known = this.#known.get(key);
    if (known !== undefined) return await this.#readAs(known, key, [from, to], sending);
    const tries = [() => this.#sealed(key, [from, to], sending), () => this.#plain(key, [from, to], sending)];
    const [first, second] = this.#sealedFirst ? tries : tries.reverse();
    try {
      return (await first?.()) ?? Buffer.alloc(0);
    } catch (error) {
      if (!(error instanceof S3Error && error.fault === "not-found")) throw error;
      return (await second?.()) ?? Buffer.alloc(0);
    }
  }

  async #readAs(
    payload: Payload | null,
    key: string,
    range: readonly [number, number],
    sending: Sending,
  ): Promise<Uint8Array> {
    try {
      return payload === null
        ? await this.#plain(key, range, sending)
        : await this.#opened(payload, key, range, sending);
    } catch (error) {
      // It may have been sent again in the other way, or with another key.
      this.#known.delete(key);
      throw error;
    }
  }

  async #plain(key: string, range: readonly [number, number], sending: Sending): Promise<Uint8Array> {
    const { body } = await this.#get(key, range, sending);
    this.#note(key, null);
    return body;
  }

  async #sealed(key: string, range: readonly [number, number], sending: Sending): Promise<Uint8Array> {
    const { body } = await this.#get(`${key}${SEALED_END}`, [0, HEADER_BYTES_MAX], sending);
    const payload = unsealed(() => openHeader(body, this.#identities));
    this.#note(key, payload);
    return await this.#opened(payload, key, range, sending);
  }

  async #opened(
    payload: Payload,
    key: string,
    [from, to]: readonly [number, number],
    sending: Sending,
  ): Promise<Uint8Array> {
    const { body } = await this.#get(`${key}${SEALED_END}`, sealedRange(payload, from, to), sending);
    return unsealed(() => openRange(payload, body, from, to));
  }

  async #get(key: string, range: readonly [number, number], sending: Sending): Promise<S3Answer> {
    const answer = await this.#client.get(key, { bytesMax: range[1] - range[0], range, ...sending });
    if (answer.status !== PARTIAL_CONTENT)
      throw new S3Error("answer", "the storage sends no parts of objects");
    // As a disturbed storage is: asked again, it may send what was asked for.
    if (!isAsAsked(answer, range))
      throw new S3Error("busy", "the storage sent other bytes than were asked for");
    return answer;
  }

  #note(key: string, payload: Payload | null): void {
    this.#known.set(key, payload);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}

const PARTIAL_CONTENT = 206;

/** By what the storage says of it: where it says nothing, what came is taken. */
function isAsAsked({ headers, body }: S3Answer, [from, to]: readonly [number, number]): boolean {
  const said = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(String(headers["content-range"] ?? ""));
  if (said === null) return true;
  const [first, end] = [Number(said[1]), Number(said[2]) + 1];
  const isToItsEnd = end === to || end === Number(said[3]);
  return first === from && body.length === end - first && isToItsEnd;
}

function unsealed<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealError && error.isForOthers)
      throw new S3Error(
        "sealed",
        "it is encrypted, and this recorder has no key to it: enter the private key as Identity, or use nvrd restore --identity",
        { cause: error },
      );
    throw new S3Error("digest", `it cannot be decrypted: ${errorText(error)}`, { cause: error });
  }
}
