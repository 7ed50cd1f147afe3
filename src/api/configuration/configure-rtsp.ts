import * as v from "valibot";
import { siteValues } from "../../site/index.js";
import { given, members, settingsEndpoints } from "../route/index.js";

const { flag, whole } = siteValues;

/** /configure/rtsp: the RTSP server for viewers (rest-api.md, RtspServerInfo). */
export const rtsp = settingsEndpoints({
  path: "/configure/rtsp",
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
