import type { ControlServer } from "../../control/index.js";
import type { HealthService } from "./health-service.js";

/** The service's side of `nvrd support`: the bundle as base64, which fits an answer of the control socket. */
export function registerSupportCommand(control: ControlServer, health: Pick<HealthService, "create">): void {
  control.register("support", async () => ({
    bundle: Buffer.from(await health.create()).toString("base64"),
  }));
}
