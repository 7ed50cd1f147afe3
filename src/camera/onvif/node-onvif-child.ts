/**
 * Child process that reads one device with node-onvif. The package may throw from a timer, wait forever, and read without
 * limit; here that affects only this process. Receives one message (`ChildOrder`), sends one, and exits.
 */
import process from "node:process";
import onvif from "node-onvif";

export interface ChildOrder {
  /** Address of the device service, http only. */
  readonly address: string;
  readonly login: string;
  readonly password: string;
}

/** Maximum number of profiles passed on. */
const PROFILES_MAX = 160;

async function ask({ address, login, password }: ChildOrder): Promise<unknown> {
  const device = new onvif.OnvifDevice({ xaddr: address, user: login, pass: password });
  await device.init();
  const profiles = device.getProfileList();
  const services = Object.entries(device.services).map(([name, service]) => [name, service?.xaddr]);
  return {
    information: device.getInformation(),
    profiles: Array.isArray(profiles) ? profiles.slice(0, PROFILES_MAX) : [],
    services: Object.fromEntries(services),
  };
}

process.once("message", (order) => {
  ask(order as ChildOrder).then(
    (answer) => process.send?.(answer, () => process.exit(0)),
    // The error text comes from the device, so only the exit code is reported.
    () => process.exit(1),
  );
});
process.once("disconnect", () => process.exit(2));
