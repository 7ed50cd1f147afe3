import { describe, expect, it } from "vitest";
import { descriptorShares } from "../../src/service/part/descriptor-shares.js";

describe("descriptors for connections", () => {
  it.each([
    ...[64, 256, 512, 1024, 4096, 20_000, 1_048_576].map((limit) => [limit, 0] as const),
    ...[64, 256, 512, 1024, 4096, 20_000, 1_048_576].map((limit) => [limit, 7000] as const),
  ])("of %i, with a hub's port %i, leave recording its own", (limit, hubPort) => {
    const { http, rtsp, hub, partners, replicas } = descriptorShares({ hubPort }, limit);
    const left = limit - 2 * http - rtsp - partners - replicas - (hubPort === 0 ? 0 : hub);
    if (limit > 512) expect(left).toBeGreaterThanOrEqual(384);
    for (const share of [http, rtsp, hub, partners, replicas]) expect(share).toBeGreaterThanOrEqual(16);
  });

  it("are as many as the ports take where there are enough", () => {
    const shares = descriptorShares({ hubPort: 0 }, 20_000);
    expect(shares.http).toBeGreaterThan(1024);
    expect(shares.rtsp).toBeGreaterThan(512);
    expect(shares.partners).toBeGreaterThan(160);
    expect(shares.replicas).toBeGreaterThan(200);
    expect(descriptorShares({ hubPort: 7000 }, 20_000).hub).toBeGreaterThan(4000);
  });

  it("of a hub are more than those of a viewers' port", () => {
    const { hub, http } = descriptorShares({ hubPort: 7000 }, 1024);
    expect(hub).toBeGreaterThan(http);
  });
});
