import * as v from "valibot";

/** What a recorder says to a partner that asks for a place for its replicas: GET of this path, over their connection. */
export const REPLICA_PATH = "/replica";
export const OFFER_BYTES_MAX = 4096;

const bytes = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const schema = v.object({
  /** Where replicas are taken; 0: nowhere now. */
  Port: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535)),
  /** The share of the partner that asks; 0: none. */
  BytesMax: bytes,
  UsedBytes: bytes,
});

export type ReplicaOffer = v.InferOutput<typeof schema>;

/** Undefined: it is none. */
export function readOffer(body: Uint8Array): ReplicaOffer | undefined {
  try {
    const read = v.safeParse(schema, JSON.parse(Buffer.from(body).toString("utf8")));
    return read.success ? read.output : undefined;
  } catch {
    return undefined; // what is no JSON is no offer
  }
}
