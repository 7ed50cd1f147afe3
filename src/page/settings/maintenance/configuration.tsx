import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Dialog } from "../../control/dialog.js";
import { Fault } from "../../control/fault.js";
import { FileButton } from "../../control/file-button.js";
import { errorWords, say, sayError } from "../../control/notice.js";
import { locale } from "../../state/locale.js";
import { at } from "../../state/place.js";
import { useRead } from "../../state/reading.js";
import { timeFormat } from "../../state/time-format.js";
import { commonWords } from "../../words/common.js";
import { maintenanceWords } from "../../words/settings/maintenance.js";
import {
  CONFIGURATION,
  importConfiguration,
  type Revision,
  readRevisions,
  revert,
  type WholeChange,
} from "./model.js";

/** Longer, the recorder refuses it. */
const FILE_BYTES_MAX = 1_000_000;
/** So many changes are shown before the rest is asked for. */
const SHOWN_FIRST = 5;

/** A change that is looked at before it is made. */
interface Proposal {
  readonly title: string;
  readonly change: WholeChange;
  readonly make: () => Promise<WholeChange>;
}

/** The configuration as a file, and what was changed by whom; each change is shown before it is made. */
export function Configuration() {
  const words = maintenanceWords();
  const revisions = useSignal<readonly Revision[]>([]);
  const proposal = useSignal<Proposal | undefined>(undefined);
  const read = async (): Promise<void> => {
    revisions.value = await readRevisions();
  };
  useRead(read, sayError);
  const propose = async (title: string, ask: (isDryRun: boolean) => Promise<WholeChange>): Promise<void> => {
    proposal.value = { title, change: await ask(true), make: () => ask(false) };
  };
  const load = async (file: File): Promise<void> => {
    if (file.size > FILE_BYTES_MAX) return say(words.noConfiguration, true);
    const document = parsed(await file.text());
    if (document === undefined) return say(words.noConfiguration, true);
    await propose(words.importTitle(file.name), (isDryRun) => importConfiguration(document, isDryRun));
  };
  return (
    <article class="card">
      <h3>{words.configuration}</h3>
      <p>{words.configurationWhy}</p>
      <div class="edit-buttons">
        <a class="button" href={at(CONFIGURATION)} download="nvrd-configuration.json">
          {words.exportButton}
        </a>
        <FileButton
          label={words.importButton}
          accept=".json"
          onFile={(file) => void load(file).catch(sayError)}
        />
      </div>
      <History
        revisions={revisions.value}
        onRevert={({ Revision: number, Time }) =>
          void propose(words.revertTitle(momentOf(Time)), (isDryRun) => revert(number, isDryRun)).catch(
            sayError,
          )
        }
      />
      {proposal.value !== undefined && (
        <ProposalDialog
          proposal={proposal.value}
          onMade={() => void read().catch(sayError)}
          onClose={() => (proposal.value = undefined)}
        />
      )}
    </article>
  );
}

interface HistoryProps {
  readonly revisions: readonly Revision[];
  readonly onRevert: (revision: Revision) => void;
}

function History({ revisions, onRevert }: HistoryProps) {
  const words = maintenanceWords();
  const isWhole = useSignal(false);
  const shown = isWhole.value ? revisions : revisions.slice(0, SHOWN_FIRST);
  return (
    <>
      <h4>{words.history}</h4>
      <ol class="revision-list" aria-label={words.history}>
        {shown.map((revision) => {
          const { Revision: number, Time, By, Summary, IsCurrent } = revision;
          return (
            <li key={number}>
              <div>
                <p class="hint">{`${momentOf(Time)} · ${By ?? words.byRecorder}`}</p>
                <p>{Summary}</p>
              </div>
              {IsCurrent ? (
                <span class="hint">{words.current}</span>
              ) : (
                <Button label={words.revertNamed(momentOf(Time))} onClick={() => onRevert(revision)}>
                  {words.revert}
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      {shown.length < revisions.length && (
        <div class="edit-buttons">
          <Button onClick={() => (isWhole.value = true)}>{words.wholeHistory}</Button>
        </div>
      )}
    </>
  );
}

interface ProposalDialogProps {
  readonly proposal: Proposal;
  readonly onMade: () => void;
  readonly onClose: () => void;
}

function ProposalDialog({ proposal, onMade, onClose }: ProposalDialogProps) {
  const words = maintenanceWords();
  const fault = useSignal("");
  const { title, change, make } = proposal;
  const begin = async (): Promise<void> => {
    try {
      await make();
      say(words.changed);
      onMade();
      onClose();
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="edit-form">
        <p>{change.IsChanged ? words.wouldChange : words.wouldChangeNothing}</p>
        {change.IsChanged && (
          <ul class="change-list">
            {[...change.Summary.split("; "), ...change.Notes].map((line) => (
              <li key={line} lang="en">
                {line}
              </li>
            ))}
          </ul>
        )}
        <Fault text={fault.value} />
        <div class="edit-buttons">
          {change.IsChanged && (
            <Button kind="danger" onClick={() => void begin()}>
              {words.changeNow}
            </Button>
          )}
          <Button onClick={onClose}>{change.IsChanged ? commonWords().cancel : commonWords().close}</Button>
        </div>
      </div>
    </Dialog>
  );
}

function momentOf(time: string | null): string {
  if (time === null) return maintenanceWords().unknownTime;
  return timeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" }).format(Date.parse(time));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // the file is something else
  }
}
