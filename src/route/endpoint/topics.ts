/** The topics of the API, in the order of the documentation; a route belongs to one topic. */

interface TopicText {
  readonly title: string;
  /** Lines of Markdown, as in a route's description: common to all routes of the topic. */
  readonly text: readonly string[];
}

const RTSP = [
  "The RTSP server for viewers is not part of the HTTP API, but has the same parameters, credentials, rights and errors as [`GET /video`](#get-video).",
  "[`PUT /configure/rtsp`](#put-configurertsp) switches it.",
  "",
  "```text",
  "rtsp://HOST:PORT/rtsp?channelid=GUID[&streamtype=…][&sound=on][&login=…&password=MD5]",
  "rtsp://HOST:PORT/rtsp?channelid=GUID&mode=archive[&starttime=…][&speed=…][&streamtype=…][&sound=on][…]",
  "```",
  "",
  "The protocol is RTSP 1.0 (RFC 2326). PORT is `TcpPort` of `RtspServerInfo` in [`/configex`](#get-configex), which also shows whether there is an RTSP server.",
  "",
  "- **Credentials**: Basic with the password or its MD5, or `login` and `password` (the MD5) in the query. Answers repeat neither: a client that sent them in the query is recognized by its connection. There is no Digest, because the server stores no password in the form that Digest needs. There is no RTSPS: over networks that you do not control, use the API over HTTPS.",
  "- **Transport**: RTP in the RTSP connection (`RTP/AVP/TCP`) or over UDP (`RTP/AVP`, `client_port`), unicast. The server uses the first of the client's offers that it supports. Datagrams go only to the address of the RTSP connection.",
  "- **Codecs**: as the camera sends them: H.264 (RFC 6184), H.265 (RFC 7798), MPEG-4 Part 2 (RFC 6416), MJPEG (RFC 2435; 403 where `IsMjpegEnabled` is false). With `sound=on` also G.711 and L16 (RFC 3551), AAC (RFC 3640) and Opus (RFC 7587).",
  "- **Live** streams begin with the current group of pictures. A viewer that is more than 4 MB or 5 s behind loses frames up to the next key frame. Sender reports carry the wall-clock time.",
  "- **Sessions** end 60 s after the last sign of life: a request (`OPTIONS`, `GET_PARAMETER` and `SET_PARAMETER` without a body count) or RTCP. There may be 512 connections, the last eighth of them from addresses that somebody has logged in from; when they are full, the oldest one that does not play is closed for a new one. Once half of them are in use, one address may have 128. More than a client's reports in interleaved packets ends a connection.",
  "",
  "| status | meaning |",
  "|---|---|",
  "| 400, 401, 403, 404 | as for `GET /video`, with the same text |",
  "| 454 | there is no such session |",
  "| 455 | the method is not allowed in this state |",
  "| 457 | the range is outside the recording, or it is a clock range of a live stream |",
  "| 459 | the URL is not the session's |",
  "| 461 | none of the transports offered is supported |",
  "| 501 | playing backwards (`Scale` below 0), other units of time, other methods |",
  "| 503 | no picture now, or too many viewers or readers of the archive. With `Retry-After`: the index of recordings is not open yet, or too many logins failed |",
  "| 551 | `Require` names something else than `onvif-replay`, or names that for a live stream |",
  "",
  "### Recordings over RTSP",
  "",
  "Without `starttime` the URL means the whole recording, from its beginning. Where nothing is recorded at `starttime` or at the beginning of a `Range` (in a gap, before the beginning or in the future), it plays from what is recorded nearest to it. `npt=0` is the start of the URL. The SDP names the range in npt and in clock time, clock time first where the URL has no start.",
  "",
  "| header of PLAY | meaning |",
  "|---|---|",
  "| `Range: npt=10.5-20`, `Range: clock=20261121T090000Z-` | Plays from the key frame at or before that moment; the answer says which. It takes effect at once, also while playing, as `Immediate: yes` asks. Without `Range`, PLAY continues where PAUSE was |",
  "| `Scale: 2.0` | Plays 0.1 to 20 times as fast, with RTP timestamps closer together by the same factor. Above 4 only key frames come. There is no sound. Without `Scale` the URL's `speed` counts |",
  "| `Speed: 2.0` | Delivers 0.1 to 20 times as fast, with RTP timestamps as recorded |",
  "| `Rate-Control: no` | Delivers as fast as the client takes it (ONVIF) |",
  "| `Frames: intra`, `Frames: intra/4000` | Sends only key frames, at least so many milliseconds apart (ONVIF) |",
  "",
  "- Gaps are passed without waiting. RTP timestamps continue over gaps and seeks (RFC 2326, Appendix B). The recorded time of what follows a jump is in the sender report after it, and in RTP-Info.",
  "- With `Require: onvif-replay` in SETUP, the first packet of each frame carries the recorded time in the header extension 0xABAC with the bits C, E and D (ONVIF Streaming Specification, 6.3).",
  "- RTCP BYE is sent at the end; while recording continues, 10 s after the last frame. The session remains for another PLAY.",
  "- A recording ends where its codec changes. Use DESCRIBE again from that time.",
];

