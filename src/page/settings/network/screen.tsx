import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Network, NetworkInterface } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { sayError } from "../../control/notice.js";
import { commonWords } from "../../words/common.js";
import { networkWords } from "../../words/settings/network.js";
import { BoxForm } from "./box-form.js";
import { InterfaceForm } from "./interface-form.js";
import { findTrial, keptTrial, trialEnd } from "./kept-trial.js";
import { network, readNetwork } from "./model.js";
import { TrialEndPanel, TrialPanel } from "./trial-panel.js";

/** The box's own network: its ports as they are, changes on trial, name and time zone. */
export function NetworkSection() {
  const words = networkWords();
  const edited = useSignal<NetworkInterface | undefined>(undefined);
  useEffect(() => {
    findTrial();
    void readNetwork().catch(sayError);
  }, []);
  const state = network.value;
  const trial = keptTrial.value;
  const end = trialEnd.value;
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      {trial !== undefined && <TrialPanel key={trial.token} trial={trial} />}
      {trial === undefined && end !== undefined && <TrialEndPanel end={end} />}
      {state === undefined && trial === undefined && <p class="quiet">{commonWords().loading}</p>}
      {state !== undefined && (
        <Ports state={state} isBusy={trial !== undefined} onEdit={(port) => (edited.value = port)} />
      )}
      {state?.CanChange === true && trial === undefined && (
        <BoxForm key={state.Name + state.TimeZone} state={state} />
      )}
      {edited.value !== undefined && state !== undefined && (
        <InterfaceForm port={edited.value} boxName={state.Name} onClose={() => (edited.value = undefined)} />
      )}
    </section>
  );
}

interface PortsProps {
  readonly state: Network;
  /** A trial of this page runs. */
  readonly isBusy: boolean;
  readonly onEdit: (port: NetworkInterface) => void;
}

function Ports({ state, isBusy, onEdit }: PortsProps) {
  const words = networkWords();
  const isElsewhere = state.Trial !== null && !isBusy;
  return (
    <>
      {state.Reason !== null && <p class="hint">{words.noKeeper}</p>}
      {isElsewhere && <p role="status">{words.elsewhere}</p>}
      {state.Interfaces.map((port) => (
        <PortCard
          key={port.Name}
          port={port}
          onEdit={
            state.CanChange && port.CanChange && !isBusy && !isElsewhere ? () => onEdit(port) : undefined
          }
        />
      ))}
    </>
  );
}

interface PortCardProps {
  readonly port: NetworkInterface;
  /** Undefined: it cannot be changed. */
  readonly onEdit: (() => void) | undefined;
}

function PortCard({ port, onEdit }: PortCardProps) {
  const words = networkWords();
  const addresses = port.Addresses.map(({ Address, Origin }) => `${Address} (${words.origin[Origin]})`);
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [words.addresses, addresses.length === 0 ? [words.noAddress] : addresses],
    [words.gateway, port.Gateways],
    [words.dns, port.Dns],
    [words.ntp, port.Ntp],
    [words.mac, [port.Mac]],
    [words.configuredBy, port.ConfiguredBy === "nobody" ? [] : [port.ConfiguredBy]],
  ];
  return (
    <article class="card port-card">
      <header>
        <h3>{words.port(port.Name)}</h3>
        {onEdit !== undefined && (
          <Button label={words.changeNamed(port.Name)} onClick={onEdit}>
            {words.change}
          </Button>
        )}
      </header>
      <p>{port.HasLink ? words.link(port.SpeedMbps, port.IsFullDuplex) : words.noLink}</p>
      <dl>
        {rows
          .filter(([, values]) => values.length > 0)
          .map(([name, values]) => (
            <div key={name}>
              <dt>{name}</dt>
              {values.map((value) => (
                <dd key={value}>{value}</dd>
              ))}
            </div>
          ))}
      </dl>
      {(port.Reason !== null || network.value?.Reason != null) && (
        <p class="hint">{words.elsewhereBy[port.ConfiguredBy]}</p>
      )}
    </article>
  );
}
