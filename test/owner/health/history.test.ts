import { expect, it } from "vitest";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { figureValues } from "../../support/health/figure-values.js";

const api = forEachTest(() => startApi());

it("GET /api/system/history tells a list for each figure, with null where nothing is known", async () => {
  const sample = {
    step: 1,
    means: figureValues({ cpuPercent: 12.345, celsius: null }),
    peaks: figureValues({ cpuPercent: 99.99, celsius: null, depthDays: 31.876 }),
  };
  const month = api.history.views.Month;
  api.history.views.Month = { ...month, samples: [undefined, sample] };
  const response = await api.get("/api/system/history?span=MONTH");
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    Span: "Month",
    StepSeconds: 1800,
    StartTime: "2026-10-21T09:00:00.0000000Z",
    Figures: {
      CpuPercent: { Means: [null, 12.3], Peaks: [null, 100] },
      NetworkInBytesPerSecond: { Means: [null, 4_000_000] },
      Celsius: { Means: [null, null], Peaks: [null, null] },
      DepthDays: { Means: [null, 31.5], Peaks: [null, 31.88] },
    },
  });
});

it("the span is a day where none is named, and another one is refused", async () => {
  expect(await (await api.get("/api/system/history")).json()).toMatchObject({ Span: "Day", StepSeconds: 60 });
  const refused = await api.get("/api/system/history?span=year");
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ ErrorMessage: expect.stringContaining("use Day, Month") });
});
