import type { Guid } from "../../base/index.js";
import {
  ENTER_AGAIN,
  type Faults,
  given,
  givenMember,
  guidOrNone,
  guids,
  MASKED_FAULT,
  members,
  type Route,
  type SettingsDescription,
  secretAfter,
  settingsRoutes,
  when,
} from "../../route/index.js";
import {
  awayValues,
  knownAddress,
  type MonitoringSettings,
  maskedQuery,
  SECRET_PLACES,
  SITE_LIMITS,
  type Site,
  siteValues,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const { flag, line, whole } = siteValues;
const LIMITS = SITE_LIMITS;

const schema = members({
  MonitoringEnabled: given(flag),
  Password: given(line(LIMITS.monitoringPasswordLengthMax)),
  ClearPassword: given(flag),
  MonitoringUrl: given(siteValues.httpUrl(LIMITS.monitoringUrlLengthMax)),
  MonitoringNewServerEnabled: given(flag),
  MonitoringPushIntervalSeconds: given(
    whole(LIMITS.monitoringPushIntervalSecondsMin, LIMITS.monitoringPushIntervalSecondsMax),
  ),
  ServerIds: given(guids(LIMITS.monitoringServersMax, "servers")),
  ProxySettings: given(
    members({
      ProxyServerEnabled: given(flag),
      ProxyServerId: guidOrNone,
      ProxyUrl: given(awayValues.awayProxy),
    }),
  ),
});

const DESCRIPTION: SettingsDescription = {
  title: "MonitoringSettings",
  noun: "the settings of the monitoring service",
  text: [
    "The settings are those of the reference, and `ProxyUrl` is an addition of nvrd. The recorder POSTs its health to `MonitoringUrl` at the interval: [monitoring](../guide/monitoring.md#a-service-that-is-told) shows what it sends, and [`/api/monitoring`](#get-apimonitoring) whether it arrives.",
  ],
  rules: [when(givenMember("ClearPassword", { const: true }), { not: givenMember("Password") })],
  members: {
    MonitoringEnabled: "Health is sent, where `MonitoringUrl` is not empty.",
    MonitoringNewServerEnabled: "Stored only: there is one server.",
    MonitoringPushIntervalSeconds:
      "Seconds between the beginnings of two messages. One that takes longer is waited for.",
    Password:
      "Sent by HTTP Basic, with the server's id as the login. Always null in answers. Null, absent or empty in PUT: unchanged, which is refused where it would go to another scheme, host or port.",
    ClearPassword: { description: "True removes the password.", writeOnly: true },
    MonitoringUrl:
      "An `http://` or `https://` URL, or empty. Answers have `***` in place of a login and a query, and such an answer sent back changes nothing.",
    ServerIds: "This server, or none: both mean this server.",
    "ProxySettings.ProxyServerEnabled": "Messages go over `ProxyUrl`, where it is not empty.",
    "ProxySettings.ProxyServerId": "This server, or null: both mean that this server sends them itself.",
    "ProxySettings.ProxyUrl": "The `http` address of a proxy, without a login. Empty: none.",
  },
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
  schema,
  describe: ({ monitoring: settings }) => ({
    MonitoringEnabled: settings.isEnabled,
    Password: null,
    MonitoringUrl: maskedQuery(settings.url),
    MonitoringNewServerEnabled: settings.isNewServerEnabled,
    MonitoringPushIntervalSeconds: settings.pushIntervalSeconds,
    ServerIds: settings.serverIds,
    ProxySettings: {
      ProxyServerEnabled: settings.isProxyServerEnabled,
      ProxyServerId: settings.proxyServerId,
      ProxyUrl: settings.proxyUrl ?? "",
    },
  }),
  apply: (site, input, faults) => {
    const before = site.monitoring;
    const proxy = input.ProxySettings ?? {};
    const proxyUrl = proxy.ProxyUrl ?? before.proxyUrl ?? "";
    if (input.ClearPassword === true && input.Password)
      faults.add("ClearPassword", "contradicts the new Password: send one of them");
    const url = knownAddress(input.MonitoringUrl, before.url, maskedQuery);
    if (url === undefined) faults.add("MonitoringUrl", MASKED_FAULT);
    const open: MonitoringSettings = {
      isEnabled: input.MonitoringEnabled ?? before.isEnabled,
      url: url ?? before.url,
      password: "",
      isNewServerEnabled: input.MonitoringNewServerEnabled ?? before.isNewServerEnabled,
      pushIntervalSeconds: input.MonitoringPushIntervalSeconds ?? before.pushIntervalSeconds,
      serverIds: input.ServerIds ?? before.serverIds,
      isProxyServerEnabled: proxy.ProxyServerEnabled ?? before.isProxyServerEnabled,
      proxyServerId: proxy.ProxyServerId === undefined ? before.proxyServerId : proxy.ProxyServerId,
      ...(proxyUrl === "" ? {} : { proxyUrl }),
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
