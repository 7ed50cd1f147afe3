import fc from "fast-check";
import { expect, it } from "vitest";
import { withoutCameras } from "../../src/site/index.js";
import { consistencyProblems } from "../../src/site/schema/site-checks.js";
import { arbitrarySite } from "../support/site/arbitrary-site.js";

it("a removed camera is gone from everything that named it, and the rest is as it was", () => {
  const property = fc.property(arbitrarySite, fc.nat({ max: 3 }), (site, index) => {
    const gone = site.cameras[index];
    const rest = withoutCameras(site, gone === undefined ? [] : [gone.id]);
    expect(consistencyProblems(rest)).toEqual([]);
    if (gone === undefined) expect(rest).toEqual(site);
    else {
      expect(JSON.stringify(rest)).not.toContain(gone.id);
      expect(rest.cameras).toEqual(site.cameras.filter((camera) => camera !== gone));
      expect({ ...rest.mobile, ...rest.mapLocations }).toEqual({ ...site.mobile, ...site.mapLocations });
    }
  });
  fc.assert(property, { numRuns: 100 });
});