const CONFIGURATION = [
  "The routes under `/configure`, those of [channels](#channels) and [discovery](#discovery) included, are for the group of senior administrators under a licence of type Enterprise or Ultra; for others they are 403. They use only JSON. These rules apply to all of them:",
  "",
  "- **PUT changes only what is given**: in a list, the objects with these ids; in an object, the given members. Null counts as absent, except where a member may be null (`Comment`, `Port`, `TcpPort`). The answer of GET may be sent back unchanged.",
  '- **All or nothing.** A body with a fault anywhere changes nothing. The answer names up to 20 faults by their paths: `{"ErrorMessage":"[1].Rights.CanPTZ: true or false; [1].Name: another group has this name"}`. Where all faults are ids that do not exist, it is 404; where the body is right by itself and contradicts another object or itself (a name that is taken, an object twice), 409. A body has at most 256 objects. `[]` changes nothing.',
  "- **Names of members** match in any case. Unknown members are ignored, but unknown rights are refused. Texts have no control characters.",
  '- **Revisions.** Answers carry the configuration\'s revision as `ETag: "12"`. A change with `If-Match: "12"` (also without quotes, or `?revision=12`) is refused with 409 when another change was applied meanwhile: read again and repeat. Without it, changes are applied one after another, each to the result of the one before, and none is lost. A change that changes nothing keeps the revision.',
  "- **History.** Each revision keeps who made it and what it changed: `nvrd config history` shows it ([command line](command-line.md)).",
  '- **Answers.** POST returns `{"CreatedObjectsIds":[…]}`, PUT of a list `{"ModifiedObjectsIds":[…]}`, DELETE `{"DeletedObjectsIds":[…]}`, PUT of a single object the whole object.',
  "- **The last administrator.** At least one senior administrator who can log in always remains: a change that would remove the last one is 409.",
];

const SESSION = [
  "A login by a form, for browsers: an addition of nvrd's. Every route takes the session's cookie in place of login and password; where a request has both, login and password count.",
  "",
  "- **The cookie** is `nvrd-session-…` over HTTP and `__Host-nvrd-session-…` over HTTPS (or behind a trusted proxy that says `X-Forwarded-Proto: https`), with the first digits of the server's id: `HttpOnly; SameSite=Strict; Path=/`, `Secure` over HTTPS. Its value has 256 random bits; the recorder keeps its hash.",
  "- **A session ends** by logging out, with a new password, with the user, after 72 hours without use (a stream that is watched uses it), and after 30 days; that of a directory user after 12 hours. A user has at most 32 sessions and the recorder 1024: the one not used for longest ends. A restart ends none.",
  "- **Only the own page** may use it. A request that changes something (POST, PUT, DELETE, a movement by `GET /ptz`, a WebSocket) must have an `Origin` that is this address, or without one `Sec-Fetch-Site: same-origin`; no request may have another page's. Otherwise it is 403. CORS never allows cookies.",
  "- **401 without the browser's dialog**: `WWW-Authenticate` is left out for the routes of this topic, for requests with a session's cookie, with `X-Requested-With`, and for those of scripts (`Sec-Fetch-Mode`).",
];

