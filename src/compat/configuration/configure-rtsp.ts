import { changed, rtspSettings, rtspSettingsTexts, shown } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { type Route, type SettingsDescription, settingsRoutes } from "../../route/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const DESCRIPTION: SettingsDescription = {
  title: "RtspSettings",
  noun: "the settings of the RTSP server for viewers",
  text: [
    "The server is described under [RTSP](#rtsp). Changes take effect at once: another port, or none, disconnects the present viewers. With the setting `rtspPort` 0 there is no RTSP server. An unavailable port is logged and retried every second; until then [`/configex`](#get-configex) shows that RTSP is off.",
  ],
  members: notesOf(rtspSettings, rtspSettingsTexts, { isOne: true }),
  examples: {
    get: ['curl -fu "$AUTH" "$NVRD/configure/rtsp"'],
    put: ['curl -fu "$AUTH" -X PUT "$NVRD/configure/rtsp" --data \'{ "IsMjpegEnabled": false }\''],
  },
};

/** /configure/rtsp: the RTSP server for viewers. */
export const RTSP_SETTINGS_ROUTES: readonly Route<ConfigurationNeeds>[] = settingsRoutes({
  path: "/configure/rtsp",
  description: DESCRIPTION,
  schema: readerOf(rtspSettings),
  describe: ({ rtsp }) => shown(rtspSettings, rtsp),
  apply: (site, input) => ({ ...site, rtsp: changed(rtspSettings, input, site.rtsp) }),
});
