import { reservedFiles } from "../../archive/index.js";
import { BYTES_PER_MB, type Guid, US_PER_HOUR, US_PER_MINUTE } from "../../base/index.js";
import type { LostCause } from "../../contract/answer/index.js";
import { LOSS_RULES, lossWords } from "../../live/index.js";
import type { SiteWarning } from "../../site/index.js";
import type { CameraHealth } from "./camera-health.js";
import type {
  HealthFigures,
  ListenerHealth,
  MemoryHealth,
  MemoryShortage,
  PartnerHealth,
  ReplicasHealth,
  VolumeHealth,
} from "./health-figures.js";
import { isUnclean, type Run } from "./run-history.js";

/** `error`: recordings are lost, or will be soon. `warning`: somebody should look at it. */
export type ProblemSeverity = "error" | "warning";

/** Something that is wrong now. */
export interface HealthProblem {
  /** For programs; never changes its meaning. */
  readonly code: ProblemCode;
  readonly severity: ProblemSeverity;
  /** What is wrong, and with what. */
  readonly text: string;
  /** What to do. */
  readonly action: string;
  /** The channel it is about. */
  readonly channelId?: Guid;
}

/** Every code there is, with its severity and what to do; docs/ref/api.md lists them. */
export const PROBLEMS = {
  "camera-lost": ["error", "check the camera, its power and its network; see its Cause in Cameras"],
  "camera-not-recorded": [
    "error",
    "see the other problems; if there are none, report it with a support bundle",
  ],
  "camera-waiting": [
    "warning",
    "set a key frame (I-frame) interval of 1 to 4 seconds in the camera, and switch H.264+, H.265+ and smart codecs off",
  ],
  "camera-losing": ["error", "see Losses of the stream in Cameras: each says what to do"],
  "camera-incomplete": ["warning", "see Losses of the stream in Cameras: each says what to do"],
  "cameras-same-name": ["warning", "give each camera a name of its own"],
  "cameras-same-device": ["warning", "remove one of the cameras, if it is not recorded twice on purpose"],
  "volume-lost": ["error", "check the disk, its cable and its mount; nvrd takes it again by itself"],
  "volume-unread": [
    "error",
    "check the disk; it is read again every ten minutes, and by nvrd check --rebuild",
  ],
  "volume-too-small": [
    "error",
    "lower the volume's reserveBytes, make room on its disk, or give it a larger one",
  ],
  "volume-crowded": [
    "error",
    "delete files of other programs on the volume's disk, or give the recordings a disk of their own",
  ],
  "protection-unknown": [
    "error",
    "bring back the disks that are missing, or a saved protected.json or given-recordings.json of the data directory and start the service again; if the list is lost, say so: POST /api/protected/accept",
  ],
  "no-volume": ["error", "give the settings a volume, or bring its disk back: nothing can be recorded"],
  "frames-dropped": [
    "error",
    "make room where a disk is full; else the disks do not keep up, or are gone: see Volumes and Disks",
  ],
  "frames-thinned": ["warning", "the disks are at their limit: lower bit rates or add a disk"],
  "index-failing": ["error", "make room on the system disk and check it"],
  "event-log-failing": ["error", "make room on the system disk and check it"],
  "events-lost": ["warning", "make room on the system disk and check it"],
  "findings-failing": [
    "warning",
    "make room on the volumes and on the system disk, and check the disks: until then what was seen is in memory only",
  ],
  "findings-lost": [
    "warning",
    "where findings wait, see Volumes; else too much is seen at a time: narrow the zones, or raise the least size and score",
  ],
  "disk-failing": ["error", "replace the disk soon, and save what must be kept"],
  "disk-worn": ["warning", "plan to replace the disk"],
  "disks-unknown": ["warning", "the disks' own figures (SMART) cannot be read: see docs/guide/monitoring.md"],
  "disk-overworked": ["warning", "a disk is written more than it is made for: lower bit rates or add a disk"],
  "system-disk-full": ["warning", "make room on the disk of the data directory"],
  "volume-files-low": [
    "warning",
    "delete files of other programs on the volume, or format it with more inodes: `nvrd` does so for a disk that it formats",
  ],
  "system-disk-files-low": [
    "warning",
    "delete files on the disk of the data directory: it has bytes left, and no inodes for further files",
  ],
  "clock-unknown": [
    "warning",
    "give the recorder a time server, set its clock, or say that it is right (POST /api/clock); until then schedules are not followed, their channels are always recorded, and no recording is deleted because of its age",
  ],
  "memory-low": [
    "warning",
    "lower the number of streams, viewers or transcodes, or give the machine more memory",
  ],
  "memory-small": ["warning", "give the machine, or the control group of the service, more memory"],
  "memory-short": [
    "warning",
    "lower the number of streams, viewers or transcodes, or give the service more memory",
  ],
  "frame-memory-low": [
    "error",
    "a disk or a viewer holds the memory for frames: see Volumes; or the service has too little memory",
  ],
  "too-hot": ["warning", "give the machine air: clean its fan and its grid"],
  "event-loop-late": [
    "warning",
    "the processor is overloaded: lower the number of viewers, transcodes or motion detectors",
  ],
  "motion-slow": [
    "warning",
    "choose smaller streams for the analysis (AnalyzeStreamType), key frames alone, or fewer cameras",
  ],
  "alarm-failing": ["warning", "check its address and the network; POST /api/alarms/test tries it"],
  "away-failing": [
    "warning",
    "correct the target (/configure/away) or its storage; POST /api/away/test tries it, GET /api/away says what waits",
  ],
  "bucket-failing": [
    "error",
    "check the storage, the network and the settings bucketEndpoint to bucketProxy: recordings cannot be shown",
  ],
  "hub-lost": [
    "warning",
    "check the hub and the way to it through the network: GET /api/hub says what is wrong; it is tried again by itself",
  ],
  "partner-lost": [
    "warning",
    "check that recorder and the way to it: GET /api/fleet/partners says what is wrong; it is tried again by itself",
  ],
  "recorded-for-partner": [
    "warning",
    "repair that recorder: this one stops recording its cameras ten seconds after it records them again",
  ],
  "replicas-not-kept": [
    "warning",
    "see GET /api/fleet/replicas: put the disk back, or free the port of replicaPort; it is tried again by itself",
  ],
  "reserve-refuses": ["warning", "see GET /api/fleet/partners; it is tried again by itself"],
  "mqtt-lost": [
    "warning",
    "check the broker, its address and the login (/api/system/broker, or mqttUrl and mqttLogin of the settings file)",
  ],
  "port-shut": [
    "warning",
    "free the port or set another (httpPort, httpsPort, PUT /configure/rtsp); where it is the certificate, correct its files (tlsCertificate, tlsKey); it is tried again by itself every second",
  ],
  "certificate-not-used": [
    "warning",
    "correct the files of the certificate and its key (tlsCertificate, tlsKey), or upload them again (PUT /api/system/certificate): browsers warn when the former one ends",
  ],
  "certificate-not-renewed": [
    "warning",
    "see GET /api/system/certificate/acme for what to do; it is tried again by itself",
  ],
  "ends-unclean": ["warning", "the service ended again and again: report it with a support bundle"],
} as const satisfies Readonly<Record<string, readonly [ProblemSeverity, string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** What the user loses when this is left out; events use the same words. */
export const SHORTAGES: Readonly<Record<MemoryShortage, string>> = {
  frames: "frames of cameras were dropped",
  preRoll: "recordings begin later before motion than configured",
  pictures: "pictures were not decoded",
  hls: "live HLS was refused",
};

/** Less of the memory than this is left for programs. */
const MEMORY_SHARE_MIN = 0.05;
const MEMORY_BYTES_MIN = 64 * 1024 * 1024;
/** More of the memory for frames than this is in use. */
const SLAB_SHARE_MAX = 0.9;
const SYSTEM_DISK_SHARE_MIN = 0.03;
/** So many files are few for the databases, their copies and the notes of the data directory. */
const SYSTEM_FILES_MIN = 1000;
/** Retention keeps one reserve of inodes free, and room beyond it for what comes. */
const FILES_RESERVES_MIN = 2;
/** A volume with less than this free is limited by its bytes. */
const VOLUME_SHARE_MIN = 0.05;
/** Where the kernel has no critical point: silicon is slowed down from here on. */
const CELSIUS_MAX_DEFAULT = 85;
/** This close to the kernel's critical point it is too hot. */
const CELSIUS_MARGIN = 5;
/** A tick of reading and writing is 200 to 400 ms: one that is so late again and again loses frames. */
const LOOP_P99_MS_MAX = 500;
/** Shorter than this a hub, or the way to it, may be away without a word. */
const HUB_LOST_US_MIN = 5 * US_PER_MINUTE;
/** A partner that restarts is away for less. */
const PARTNER_LOST_US_MIN = 5 * US_PER_MINUTE;
/** Storage that is away for some minutes is no matter: what waits goes later. */
const AWAY_FAILING_US_MIN = US_PER_HOUR;
const UNCLEAN_ENDS_MAX = 3;
const UNCLEAN_WINDOW_MS = 86_400_000;
/** Most problems listed of a kind; one more gives the number of the rest. */
export const PROBLEMS_MAX = 500;

const CAUSES: Readonly<Record<LostCause, string>> = {
  unauthorized: "refuses user name or password",
  unreachable: "does not answer",
  "no-stream": "has no such stream",
  unsupported: "sends what cannot be recorded",
  insecure: "offers no secure connection",
  "certificate-changed": "shows another certificate than before",
  "not-activated": "was never set up",
  interrupted: "stopped sending",
};

/** The present problems, errors first. */
export function healthProblems(figures: HealthFigures): readonly HealthProblem[] {
  const found = [
    ...volumeProblems(figures),
    ...archiveProblems(figures),
    ...diskProblems(figures),
    ...figures.cameras.flatMap((camera) => cameraProblem(camera, figures)),
    ...figures.cameras.flatMap(streamProblems),
    ...figures.siteWarnings.map(siteProblem),
    ...machineProblems(figures),
    ...serviceProblems(figures),
  ];
  const errors = found.filter(({ severity }) => severity === "error");
  const warnings = found.filter(({ severity }) => severity === "warning");
  return [...errors, ...warnings].slice(0, PROBLEMS_MAX);
}

function problem(code: ProblemCode, text: string, channelId?: Guid): HealthProblem {
  const [severity, action] = PROBLEMS[code];
  return { code, severity, text, action, ...(channelId === undefined ? {} : { channelId }) };
}

function volumeProblems({ volumes, bucket }: HealthFigures): HealthProblem[] {
  const inUse = volumes.filter(({ isRetired }) => !isRetired);
  const lost = inUse
    .filter(({ isUsable }) => !isUsable)
    .map(({ directory, reason }) =>
      problem("volume-lost", `volume ${directory} is left out: ${reason ?? "it does not answer"}`),
    );
  const none =
    bucket !== undefined || inUse.some(({ isUsable }) => isUsable)
      ? []
      : [problem("no-volume", "no volume can be recorded to")];
  return [
    ...none,
    ...lost,
    ...volumes.flatMap(unreadProblem),
    ...inUse.flatMap(tooSmallProblem),
    ...inUse.flatMap(crowdedProblem),
    ...volumes.flatMap(shortOfFiles),
    ...volumes.filter(isOverworked).map(overworked),
  ];
}

/** The inodes are the limit, not the bytes: nobody sees that in the free space. */
function shortOfFiles({ directory, status }: VolumeHealth): HealthProblem[] {
  const { files } = status ?? {};
  if (status === undefined || files === undefined) return [];
  const isShort = files.free < FILES_RESERVES_MIN * reservedFiles(files.total);
  if (!isShort || status.freeBytes < status.totalBytes * VOLUME_SHARE_MIN) return [];
  const left = `inodes for ${files.free} more files of ${files.total}`;
  const text = `volume ${directory} has ${left}: the oldest recordings go although ${megabytes(status.freeBytes)} are free`;
  return [problem("volume-files-low", text)];
}

function unreadProblem({ directory, status }: VolumeHealth): HealthProblem[] {
  if (status?.isUnread !== true) return [];
  const text = `recordings of volume ${directory} could not be read into the index: lists and timelines lack them`;
  return [problem("volume-unread", text)];
}

function tooSmallProblem({ directory, status }: VolumeHealth): HealthProblem[] {
  if (status?.tooSmall === undefined) return [];
  const { reserveBytes, roomBytes } = status.tooSmall;
  const [reserveMb, roomMb] = [reserveBytes, roomBytes].map((bytes) => Math.round(bytes / BYTES_PER_MB));
  const figures = `${reserveMb} MB are to stay free, and ${roomMb} MB are there for that and for recordings`;
  return [problem("volume-too-small", `volume ${directory} keeps next to nothing: ${figures}`)];
}

function crowdedProblem({ directory, status }: VolumeHealth): HealthProblem[] {
  if (status?.crowded === undefined) return [];
  const { otherBytes, leftBytes } = status.crowded;
  const percent = Math.round((otherBytes / status.totalBytes) * 100);
  const text = `other files take ${megabytes(otherBytes)} of the disk of volume ${directory}, ${percent} %: ${megabytes(leftBytes)} are left for recordings`;
  return [problem("volume-crowded", text)];
}

function isOverworked({ status }: VolumeHealth): boolean {
  return (status?.workloadShare ?? 0) > 1;
}

function overworked({ directory, status }: VolumeHealth): HealthProblem {
  const percent = Math.round((status?.workloadShare ?? 0) * 100);
  return problem(
    "disk-overworked",
    `volume ${directory} is written at ${percent} % of its disk's workload rating`,
  );
}

function archiveProblems({
  archive,
  index,
  eventLog,
  findings,
  protectionLack,
}: HealthFigures): HealthProblem[] {
  const { errors } = archive;
  const unknown = `it is not known which recordings are protected, and none is deleted: ${protectionLack}`;
  return [
    ...(protectionLack === undefined ? [] : [problem("protection-unknown", unknown)]),
    ...(errors.frameSaving === true
      ? [problem("frames-dropped", "frames of cameras were not recorded in the last minutes")]
      : []),
    ...(errors.thinning === true
      ? [problem("frames-thinned", "only key frames of some streams were recorded in the last minutes")]
      : []),
    ...(index.failing || index.failure !== undefined
      ? [
          problem(
            "index-failing",
            `the index of recordings cannot be written${index.failure === undefined ? "" : `: ${index.failure}`}`,
          ),
        ]
      : []),
    ...(eventLog.isFailing ? [problem("event-log-failing", "the event log cannot be written")] : []),
    ...(eventLog.droppedEvents > 0
      ? [problem("events-lost", `${eventLog.droppedEvents} events were not kept since the start`)]
      : []),
    ...(findings?.isFailing === true
      ? [problem("findings-failing", `what was seen cannot be kept: ${findings.waiting} findings wait`)]
      : []),
    ...(findings !== undefined && findings.lost > 0
      ? [problem("findings-lost", `${findings.lost} findings were not kept since the start`)]
      : []),
  ];
}

function diskProblems({ disks, disksProblem }: HealthFigures): HealthProblem[] {
  const unknown = disksProblem === undefined ? [] : [problem("disks-unknown", disksProblem)];
  const bad = (disks ?? []).flatMap(({ verdict, summary }) => {
    if (verdict === "failing") return [problem("disk-failing", summary)];
    return verdict === "worn" ? [problem("disk-worn", summary)] : [];
  });
  return [...bad, ...unknown];
}

function cameraProblem(camera: CameraHealth, { faultyCameras }: HealthFigures): HealthProblem[] {
  const { id, name, isConnected, streams } = camera;
  // Said of the stream.
  if (!faultyCameras.has(id) || streams.some(({ state }) => state === "waiting")) return [];
  if (isConnected) return [problem("camera-not-recorded", `camera ${name} sends, and is not recorded`, id)];
  const lost = streams.find(({ state }) => state === "lost");
  const word = lost?.cause == null ? "sends nothing" : CAUSES[lost.cause];
  return [
    problem("camera-lost", `camera ${name} ${word}${lost?.reason == null ? "" : `: ${lost.reason}`}`, id),
  ];
}

/** What comes from a camera and is not recorded, and what it does not send. */
function streamProblems({ id, name, isDisabled, streams }: CameraHealth): HealthProblem[] {
  if (isDisabled) return [];
  return streams.flatMap(({ state, streamType, reason, losses }) => {
    const where = `camera ${name}, stream ${streamType}`;
    const waiting = state === "waiting" ? [problem("camera-waiting", `${where}: ${reason}`, id)] : [];
    const words = (isLoss: boolean): string =>
      losses
        .filter((loss) => LOSS_RULES[loss.id].isLoss === isLoss)
        .map((loss) => lossWords(loss, "en")[0])
        .join("; ");
    const [lost, missing] = [words(true), words(false)];
    return [
      ...waiting,
      ...(lost === "" ? [] : [problem("camera-losing", `${where}: ${lost}`, id)]),
      ...(missing === "" ? [] : [problem("camera-incomplete", `${where}: ${missing}`, id)]),
    ];
  });
}

function siteProblem({ kind, what, names }: SiteWarning): HealthProblem {
  return problem(`cameras-${kind}`, `${what}: ${names.join(", ")}`);
}

/** A stream of the camera is lost and none sends, as GET /api/channels/{id}/status says: known at once, and said at once. */
export function isLost({ isDisabled, isConnected, streams }: CameraHealth): boolean {
  return !isDisabled && !isConnected && streams.some(({ state }) => state === "lost");
}

/** Whether a camera works at this moment. One that is neither recorded nor watched need not send. */
export function isFaulty(camera: CameraHealth): boolean {
  if (camera.isDisabled) return false;
  return camera.mustRecord ? !camera.isRecording : isLost(camera);
}

function machineProblems({
  machine,
  memory,
  eventLoop,
  motion,
  objects,
  clock,
}: HealthFigures): HealthProblem[] {
  const { systemDisk, temperatures } = machine;
  const isFull = systemDisk !== null && systemDisk.freeBytes < systemDisk.totalBytes * SYSTEM_DISK_SHARE_MIN;
  const files = systemDisk?.files;
  const lacksFiles =
    files !== undefined && files.free < Math.min(SYSTEM_FILES_MIN, files.total * SYSTEM_DISK_SHARE_MIN);
  const hot = temperatures.find(
    ({ celsius, criticalCelsius }) =>
      celsius >= (criticalCelsius === null ? CELSIUS_MAX_DEFAULT : criticalCelsius - CELSIUS_MARGIN),
  );
  return [
    ...(clock.isKnown ? [] : [problem("clock-unknown", "the clock is not known to be set")]),
    ...memoryProblems(machine, memory),
    ...smallMemory(memory, (objects?.cameras ?? 0) > 0),
    ...(isFull
      ? [problem("system-disk-full", `${megabytes(systemDisk.freeBytes)} are free on the system disk`)]
      : []),
    ...(lacksFiles
      ? [problem("system-disk-files-low", `the system disk has inodes for ${files.free} more files`)]
      : []),
    ...(hot === undefined ? [] : [problem("too-hot", `${hot.zone} has ${hot.celsius.toFixed(0)} °C`)]),
    ...(eventLoop.p99Ms > LOOP_P99_MS_MAX
      ? [problem("event-loop-late", `work was done up to ${Math.round(eventLoop.p99Ms)} ms late`)]
      : []),
    ...(motion?.isStrained === true
      ? [
          problem(
            "motion-slow",
            `motion is looked for ${motion.stretch.toFixed(1)} times less often than wanted`,
          ),
        ]
      : []),
  ];
}

function memoryProblems(machine: HealthFigures["machine"], memory: MemoryHealth): HealthProblem[] {
  const { memoryTotalBytes: total, memoryAvailableBytes: available, groupAvailableBytes: left } = machine;
  const isLow = (bytes: number | null, of: number | null): bytes is number =>
    of !== null && bytes !== null && bytes < Math.max(of * MEMORY_SHARE_MIN, MEMORY_BYTES_MIN);
  const isGroupLow = left !== null && left < Math.min(memory.limitBytes * MEMORY_SHARE_MIN, MEMORY_BYTES_MIN);
  const usedSlabs = memory.slabBytes - memory.slabIdleBytes;
  const ofSlabs = `${megabytes(usedSlabs)} of ${megabytes(memory.slabBytesMax)} for frames are in use`;
  const lostFrames = memory.leftOut.includes("frames");
  const others = memory.leftOut.filter((what) => what !== "frames");
  return [
    ...(isLow(available, total) ? [problem("memory-low", `${megabytes(available)} of memory are left`)] : []),
    ...(isGroupLow
      ? [problem("memory-low", `${megabytes(left)} of memory are left to the control group of the service`)]
      : []),
    ...(lostFrames || usedSlabs > memory.slabBytesMax * SLAB_SHARE_MAX
      ? [problem("frame-memory-low", lostFrames ? `frames of cameras were dropped: ${ofSlabs}` : ofSlabs)]
      : []),
    ...(others.length > 0
      ? [problem("memory-short", `memory is short: ${others.map((what) => SHORTAGES[what]).join("; ")}`)]
      : []),
  ];
}

/** `looks`: the detector of objects has its process, which needs some of it. */
function smallMemory(
  { limitBytes, limitedBy, neededBytes }: MemoryHealth,
  looks: boolean,
): readonly HealthProblem[] {
  if (limitBytes >= neededBytes) return [];
  const given = `the ${limitedBy} gives ${megabytes(limitBytes)} of memory`;
  const needed = `less than the ${megabytes(neededBytes)} that the service needs`;
  return [problem("memory-small", `${given}, ${needed}${looks ? " while it looks for objects" : ""}`)];
}

function replicaProblems({ problem: why }: ReplicasHealth): HealthProblem[] {
  if (why === undefined) return [];
  return [problem("replicas-not-kept", `recordings of other recorders cannot be kept: ${why}`)];
}

function partnerProblems(partner: PartnerHealth, timeUs: number): HealthProblem[] {
  const { name, isConnected, sinceUs, recordedHere, reserveProblem } = partner;
  return [
    ...(isConnected || timeUs - sinceUs < PARTNER_LOST_US_MIN
      ? []
      : [problem("partner-lost", `the partner ${name} is not heard`)]),
    ...(recordedHere === 0
      ? []
      : [
          problem(
            "recorded-for-partner",
            `${recordedHere} cameras of ${name} are recorded here, because it is silent`,
          ),
        ]),
    ...(reserveProblem === undefined
      ? []
      : [
          problem(
            "reserve-refuses",
            `the partner ${name} does not stand in for this recorder's cameras: ${reserveProblem}`,
          ),
        ]),
  ];
}

function serviceProblems(figures: HealthFigures): HealthProblem[] {
  const failing = figures.alarms.filter(({ isEnabled, isFailing }) => isEnabled && isFailing);
  const { mqtt, hub } = figures;
  return [
    ...(hub === undefined || hub.isConnected || figures.timeUs - hub.sinceUs < HUB_LOST_US_MIN
      ? []
      : [problem("hub-lost", `the recorder is not connected to its hub ${hub.hub}`)]),
    ...replicaProblems(figures.replicas),
    ...figures.partners.flatMap((partner) => partnerProblems(partner, figures.timeUs)),
    ...(mqtt === undefined || mqtt.problem === null
      ? []
      : [problem("mqtt-lost", `the MQTT broker ${mqtt.broker} cannot be used: ${mqtt.problem}`)]),
    ...failing.map(({ name, problem: why }) =>
      problem("alarm-failing", `alarms do not reach ${name}${why === undefined ? "" : `: ${why}`}`),
    ),
    ...awayProblems(figures),
    ...figures.listenerProblems.map(listenerProblem),
    ...certificateProblems(figures),
    ...bucketProblems(figures),
    ...endProblems(figures),
  ];
}

function awayProblems({ away }: HealthFigures): HealthProblem[] {
  return away.flatMap(({ name, failingUs = 0, problem: why }) => {
    if (failingUs < AWAY_FAILING_US_MIN) return [];
    const hours = Math.floor(failingUs / US_PER_HOUR);
    const since = hours === 1 ? "an hour" : `${hours} hours`;
    const because = why === undefined ? "" : `: ${why}`;
    return [problem("away-failing", `no recordings have gone to the target ${name} for ${since}${because}`)];
  });
}

function listenerProblem({ name, isShut, reason }: ListenerHealth): HealthProblem {
  return isShut
    ? problem("port-shut", `nobody can connect over ${name}: ${reason}`)
    : problem("certificate-not-used", `${name} has its former certificate: ${reason}`);
}

function certificateProblems({ api: { certificateProblem } }: HealthFigures): HealthProblem[] {
  return certificateProblem === undefined ? [] : [problem("certificate-not-renewed", certificateProblem)];
}

function bucketProblems({ bucket }: HealthFigures): HealthProblem[] {
  if (bucket?.problem === undefined) return [];
  return [problem("bucket-failing", `the bucket ${bucket.name} cannot be read: ${bucket.problem}`)];
}

function endProblems({ runs, timeUs }: HealthFigures): HealthProblem[] {
  const sinceMs = timeUs / 1000 - UNCLEAN_WINDOW_MS;
  const recent = runs.filter((run) => run.aliveMs >= sinceMs && isUncleanRun(run));
  if (recent.length < UNCLEAN_ENDS_MAX) return [];
  return [
    problem("ends-unclean", `the service ended ${recent.length} times out of order in the last 24 hours`),
  ];
}

/** A power cut is not a fault of the service. */
function isUncleanRun({ end }: Run): boolean {
  return end !== null && isUnclean(end.kind) && end.kind !== "power-lost";
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
