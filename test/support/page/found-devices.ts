import type { PageVisit } from "./page-visit.js";

/** Lets a visit find these devices alone: other tests on this machine have cameras too, which answer the same search. */
export function showOnly(identities: ReadonlySet<string>, visit: PageVisit): Promise<unknown> {
  return visit.page.route(/\/api\/tasks\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const task = (await response.json()) as { Result?: { Devices?: { Identity: string }[] } | null };
    const devices = task.Result?.Devices;
    if (task.Result != null && devices !== undefined)
      task.Result.Devices = devices.filter(({ Identity }) => identities.has(Identity));
    await route.fulfill({ response, json: task });
  });
}