export const TOPICS = {
  video: { title: "Video", text: ["Frames as the camera sent them, live and recorded."] },
  live: {
    title: "Live socket",
    text: ["Many channels over one connection, for players in browsers."],
  },
  mobile: {
    title: "Mobile",
    text: ["Video for slow networks and small screens, decoded and encoded again."],
  },
  still: { title: "Still pictures", text: ["Single pictures, live and recorded."] },
  hls: {
    title: "HLS",
    text: [
      "HTTP Live Streaming for Safari, iOS, hls.js, ffmpeg, VLC and other players, without transcoding of the pictures.",
      "A program asks for a name with its credentials, and gives the player `/hls/` and the name.",
    ],
  },
  rtsp: { title: "RTSP", text: RTSP },
  export: { title: "Export", text: ["Recordings as files."] },
  archive: { title: "Archive", text: ["The recorded times, and the evidence lock."] },
  timeline: {
    title: "Timeline",
    text: ["What a program draws beside recordings: an addition of nvrd's."],
  },
  event: {
    title: "Events",
    text: ["Events, live and stored. The types of events are in [events](events.md)."],
  },
  channel: {
    title: "Channels",
    text: [
      "A channel is a camera of the configuration. `/api/channels` is for every user, `/configure/channels` for administrators: [the rules of the configuration](#configuration) hold there.",
    ],
  },
  talk: {
    title: "Talking",
    text: [
      "Sound to cameras with a loudspeaker, by ONVIF's back channel: an addition of nvrd's. `SoundTransmittingEnabled` of the camera switches it on, `SoundVolume` sets how loud it is. The guide: [talking](../guide/talk.md).",
    ],
  },
  discovery: {
    title: "Discovery",
    text: [
      "Finding cameras on the network and adding them: an addition of nvrd's. [The rules of the configuration](#configuration) hold. The guide: [cameras](../guide/cameras.md).",
    ],
  },
  task: {
    title: "Tasks",
    text: [
      "Long work in one place: an addition of nvrd's. Whatever takes long is a task: it is started, reports its progress, can be cancelled where the work allows it, and keeps its result for a day. It does not need the client that started it. A restart of the service ends tasks; an update outlives it.",
      "",
      "Each beginning and end is an [event](events.md) with the user's name. The guide: [the first run](../guide/first-run.md).",
    ],
  },
  scenario: {
    title: "Scenarios",
    text: [
      "Lists of actions that users start by hand, and events and times by themselves: [`/configure/userscenarios`](#get-configureuserscenarios) holds them, and these routes run them. A run carries out its actions one after the other with the recorder's own rights; one that fails leaves the others alone. Each run is told in the [events](events.md) `scenarioStarted` and `scenarioEnded`, each failure in `scenarioFailed`.",
    ],
  },
  analysis: {
    title: "Analysis",
    text: [
      "What analysers in the neighbourhood see in the pictures of cameras: an addition of nvrd's. [`/configure/analysers`](#get-configureanalysers) names them. The reference: [analysers](analysers.md).",
    ],
  },
  configuration: { title: "Configuration", text: CONFIGURATION },
  session: { title: "Sessions", text: SESSION },
  setup: {
    title: "First run",
    text: [
      "What an owner chooses once, before cameras and disks: an addition of nvrd's. Step by step: [the first run](../guide/first-run.md).",
      "",
      "While root has the password that the recorder generated at its first start, a session of root gets 403 (`PASSWORD_CHANGE_NEEDED`) from everything but the routes of this topic and [sessions](#sessions). Without a login only the page's files and the login itself answer. Programs may send the generated password.",
    ],
  },
  page: {
    title: "Page",
    text: [
      "The recorder's own page, for browsers. Its files need no login: the page logs in by [a session](#sessions).",
    ],
  },
  network: {
    title: "Network",
    text: [
      "The box's own network: an addition of nvrd's, on the image and on Debian with systemd-networkd. The guide: [network](../guide/network.md).",
    ],
  },
  onvif: {
    title: "ONVIF",
    text: ["The recorder as an ONVIF device for other programs: an addition of nvrd's, off by default."],
  },
  fleet: {
    title: "Fleet",
    text: [
      "Many recorders at one hub: an addition of nvrd's, off by default. The guide: [fleet](../guide/fleet.md).",
      "A recorder connects to its hub by itself, and serves this API over that connection. What a hub's user may do at a recorder is the smaller of the user's rights at the hub and of what the owner of the recorder lets the hub do.",
    ],
  },
  system: { title: "System", text: ["The recorder itself: its health, disks, alarms and updates."] },
} as const satisfies Readonly<Record<string, TopicText>>;

export type Topic = keyof typeof TOPICS;
