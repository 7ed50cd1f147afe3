import {
  brokenInvariants,
  INVARIANTS,
  type InvariantCode,
  MS_PER_SECOND,
  US_PER_SECOND,
} from "../../base/index.js";
import { RUN_ENDS } from "../../contract/answer/index.js";
import { healthProblems, type ProblemSeverity } from "../report/health-problems.js";
import { counter, gauge, known, type MetricDefinition, oneCounter, oneGauge, type Sample } from "./metric.js";

const INVARIANT_CODES = Object.keys(INVARIANTS) as InvariantCode[];
const SEVERITIES: readonly ProblemSeverity[] = ["error", "warning"];

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / MS_PER_SECOND;
}

/** One series a name: two targets of one name count together. */
function byTarget(values: readonly (readonly [name: string, value: number])[]): readonly Sample[] {
  const sums = new Map<string, number>();
  for (const [name, value] of values) sums.set(name, (sums.get(name) ?? 0) + value);
  return [...sums].map(([target, value]) => [value, { target }] as const);
}

function byPartner(values: readonly (readonly [name: string, value: number])[]): readonly Sample[] {
  return byTarget(values).map(([value, labels]) => [value, { partner: labels?.target ?? "" }] as const);
}

/** Metrics of the process, under the names that Prometheus' own client libraries give them. */
export const PROCESS_METRICS: readonly MetricDefinition[] = [
  oneCounter(
    "process_cpu_seconds_total",
    "Processor time of all threads of the service.",
    ({ cpuSeconds }) => cpuSeconds,
  ),
  oneGauge(
    "process_start_time_seconds",
    "When this run of the service began, Unix time.",
    ({ timeUs, uptimeSeconds }) => Math.round(timeUs / US_PER_SECOND) - uptimeSeconds,
  ),
  oneGauge(
    "process_resident_memory_bytes",
    "Memory of the service that is in RAM.",
    ({ memory }) => memory.rssBytes,
  ),
  oneGauge("process_open_fds", "Files and sockets that are open.", ({ machine }) => machine.openFiles),
  oneGauge(
    "nodejs_heap_size_used_bytes",
    "Used bytes of the JavaScript heap.",
    ({ memory }) => memory.heapUsedBytes,
  ),
  oneGauge(
    "nodejs_heap_size_total_bytes",
    "Bytes of the JavaScript heap.",
    ({ memory }) => memory.heapTotalBytes,
  ),
  oneGauge(
    "nodejs_heap_size_limit_bytes",
    "Most bytes of the JavaScript heap.",
    ({ memory }) => memory.heapBytesMax,
  ),
  oneGauge(
    "nodejs_external_memory_bytes",
    "Memory of native objects that JavaScript holds.",
    ({ memory }) => memory.externalBytes,
  ),
  oneGauge(
    "nodejs_array_buffer_bytes",
    "Memory of buffers that JavaScript holds, a part of the above.",
    ({ memory }) => memory.arrayBufferBytes,
  ),
];

/** Metrics of the recorder's own detector of objects; none before it is there. */
export const OBJECT_METRICS: readonly MetricDefinition[] = [
  oneGauge(
    "nvrd_objects_cameras",
    "Cameras that are looked at for objects where something moves.",
    ({ objects }) => objects?.cameras,
  ),
  oneGauge(
    "nvrd_objects_ready",
    "1 while the detector of objects can look.",
    ({ objects }) => objects?.isReady,
  ),
  oneGauge(
    "nvrd_objects_looks_per_second",
    "Looks at pictures, in the last ten seconds.",
    ({ objects }) => objects?.looksNow,
  ),
  oneGauge(
    "nvrd_objects_looks_wanted_per_second",
    "Looks that cameras would take now.",
    ({ objects }) => objects?.looksWanted,
  ),
  oneGauge(
    "nvrd_objects_looks_possible_per_second",
    "Looks that the machine does.",
    ({ objects }) => objects?.looksPossible,
  ),
  oneGauge(
    "nvrd_objects_decoding_stretch_ratio",
    "How many times further apart pictures for looks are than wanted, because decoding them has its share.",
    ({ objects }) => objects?.decodingStretch,
  ),
  oneGauge("nvrd_objects_late_seconds", "How much later than wanted looks are.", ({ objects }) =>
    seconds(objects?.lateMs ?? null),
  ),
  oneGauge("nvrd_objects_look_seconds", "Mean time of a look.", ({ objects }) =>
    seconds(objects?.lookMs ?? null),
  ),
  oneCounter("nvrd_objects_looks_total", "Looks since the start.", ({ objects }) => objects?.looks),
  oneCounter(
    "nvrd_objects_failures_total",
    "Looks that failed, and pictures for them that could not be decoded.",
    ({ objects }) => objects?.failures,
  ),
  oneCounter(
    "nvrd_objects_restarts_total",
    "Starts of the detector's process after a failure.",
    ({ objects }) => objects?.restarts,
  ),
];

