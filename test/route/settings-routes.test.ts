import { expect, it } from "vitest";
import { ROOT_QUERY, startApi } from "../support/api/api-harness.js";
import { forAllTests } from "../support/base/for-tests.js";

const api = forAllTests(() => startApi({}));

it("settings that contradict the configuration are refused whole, and nothing is changed", async () => {
  const before = api.site.current;
  const resolution = { Type: "Low", Width: 320, Height: 240 };
  const put = (body: object) =>
    fetch(api.url(`/configure/mobile?${ROOT_QUERY}`), { method: "PUT", body: JSON.stringify(body) });
  const refused = await put({ FpsLimit: 7, Resolutions: [resolution, resolution] });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("occurs twice in the list"),
  ]);
  expect(api.site.current).toBe(before);
  expect((await put({ FpsLimit: 7 })).status).toBe(200);
  expect(api.site.current.mobile.fpsLimit).toBe(7);
});
