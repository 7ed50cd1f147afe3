import {
  by,
  clearable,
  flag,
  group,
  id,
  line,
  list,
  maybeId,
  secret,
  sparse,
  storedAs,
  whole,
  writeOnly,
} from "../kinds/kinds.js";
import { HTTP_URL_OR_EMPTY, PROXY } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";

/** A monitoring service, to which the recorder sends its health: `/configure/monitoring`. */

/** Kept beside the other members. */
export const monitoringProxy = {
  ProxyServerEnabled: storedAs("isProxyServerEnabled", by(flag, false)),
  ProxyServerId: clearable(maybeId),
  ProxyUrl: sparse(by(line(512, ...PROXY), "")),
} as const;

export const monitoring = {
  MonitoringEnabled: storedAs("isEnabled", by(flag, false)),
  Password: secret(line(256)),
  ClearPassword: writeOnly(flag),
  MonitoringUrl: storedAs("url", by(line(2048, ...HTTP_URL_OR_EMPTY), "")),
  MonitoringNewServerEnabled: storedAs("isNewServerEnabled", by(flag, false)),
  MonitoringPushIntervalSeconds: storedAs("pushIntervalSeconds", by(whole(1, 86_400), 60)),
  ServerIds: by(list(id, 64, "servers"), []),
  ProxySettings: group(monitoringProxy),
} as const;

export const monitoringTexts: TextsOf<typeof monitoring> = {
  MonitoringEnabled: "Health is sent, where `MonitoringUrl` is not empty.",
  MonitoringNewServerEnabled: "Stored only: there is one server.",
  MonitoringPushIntervalSeconds:
    "Seconds between the beginnings of two messages. One that takes longer is waited for.",
  Password:
    "Sent by HTTP Basic, with the server's id as the login. Always null in answers. Null, absent or empty in PUT: unchanged, which is refused where it would go to another scheme, host or port.",
  ClearPassword: "True removes the password.",
  MonitoringUrl:
    "An `http://` or `https://` URL, or empty. Answers have `***` in place of a login and a query, and such an answer sent back changes nothing.",
  ServerIds: "This server, or none: both mean this server.",
  "ProxySettings.ProxyServerEnabled": "Messages go over `ProxyUrl`, where it is not empty.",
  "ProxySettings.ProxyServerId": "This server, or null: both mean that this server sends them itself.",
  "ProxySettings.ProxyUrl": "The `http` address of a proxy, without a login. Empty: none.",
};
