import { type Clock, errorText, NvrdError } from "../base/index.js";
import { type BucketRule, idOf, isThere, proposedRules, withProposed } from "./bucket-rules.js";
import { S3Client } from "./s3/s3-client.js";
import { S3Error } from "./s3/s3-error.js";
import { type SendTarget, s3TargetOf } from "./target-address.js";

export interface BucketStateOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly silenceMsMax?: number;
}

/** What a bucket has beside objects. */
export interface BucketState {
  /** Undefined: the server knows no locks. */
  readonly hasLock: boolean | undefined;
  readonly hasVersions: boolean;
  /** Undefined: the server knows no lifecycle rules. */
  readonly rules: readonly { readonly id: string; readonly xml: string }[] | undefined;
  readonly proposed: readonly (BucketRule & { readonly isSet: boolean })[];
}

/** Asks the bucket of a target. Rejects with NvrdError NOT_AVAILABLE. */
export async function bucketState(target: SendTarget, options: BucketStateOptions): Promise<BucketState> {
  return await asked(target, options, async (client, asking) => await stateOf(target, client, asking));
}

/**
 * Sets the rules that are proposed for the target; those of others stay. A rule that somebody sets at the same moment may be lost:
 * servers know no condition here. Rejects with NvrdError NOT_AVAILABLE, or CONFLICT where the server knows no rules.
 */
export async function setProposedRules(
  target: SendTarget,
  options: BucketStateOptions,
): Promise<BucketState> {
  return await asked(target, options, async (client, asking) => {
    const { rules, proposed } = await stateOf(target, client, asking);
    const set = async (there: readonly string[]): Promise<true> => {
      await client.bucket.setRules(withProposed(there, target.prefix, proposed), asking);
      return true;
    };
    // Some servers answer that there are none, and refuse to set any.
    const isSet = rules !== undefined && (await unlessUnknown(set(rules.map(({ xml }) => xml))));
    if (isSet !== true)
      throw new NvrdError("CONFLICT", `the server of ${target.name} knows no lifecycle rules`, {
        hint: "with AgeBy: Recorder the recorder removes what is older than KeepDays",
      });
    return await stateOf(target, client, asking);
  });
}

type Asking = Pick<BucketStateOptions, "signal">;

async function stateOf(target: SendTarget, client: S3Client, asking: Asking): Promise<BucketState> {
  const hasLock = await unlessUnknown(client.bucket.hasLock(asking));
  const hasVersions = await client.bucket.hasVersions(asking);
  const rules = await unlessUnknown(client.bucket.rules(asking));
  return {
    ...{ hasLock, hasVersions },
    rules: rules?.map((xml) => ({ id: idOf(xml), xml })),
    proposed: proposedRules(target, hasVersions).map((rule) => ({
      ...rule,
      isSet: isThere(rules ?? [], rule),
    })),
  };
}

async function asked(
  target: SendTarget,
  { clock, signal, silenceMsMax }: BucketStateOptions,
  work: (client: S3Client, asking: Asking) => Promise<BucketState>,
): Promise<BucketState> {
  const client = new S3Client({
    ...{ target: s3TargetOf(target), clock },
    ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
  });
  try {
    return await work(client, signal === undefined ? {} : { signal });
  } catch (error) {
    if (error instanceof NvrdError) throw error;
    throw new NvrdError(
      "NOT_AVAILABLE",
      `the bucket of ${target.name} cannot be asked: ${errorText(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    client.close();
  }
}

async function unlessUnknown<T>(question: Promise<T>): Promise<T | undefined> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof S3Error && error.fault === "unsupported") return undefined;
    throw error;
  }
}