/** Metrics of the service and its machine. */
export const SERVICE_METRICS: readonly MetricDefinition[] = [
  gauge(
    "nvrd_info",
    "Always 1; the versions as labels.",
    ["version", "commit", "node", "libav", "kernel"],
    ({ versions: { nvrd, commit, node, libav, kernel } }) => [
      [1, { version: nvrd, commit, node, libav: libav ?? "", kernel }],
    ],
  ),
  gauge("nvrd_problems", "What is wrong now, by severity: error, warning.", ["severity"], (figures) => {
    const problems = healthProblems(figures);
    return SEVERITIES.map((severity) => [
      problems.filter((problem) => problem.severity === severity).length,
      { severity },
    ]);
  }),
  oneGauge("nvrd_frame_memory_bytes", "Memory for frames in use.", ({ memory }) => memory.slabBytes),
  oneGauge(
    "nvrd_frame_memory_idle_bytes",
    "Memory for frames that is allocated and free.",
    ({ memory }) => memory.slabIdleBytes,
  ),
  oneGauge(
    "nvrd_frame_memory_bytes_max",
    "Limit of the memory for frames.",
    ({ memory }) => memory.slabBytesMax,
  ),
  gauge(
    "nvrd_event_loop_delay_seconds",
    "How late due work was done, in the worst of the last five minutes: median, p99 (99th percentile) and max.",
    ["statistic"],
    ({ eventLoop: { p50Ms, p99Ms, maxMs } }) => [
      ...known(seconds(p50Ms), { statistic: "median" }),
      ...known(seconds(p99Ms), { statistic: "p99" }),
      ...known(seconds(maxMs), { statistic: "max" }),
    ],
  ),
  oneGauge(
    "nvrd_event_loop_busy_ratio",
    "Share of the time in which the event loop was at work, since the last full minute.",
    ({ eventLoop }) => eventLoop.busyShare,
  ),
  counter(
    "nvrd_broken_invariants_total",
    "Faults in nvrd that stopped a stream or a segment, by invariant.",
    ["invariant"],
    () => {
      const broken = brokenInvariants();
      return INVARIANT_CODES.map((invariant) => [broken.get(invariant) ?? 0, { invariant }] as const);
    },
  ),
  counter(
    "nvrd_gc_seconds_total",
    "Time of garbage collection by kind (minor, major, incremental, weak), since the first request for metrics.",
    ["kind"],
    ({ gc }) => gc.map(({ kind, seconds: spent }) => [spent, { kind }] as const),
  ),
  counter(
    "nvrd_gc_runs_total",
    "Garbage collections by kind, since the first request for metrics.",
    ["kind"],
    ({ gc }) => gc.map(({ kind, runs }) => [runs, { kind }] as const),
  ),
  counter(
    "nvrd_http_requests_total",
    "Answers of the API; route as /openapi.json spells it, other where there is none, status 0 where the client left first.",
    ["method", "route", "status"],
    ({ api }) =>
      api.requests.map(
        ({ method, route, status, count }) => [count, { method, route, status: String(status) }] as const,
      ),
  ),
  oneGauge(
    "nvrd_http_open_streams",
    "Open viewers, listeners, exports and listings, RTSP included; at most 512.",
    ({ api }) => api.openStreams,
  ),
  gauge(
    "nvrd_viewers",
    "Who watches or downloads now, over video, mobile, hls, socket, rtsp or export, by source: live, recorded.",
    ["over", "source"],
    ({ api }) => api.viewers.map(({ over, source, now }) => [now, { over, source }] as const),
  ),
  counter(
    "nvrd_viewers_total",
    "Who has watched or downloaded, by way and source as above; over rtsp each PLAY counts, single pictures do not.",
    ["over", "source"],
    ({ api }) => api.viewers.map(({ over, source, sinceStart }) => [sinceStart, { over, source }] as const),
  ),
  oneGauge(
    "nvrd_live_socket_clients",
    "Open connections of the live socket.",
    ({ api }) => api.liveSocket.clients,
  ),
  gauge(
    "nvrd_live_socket_watches",
    "Subscriptions of the live socket's clients, by source: live, recorded.",
    ["source"],
    ({ api: { liveSocket } }) => [
      [liveSocket.liveWatches, { source: "live" }],
      [liveSocket.recordedWatches, { source: "recorded" }],
    ],
  ),
  gauge(
    "nvrd_live_socket_streams",
    "Live streams that the live socket sends, each built once for all who watch it; transcoded yes: as H.264 for clients that do not play what the camera sends.",
    ["transcoded"],
    ({ api: { liveSocket } }) => [
      [liveSocket.streams, { transcoded: "no" }],
      [liveSocket.transcodedStreams, { transcoded: "yes" }],
    ],
  ),
  oneCounter(
    "nvrd_live_socket_dropped_pictures_total",
    "Live pictures left out for clients of the live socket that were behind.",
    ({ api }) => api.liveSocket.leftOut,
  ),
  oneGauge(
    "nvrd_live_socket_waiting_bytes",
    "Bytes that wait in the service for clients of the live socket.",
    ({ api }) => api.liveSocket.waitingBytes,
  ),
  oneGauge("nvrd_event_listeners", "Clients that listen on /event.", ({ api }) => api.eventListeners),
  oneCounter(
    "nvrd_events_not_sent_total",
    "Events not sent to clients of /event that were too slow.",
    ({ api }) => api.eventsNotSent,
  ),
  gauge(
    "nvrd_replica_used_bytes",
    "What is kept here of another recorder, as far as it is counted.",
    ["partner"],
    ({ replicas }) => byPartner(replicas.shares.map(({ name, usedBytes }) => [name, usedBytes])),
  ),
  gauge(
    "nvrd_replica_share_bytes",
    "What another recorder may use of a disk here.",
    ["partner"],
    ({ replicas }) => byPartner(replicas.shares.map(({ name, bytesMax }) => [name, bytesMax])),
  ),
  gauge("nvrd_partner_connected", "1 while the partner is heard.", ["partner"], ({ partners }) =>
    byPartner(partners.map(({ name, isConnected }) => [name, Number(isConnected)])),
  ),
  gauge(
    "nvrd_partner_cameras_recorded",
    "Cameras of the partner that are recorded here, because it is silent.",
    ["partner"],
    ({ partners }) => byPartner(partners.map(({ name, recordedHere }) => [name, recordedHere])),
  ),
  gauge("nvrd_alarm_target_failing", "1 while messages to the alarm target fail.", ["target"], ({ alarms }) =>
    byTarget(alarms.map(({ name, isFailing }) => [name, Number(isFailing)])),
  ),
  gauge(
    "nvrd_alarm_target_waiting_events",
    "Events that wait to be sent to the alarm target.",
    ["target"],
    ({ alarms }) => byTarget(alarms.map(({ name, waitingEvents }) => [name, waitingEvents])),
  ),
  oneGauge("nvrd_transcodes", "Transcodes that are under way.", ({ transcodes }) => transcodes),
  oneGauge("nvrd_clock_known", "1 once the clock is known to be set.", ({ clock }) => clock.isKnown),
  oneGauge(
    "nvrd_clock_synchronized",
    "1 while a time server disciplines the clock.",
    ({ clock }) => clock.isSynchronized,
  ),
  oneGauge("nvrd_clock_error_max_seconds", "The kernel's bound on the clock's error.", ({ clock }) =>
    seconds(clock.errorMaxMs),
  ),
  oneCounter(
    "nvrd_clock_steps_total",
    "Steps of the clock by more than a second.",
    ({ clock }) => clock.steps,
  ),
  gauge(
    "nvrd_runs_ended",
    "How the last runs of the service ended, of 20 at the most, by end: stopped, updated, failed, crashed, killed, power-lost.",
    ["end"],
    ({ runs }) =>
      RUN_ENDS.map((end) => [runs.filter((run) => run.end?.kind === end).length, { end }] as const),
  ),
  oneGauge("nvrd_machine_memory_bytes", "Memory of the machine.", ({ machine }) => machine.memoryTotalBytes),
  oneGauge(
    "nvrd_machine_memory_available_bytes",
    "Memory that programs can still have.",
    ({ machine }) => machine.memoryAvailableBytes,
  ),
  gauge(
    "nvrd_machine_load",
    "Processes that run or wait, averaged over 1, 5 and 15 minutes.",
    ["minutes"],
    ({ machine: { load } }) =>
      load === null
        ? []
        : (["1", "5", "15"] as const).map((minutes, at) => [load[at] ?? 0, { minutes }] as const),
  ),
  oneGauge(
    "nvrd_machine_uptime_seconds",
    "Time since the machine booted.",
    ({ machine }) => machine.uptimeSeconds,
  ),
  gauge(
    "nvrd_machine_temperature_celsius",
    "Temperature of a thermal zone of the kernel.",
    ["zone"],
    ({ machine }) =>
      [...new Map(machine.temperatures.map(({ zone, celsius }) => [zone, celsius]))].map(
        ([zone, celsius]) => [celsius, { zone }] as const,
      ),
  ),
  oneGauge(
    "nvrd_system_disk_size_bytes",
    "Size of the file system of the data directory.",
    ({ machine }) => machine.systemDisk?.totalBytes,
  ),
  oneGauge(
    "nvrd_system_disk_free_bytes",
    "Free bytes of the file system of the data directory.",
    ({ machine }) => machine.systemDisk?.freeBytes,
  ),
  oneGauge(
    "nvrd_system_disk_free_files",
    "Files that the file system of the data directory has free inodes for; absent where it sets no limit.",
    ({ machine }) => machine.systemDisk?.files?.free,
  ),
];
