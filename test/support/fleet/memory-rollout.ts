import type { RolloutState } from "../../../src/fleet/index.js";
import type { BoxesControl } from "../../../src/owner/index.js";

type Of<Name extends keyof BoxesControl["rollout"]> = BoxesControl["rollout"][Name];

export async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}

/** A rollout without recorders, for the page: what is begun stands still until it is failed. */
export class MemoryRollout implements Pick<BoxesControl["rollout"], keyof BoxesControl["rollout"]> {
  bundle: Of<"bundle">;
  state: RolloutState | undefined;
  begun: readonly (readonly string[])[] = [];

  async receive({ chunks }: Parameters<Of<"receive">>[0]) {
    let bytes = 0;
    for await (const chunk of chunks) bytes += chunk.length;
    this.state = undefined;
    this.bundle = { bytes, sha256: "0".repeat(64) };
    return this.bundle;
  }

  begin({ groups, watchMinutes, by }: Parameters<Of<"begin">>[0]): Promise<void> {
    this.begun = groups;
    this.state = {
      ...{
        phase: "running",
        reason: "",
        version: "1.3.0",
        bytes: 1,
        sha256: "",
        watchMinutes,
        startedUs: 1,
        by,
      },
      groups: groups.map((group, at) =>
        group.map((id) => ({
          ...{ id, step: at === 0 ? "installing" : "waiting", reason: "", sinceUs: 1, percent: undefined },
        })),
      ),
    };
    return Promise.resolve();
  }

  fail(reason: string): void {
    const { state } = this;
    if (state === undefined) throw new Error("nothing was begun");
    const [first = [], ...others] = state.groups;
    this.state = {
      ...state,
      ...{ phase: "stopped", reason },
      groups: [first.map((box) => ({ ...box, step: "failed" as const, reason })), ...others],
    };
  }

  end(): Promise<void> {
    this.bundle = undefined;
    this.state = undefined;
    return Promise.resolve();
  }
}
