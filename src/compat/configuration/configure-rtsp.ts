import * as v from "valibot";
import { given, members, type Route, type SettingsDescription, settingsRoutes } from "../../route/index.js";
import { siteValues } from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const { flag, whole } = siteValues;

const DESCRIPTION: SettingsDescription = {
  title: "RtspSettings",
  noun: "the settings of the RTSP server for viewers",
  text: [
    "The server is described under [RTSP](#rtsp). Changes take effect at once: another port, or none, disconnects the present viewers. With the setting `rtspPort` 0 there is no RTSP server. An unavailable port is logged and retried every second; until then [`/configex`](#get-configex) shows that RTSP is off.",
  ],
  members: {
    TcpPort: "Null: the one of the setting `rtspPort`.",
    IsMjpegEnabled: "False refuses streams in MJPEG with 403.",
  },
  examples: {
    get: ['curl -fu "$AUTH" "$NVRD/configure/rtsp"'],
    put: ['curl -fu "$AUTH" -X PUT "$NVRD/configure/rtsp" --data \'{ "IsMjpegEnabled": false }\''],
  },
};

/** /configure/rtsp: the RTSP server for viewers. */
export const RTSP_SETTINGS_ROUTES: readonly Route<ConfigurationNeeds>[] = settingsRoutes({
  path: "/configure/rtsp",
  description: DESCRIPTION,
  schema: members({
    IsEnabled: given(flag),
    TcpPort: v.optional(v.nullable(whole(1, 65_535))),
    IsMjpegEnabled: given(flag),
  }),
  describe: ({ rtsp: settings }) => ({
    IsEnabled: settings.isEnabled,
    TcpPort: settings.tcpPort,
    IsMjpegEnabled: settings.isMjpegEnabled,
  }),
  apply: (site, input) => ({
    ...site,
    rtsp: {
      isEnabled: input.IsEnabled ?? site.rtsp.isEnabled,
      tcpPort: input.TcpPort === undefined ? site.rtsp.tcpPort : input.TcpPort,
      isMjpegEnabled: input.IsMjpegEnabled ?? site.rtsp.isMjpegEnabled,
    },
  }),
});
