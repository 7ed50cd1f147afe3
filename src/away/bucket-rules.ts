import type { AwayTarget } from "../site/index.js";

/** The tag of objects that a rule of the bucket may remove by their age: protected ones have none. */
export const AGES_TAG = "nvrd=ages";
/** Parts of uploads that nobody finished. */
const UPLOAD_DAYS = 7;
/** What was replaced or deleted, in a bucket with versions. */
const VERSION_DAYS = 7;

/** A lifecycle rule that the recorder proposes for its part of a bucket. */
export interface BucketRule {
  readonly id: string;
  /** What it does, for people. */
  readonly text: string;
  readonly xml: string;
}

/** The rules for a target's part of its bucket. A prefix has only signs that XML takes as they are. */
export function proposedRules(
  { prefix, keepDays, ageBy }: Pick<AwayTarget, "prefix" | "keepDays" | "ageBy">,
  hasVersions: boolean,
): readonly BucketRule[] {
  const streams = `<Prefix>${prefix}streams/</Prefix>`;
  const rules = [
    rule(prefix, "uploads", {
      text: `Parts of uploads that were not finished are removed after ${UPLOAD_DAYS} days.`,
      filter: streams,
      action: `<AbortIncompleteMultipartUpload><DaysAfterInitiation>${UPLOAD_DAYS}</DaysAfterInitiation></AbortIncompleteMultipartUpload>`,
    }),
  ];
  const [name = "", value = ""] = AGES_TAG.split("=");
  if (keepDays !== null && ageBy === "bucket")
    rules.push(
      rule(prefix, "age", {
        text: `Recordings are removed ${keepDays} days after they were sent, those of protected times excepted.`,
        filter: `<And>${streams}<Tag><Key>${name}</Key><Value>${value}</Value></Tag></And>`,
        action: `<Expiration><Days>${keepDays}</Days></Expiration>`,
      }),
    );
  if (hasVersions)
    rules.push(
      rule(prefix, "versions", {
        text: `What was replaced or deleted is removed for good after ${VERSION_DAYS} days, as soon as no lock forbids it.`,
        filter: `<Prefix>${prefix}</Prefix>`,
        action: `<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration><NoncurrentVersionExpiration><NoncurrentDays>${VERSION_DAYS}</NoncurrentDays></NoncurrentVersionExpiration>`,
      }),
    );
  return rules;
}

/** Rules of others, of other recorders too, with the proposed ones. */
export function withProposed(
  there: readonly string[],
  prefix: string,
  proposed: readonly BucketRule[],
): readonly string[] {
  const others = there.filter((xml) => !idOf(xml).startsWith(idStart(prefix)));
  return [...others, ...proposed.map(({ xml }) => xml)];
}

/** Whether the bucket has a rule: servers write the same rule in other words. */
export function isThere(there: readonly string[], { xml }: BucketRule): boolean {
  return there.some((other) => valuesOf(other) === valuesOf(xml));
}

export function idOf(xml: string): string {
  return /<ID>([^<]*)<\/ID>/.exec(xml)?.[1] ?? "";
}

function idStart(prefix: string): string {
  return `nvrd:${prefix}:`;
}

function rule(
  prefix: string,
  name: string,
  { text, filter, action }: { readonly text: string; readonly filter: string; readonly action: string },
): BucketRule {
  const id = `${idStart(prefix)}${name}`;
  return {
    ...{ id, text },
    xml: `<Rule><ID>${id}</ID><Filter>${filter}</Filter><Status>Enabled</Status>${action}</Rule>`,
  };
}

/** Names and values of a rule, without its nesting. */
function valuesOf(xml: string): string {
  const pairs = [...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name, value]) => `${name}=${value}`);
  return pairs.sort().join("\n");
}
