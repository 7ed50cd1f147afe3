import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** What schemathesis reports of a run, as far as it is read here. */
interface ReportLine {
  readonly ScenarioFinished?: {
    readonly recorder: {
      readonly label: string;
      readonly cases?: Readonly<Record<string, { readonly value: SentCase }>>;
      readonly checks?: Readonly<
        Record<string, readonly { readonly name: string; readonly status: string }[]>
      >;
      readonly interactions?: Readonly<
        Record<
          string,
          {
            readonly response?: {
              readonly status_code: number;
              readonly content?: string | { readonly $base64: string };
            };
          }
        >
      >;
    };
  };
}

interface SentCase {
  readonly path_parameters?: unknown;
  readonly query?: Readonly<Record<string, unknown>> | null;
  readonly body?: unknown;
  readonly meta: { readonly components: Readonly<Record<string, { readonly mode: string }>> };
}

export interface FailedCase {
  readonly operation: string;
  readonly check: string;
  readonly status: number | undefined;
  readonly answer: string;
  readonly sent: SentCase;
  /** The parts of the request that the description forbids: `query`, `body`. */
  readonly forbidden: readonly string[];
}

/** How many requests a run made, and those that failed a check. */
export async function readReport(
  file: string,
): Promise<{ readonly count: number; readonly failed: FailedCase[] }> {
  const failed: FailedCase[] = [];
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const recorder = (JSON.parse(line) as ReportLine).ScenarioFinished?.recorder;
    if (recorder === undefined) continue;
    const { label, cases = {}, checks = {}, interactions = {} } = recorder;
    count += Object.keys(interactions).length;
    for (const [id, results] of Object.entries(checks)) {
      const sent = cases[id]?.value;
      const response = interactions[id]?.response;
      if (sent === undefined) continue;
      const forbidden = Object.entries(sent.meta.components).flatMap(([part, { mode }]) =>
        mode === "negative" ? [part] : [],
      );
      for (const { name, status } of results) {
        if (status !== "failure") continue;
        const answer = textOf(response?.content);
        failed.push({
          operation: label,
          check: name,
          status: response?.status_code,
          answer,
          sent,
          forbidden,
        });
      }
    }
  }
  return { count, failed };
}

function textOf(content: string | { readonly $base64: string } | undefined): string {
  return typeof content === "object" ? Buffer.from(content.$base64, "base64").toString() : (content ?? "");
}
