import { describe, expect, it } from "vitest";
import {
  RETRY_DELAY_MS_MIN,
  retryDelayMs,
  UNAUTHORIZED_DELAY_MS,
} from "../../../src/rtsp/client/retry-policy.js";
import type { FailureKind } from "../../../src/rtsp/client/rtsp-failure.js";

const RANDOMS = [0, 0.5, 0.999999];

describe("the delay between attempts", () => {
  it("to an absent camera is never above two seconds, so that it is recorded soon after it returns", () => {
    const kinds: FailureKind[] = ["refused", "unreachable", "closed", "no-answer", "stalled", "no-frames"];
    for (const kind of kinds)
      for (let failures = 1; failures < 100_000; failures *= 3)
        for (const random of RANDOMS)
          expect(retryDelayMs(kind, failures, () => random)).toBeLessThanOrEqual(2000);
  });

  it("to a camera that is booting is never above two seconds, whatever it answers", () => {
    for (const kind of ["not-found", "rejected", "protocol", "unsupported", "tls"] as const)
      expect(retryDelayMs(kind, 50, () => 0.999, true)).toBeLessThanOrEqual(2000);
    expect(retryDelayMs("unauthorized", 1, () => 0, true)).toBeGreaterThanOrEqual(UNAUTHORIZED_DELAY_MS);
  });

  it("after a refused password is never below a minute", () => {
    for (const random of RANDOMS)
      expect(retryDelayMs("unauthorized", 1, () => random)).toBeGreaterThanOrEqual(UNAUTHORIZED_DELAY_MS);
  });

  it("starts short, grows, and is spread", () => {
    expect(retryDelayMs("refused", 1, () => 0.5)).toBe(RETRY_DELAY_MS_MIN);
    expect(retryDelayMs("refused", 2, () => 0.5)).toBe(2 * RETRY_DELAY_MS_MIN);
    expect(retryDelayMs("unsupported", 50, () => 0.5)).toBe(30_000);
    expect(retryDelayMs("refused", 9, () => 0)).toBeLessThan(retryDelayMs("refused", 9, () => 1));
  });
});
