import { EMPTY_GUID, type Guid, parseGuid } from "../../base/index.js";
import { type DeviceModel, deviceModel } from "../../camera/index.js";
import {
  cameraAnalysis,
  cameraArchive,
  cameraConnection,
  laterOf,
  externalPort as mappedPort,
  OBJECT_LINE_LENGTH_MIN,
  objectScore,
  without,
} from "../../contract/index.js";
import { readMotionZones } from "../../recording/index.js";
import { type BodyReader, readMember, readMembers } from "../../route/index.js";
import type { CameraOptions, ExternalPort, ObjectChoice, ServerBindings } from "../../site/index.js";
import { warnOfSwitches } from "./model-switches.js";

const GUID_LENGTH_MAX = 64;
const PORTS_MAX = cameraConnection.ExternalNetworkPorts.max;

/** The sections of a camera object that hold its options. */
export interface OptionSections {
  readonly connection: BodyReader;
  readonly archive: BodyReader;
  readonly analyze: BodyReader;
  readonly servers: BodyReader;
  /** The present settings, or the defaults; absent or null members keep these values. */
  readonly before: Required<CameraOptions>;
  /** The camera's model and server. */
  readonly modelId: Guid;
  readonly serverId: Guid;
}

/**
 * Reads the options. Reports only malformed values, and values that are impossible for this server and its camera
 * models.
 */
export function readCameraOptions(sections: OptionSections): Required<CameraOptions> {
  const { before } = sections;
  const model = deviceModel(sections.modelId);
  return {
    connection: readConnection(sections.connection, before.connection, model),
    archive: readMembers(sections.archive, laterOf(cameraArchive), before.archive),
    analyze: readAnalyze(sections.analyze, before.analyze),
    servers: readServers(sections.servers, before.servers, sections.serverId),
  };
}

function readServers(reader: BodyReader, before: ServerBindings, serverId: Guid): ServerBindings {
  const server = (name: string, known: Guid | null): Guid | null => {
    const text = reader.text(name, GUID_LENGTH_MAX);
    if (reader.isNull(name) || text === "" || text === EMPTY_GUID) return null;
    if (text === undefined) return known;
    const id = parseGuid(text);
    if (id === serverId) reader.fault(name, "is this server: send another one, or null");
    return id ?? reader.fault(name, "must be a server's id, or null") ?? known;
  };
  return {
    reservedServerId: server("ReservedServerId", before.reservedServerId),
    replicationServerId: server("ReplicationServerId", before.replicationServerId),
  };
}

const CONNECTION = without(laterOf(cameraConnection), "ExternalNetworkPorts");

function readConnection(
  reader: BodyReader,
  before: CameraOptions["connection"],
  model: DeviceModel | undefined,
): CameraOptions["connection"] {
  warnOfSwitches(reader, model);
  return {
    ...readMembers(reader, CONNECTION, before),
    externalPorts: readPorts(reader, model) ?? before.externalPorts,
  };
}

/** A list replaces the present one. */
function readPorts(reader: BodyReader, model: DeviceModel | undefined): readonly ExternalPort[] | undefined {
  if (reader.value("ExternalNetworkPorts") === undefined) return undefined;
  const ports = new Map<number, ExternalPort>();
  for (const item of reader.children("ExternalNetworkPorts", PORTS_MAX)) {
    const integratedPort = readMember(item, mappedPort, "DefaultPortValue");
    const externalPort = readMember(item, mappedPort, "PortValue");
    for (const name of ["DefaultPortValue", "PortValue"]) {
      if (item.value(name) === undefined) item.fault(name, "is required: send both ports");
    }
    if (integratedPort === undefined || externalPort === undefined) continue;
    const modelPorts = model?.defaultPorts ?? [];
    if (modelPorts.length > 0 && !modelPorts.includes(integratedPort)) {
      item.fault("DefaultPortValue", `is the model's and must not be changed: ${modelPorts.join(", ")}`);
    }
    if (ports.has(integratedPort)) item.fault("DefaultPortValue", "occurs twice in the list");
    ports.set(integratedPort, { integratedPort, externalPort });
  }
  return [...ports.values()];
}

/** What depends on another member. */
function checkObjects(reader: BodyReader, objects: ObjectChoice | null | undefined): void {
  if (objects === null || objects === undefined) return;
  const at = "ObjectDetectionSettings";
  if (objects.minSize > objects.maxSize) reader.fault(`${at}.MinSize`, "at most MaxSize");
  for (const [index, { minSize, maxSize }] of objects.scores.entries())
    if ((minSize ?? objectScore.MinSize.default) > (maxSize ?? objectScore.MaxSize.default))
      reader.fault(`${at}.Scores[${index}].MinSize`, "at most MaxSize");
  for (const [index, { fromX, fromY, toX, toY }] of objects.lines.entries())
    if (Math.hypot(toX - fromX, toY - fromY) < OBJECT_LINE_LENGTH_MIN)
      reader.fault(`${at}.Lines[${index}]`, `at least ${OBJECT_LINE_LENGTH_MIN} of the picture long`);
  for (const name of repeated(objects.lines.map((line) => line.name)))
    reader.fault(`${at}.Lines`, `two lines have the name ${name}: give each a name of its own`);
  for (const kind of repeated(objects.scores.map((score) => score.kind)))
    reader.fault(`${at}.Scores`, `${kind} occurs twice`);
}

function repeated(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

function readAnalyze(reader: BodyReader, before: CameraOptions["analyze"]): CameraOptions["analyze"] {
  const analyze = readMembers(reader, laterOf(cameraAnalysis), before);
  checkObjects(reader, analyze.objects);
  const zones = analyze.motionDetector?.zonesJson ?? null;
  // What is kept already passes: a program that sends whole camera objects sends the zones of older versions, too.
  if (zones === null || zones === (before.motionDetector?.zonesJson ?? null)) return analyze;
  for (const { at, accepted } of readMotionZones(JSON.parse(zones)).faults)
    reader.fault(`MotionDetectorSettings.Zones${at}`, accepted);
  return analyze;
}
