import { describe, expect, it } from "vitest";
import { descriptorShares } from "../../src/service/part/descriptor-shares.js";

describe("descriptors for connections", () => {
  it.each([64, 256, 512, 1024, 4096, 20_000, 1_048_576])("of %i leave recording its own", (limit) => {
    const { http, rtsp } = descriptorShares(limit);
    const left = limit - 2 * http - rtsp;
    if (limit > 512) expect(left).toBeGreaterThanOrEqual(384);
    expect(http).toBeGreaterThanOrEqual(16);
    expect(rtsp).toBeGreaterThanOrEqual(16);
  });

  it("are as many as the ports take where there are enough", () => {
    expect(descriptorShares(20_000).http).toBeGreaterThan(1024);
    expect(descriptorShares(20_000).rtsp).toBeGreaterThan(512);
  });
});
