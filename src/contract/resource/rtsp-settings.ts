import { by, clearable, flag, whole } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** The RTSP server for viewers: `/configure/rtsp`. */
export const rtspSettings = {
  IsEnabled: by(flag, true),
  TcpPort: clearable(whole(1, 65_535)),
  IsMjpegEnabled: by(flag, true),
} as const;

export const rtspSettingsTexts: TextsOf<typeof rtspSettings> = {
  TcpPort: "Null: the one of the setting `rtspPort`.",
  IsMjpegEnabled: "False refuses streams in MJPEG with 403.",
};
