import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { cameraConnection as connection } from "../../contract/index.js";
import { Button } from "../control/button.js";
import { Field, PasswordField } from "../control/field.js";
import { errorWords } from "../control/notice.js";
import { requestJson } from "../state/request.js";
import { findingWords } from "../words/finding.js";
import { addTable, foundNothing, isAdding, isScanning, scan } from "./camera-work.js";
import { type StreamAddress, streamAddressOf } from "./stream-address.js";

const ADDRESS_LENGTH_MAX = 256;

export interface MoreCamerasProps {
  /** Takes the address of a stream to where one is added; undefined: not on this screen. */
  readonly onStream?: (stream: StreamAddress) => void;
}

/** Cameras that do not answer a scan: by their address, or from a table. */
export function MoreCameras({ onStream }: MoreCamerasProps) {
  const words = findingWords();
  const address = useSignal("");
  const isStream = useSignal(false);
  const look = (event: Event): void => {
    event.preventDefault();
    const stream = streamAddressOf(address.value);
    isStream.value = stream !== undefined;
    if (stream === undefined) void scan(address.value.trim());
    else if (onStream !== undefined) {
      onStream(stream);
      address.value = "";
      isStream.value = false;
    }
  };
  return (
    <>
      <details class="card finding-more">
        <summary>{words.byAddress}</summary>
        <form onSubmit={look}>
          <Field
            label={words.address}
            text={address}
            hint={words.addressHint}
            maxLength={ADDRESS_LENGTH_MAX}
            required
          />
          <p class="fault" role="alert">
            {isStream.value ? words.isStream : foundNothing.value && words.nothingThere}
          </p>
          <Button type="submit" disabled={isScanning.value}>
            {words.look}
          </Button>
        </form>
      </details>
      <details class="card finding-more">
        <summary>{words.byTable}</summary>
        <TableImport />
      </details>
    </>
  );
}

interface Fault {
  readonly Line: number;
  readonly Code: keyof ReturnType<typeof findingWords>["faults"];
}

interface Preview {
  readonly Faults: readonly Fault[];
  readonly Cameras: readonly {
    readonly Line: number;
    readonly Name: string;
    readonly Address: string;
    readonly Faults: readonly Fault[];
  }[];
}

/** A table is read by the recorder, which says what is wrong with each line; nothing is added before all is well. */
function TableImport() {
  const words = findingWords();
  const id = useId();
  const [csv, login, password] = [useSignal(""), useSignal(""), useSignal("")];
  const fault = useSignal("");
  const preview = useSignal<Preview | undefined>(undefined);
  const read = async (file: File | undefined): Promise<void> => {
    preview.value = undefined;
    fault.value = "";
    if (file === undefined) return;
    try {
      csv.value = await file.text();
      preview.value = await requestJson<Preview>("/configure/discovery/csv", {
        method: "POST",
        body: { Csv: csv.value, Login: login.value, Password: password.value },
      });
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  const { value } = preview;
  const faults = [...(value?.Faults ?? []), ...(value?.Cameras.flatMap((camera) => camera.Faults) ?? [])];
  const count = value?.Cameras.length ?? 0;
  return (
    <div class="finding-part">
      <div class="field">
        <label for={id}>{words.table}</label>
        <input
          id={id}
          type="file"
          accept=".csv,text/csv,text/plain"
          aria-describedby={`${id}-hint`}
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
        <p class="hint" id={`${id}-hint`}>
          {words.tableHint}
        </p>
      </div>
      <p class="fault" role="alert">
        {fault.value}
        {faults.length > 0 && words.tableFaults}
      </p>
      {faults.length > 0 && (
        <ul class="table-faults">
          {faults.map(({ Line, Code }) => (
            <li key={`${Line} ${Code}`}>
              <strong>{words.line(Line)}</strong> {words.faults[Code]}
            </li>
          ))}
        </ul>
      )}
      {value !== undefined && faults.length === 0 && (
        <>
          <p role="status">{words.tableFine(count)}</p>
          <Field
            label={words.tableLogin}
            text={login}
            autocomplete="off"
            hint={words.tableLoginHint}
            maxLength={connection.Login.max}
          />
          <PasswordField
            label={words.tablePassword}
            text={password}
            autocomplete="off"
            maxLength={connection.Password.max}
          />
          <Button
            disabled={isAdding.value}
            onClick={() => void addTable(csv.value, login.value, password.value)}
          >
            {words.addCount(count)}
          </Button>
        </>
      )}
    </div>
  );
}
