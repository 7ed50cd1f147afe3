import type { Guid } from "../../base/index.js";
import {
  changed,
  monitoring,
  monitoringProxy,
  monitoringTexts,
  type ObjectOf,
  shown,
  without,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  ENTER_AGAIN,
  type Faults,
  givenMember,
  MASKED_FAULT,
  type Route,
  type SettingsDescription,
  secretAfter,
  settingsRoutes,
  when,
} from "../../route/index.js";
import {
  knownAddress,
  type MonitoringSettings,
  maskedQuery,
  SECRET_PLACES,
  type Site,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

/** The members of the proxy are kept beside the others. */
const ALONE = without(monitoring, "ProxySettings");

const DESCRIPTION: SettingsDescription = {
  title: "MonitoringSettings",
  noun: "the settings of the monitoring service",
  text: [
    "The settings are those of the reference, and `ProxyUrl` is an addition of nvrd. The recorder POSTs its health to `MonitoringUrl` at the interval: [monitoring](../guide/monitoring.md#reports-to-a-service) shows what it sends, and [`/api/monitoring`](#get-apimonitoring) whether it arrives.",
  ],
  rules: [when(givenMember("ClearPassword", { const: true }), { not: givenMember("Password") })],
  members: notesOf(monitoring, monitoringTexts, { isOne: true }),
  examples: {
    get: ['curl -fu "$AUTH" "$NVRD/configure/monitoring"'],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/monitoring" --data \'{ "MonitoringUrl": "https://monitoring.example/", "Password": "secret" }\'',
    ],
  },
};

/** /configure/monitoring. The password is write-only. */
export const MONITORING_ROUTES: readonly Route<ConfigurationNeeds>[] = settingsRoutes({
  path: "/configure/monitoring",
  description: DESCRIPTION,
  schema: readerOf(monitoring),
  describe: ({ monitoring: kept }): ObjectOf<typeof monitoring> => ({
    ...shown(ALONE, kept),
    MonitoringUrl: maskedQuery(kept.url),
    ProxySettings: shown(monitoringProxy, kept),
  }),
  apply: (site, input, faults) => {
    const before = site.monitoring;
    if (input.ClearPassword === true && input.Password)
      faults.add("ClearPassword", "contradicts the new Password: send one of them");
    const url = knownAddress(input.MonitoringUrl, before.url, maskedQuery);
    if (url === undefined) faults.add("MonitoringUrl", MASKED_FAULT);
    const open: MonitoringSettings = {
      ...changed(ALONE, input, before),
      ...changed(monitoringProxy, input.ProxySettings ?? {}, before),
      url: url ?? before.url,
      password: "",
    };
    checkServers(open, site, faults);
    // Null, absent and empty keep it, because GET returns null and programs send back what they received.
    const password = secretAfter({
      ...{ given: input.Password, isCleared: input.ClearPassword === true, stored: before.password },
      ...{ from: SECRET_PLACES.monitoring(before), to: SECRET_PLACES.monitoring(open) },
      refuse: () => faults.add("Password", ENTER_AGAIN.server),
    });
    return { ...site, monitoring: { ...open, password } };
  },
});

/** The only server is this one. */
function checkServers({ serverIds, proxyServerId }: MonitoringSettings, site: Site, faults: Faults): void {
  const foreign = (id: Guid) => id !== site.server.id;
  const text = `not a server of this configuration: use ${site.server.id}`;
  for (const [index, id] of serverIds.entries()) {
    if (foreign(id)) faults.add(`ServerIds[${index}]`, text, "NOT_FOUND");
    else if (serverIds.indexOf(id) < index)
      faults.add(`ServerIds[${index}]`, "occurs twice in the list", "CONFLICT");
  }
  if (proxyServerId !== null && foreign(proxyServerId))
    faults.add("ProxySettings.ProxyServerId", text, "NOT_FOUND");
}
