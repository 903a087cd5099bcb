import type { CommandExit, CommandOutput } from '../../core/command.js';
import { columnsOf, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import type { SentResponse } from '../wire/response.js';
import { authorizationMetadataFaults } from './authorization-metadata.js';
import { callbackFaults } from './callback.js';
import { challengeFaults } from './challenge.js';
import { companyFaults } from './company.js';
import { dpopFaults } from './dpop.js';
import type { Exchange, Fault } from './fault.js';
import { insistingFaults } from './insisting.js';
import { newerEraFaults } from './newer-era.js';
import { refreshFaults } from './refresh.js';
import { pushedFaults, registrationFaults } from './registration.js';
import { resourceMetadataFaults } from './resource-metadata.js';
import { serverFaults } from './server.js';
import { tokenFaults } from './token.js';
import { upstreamFaults } from './upstream.js';
import { workloadFaults } from './workload.js';

/** What is attacked, in the order of a login, and the faults there. */
const groups: readonly (readonly [about: string, faults: () => readonly Fault[]])[] = [
  ['The challenge (401)', challengeFaults],
  ['Protected resource metadata (RFC 9728)', resourceMetadataFaults],
  ['Authorization server metadata (RFC 8414)', authorizationMetadataFaults],
  ['Client registration (RFC 7591)', registrationFaults],
  ['Pushed authorization requests (RFC 9126)', pushedFaults],
  ['What it insists on', insistingFaults],
  ['The answer to the callback', callbackFaults],
  ['The token endpoint', tokenFaults],
  ['Refresh', refreshFaults],
  ['The platform of a workload (RFC 7523)', workloadFaults],
  ['Tokens bound to a key (RFC 9449), with --dpop', dpopFaults],
  ['The provider of a company (ID-JAG)', companyFaults],
  ['The protected server, asked with a token', serverFaults],
  ['The protected server, in revision 2026-07-28', newerEraFaults],
  ['The service behind the server', upstreamFaults],
];

/** Every fault there is, with counters of its own at zero. */
function allFaults(): readonly Fault[] {
  return groups.flatMap(([, faults]) => faults());
}

/** One fault as `postern sandbox --misbehave list` shows it. */
export interface ListedFault {
  readonly name: string;
  /** What is done wrong. */
  readonly what: string;
  /** Where, for a person. */
  readonly group: string;
}

/** Each name once, in the order of a login. */
export function listFaults(): readonly ListedFault[] {
  const seen = new Map<string, ListedFault>();
  for (const [group, faults] of groups) {
    for (const { name, what } of faults()) if (!seen.has(name)) seen.set(name, { name, what, group });
  }
  return [...seen.values()];
}

/** The faults that are switched on now. */
export class ActiveFaults {
  #active: readonly Fault[] = [];

  /** @throws RangeError for a name that is not in the table */
  constructor(names: readonly string[]) {
    this.set(names);
  }

  /** Replaces the faults that are on; their counters begin anew. @throws RangeError as the constructor */
  set(names: readonly string[]): void {
    const table = allFaults();
    const unknown = names.find((name) => !table.some((fault) => fault.name === name));
    if (unknown !== undefined) throw new RangeError(`there is no fault named ${unknown}`);
    this.#active = table.filter((fault) => names.includes(fault.name));
  }

  isOn(name: string): boolean {
    return this.#active.some((fault) => fault.name === name);
  }

  /** The response that a fault gives before the request is looked at. */
  instead(exchange: Exchange): SentResponse | undefined {
    for (const fault of this.#active) {
      const response = fault.instead?.(exchange);
      if (response !== undefined) return response;
    }
    return undefined;
  }

  /** The honest response, changed by every fault that is on. */
  async rewrite(exchange: Exchange, reply: SentResponse): Promise<SentResponse> {
    let changed = reply;
    for (const fault of this.#active) changed = (await fault.rewrite?.(exchange, changed)) ?? changed;
    return changed;
  }
}

/** What a fault does has so many columns beside its name, or stands below it. */
const minRoom = 30;

/** `--misbehave list`: the faults, grouped by what they attack. */
export async function printFaultList({
  out,
  json,
  look,
}: Pick<CommandOutput, 'out' | 'json' | 'look'>): Promise<CommandExit> {
  const all = listFaults();
  if (json) {
    await out.json({ faults: all });
    return 0;
  }
  const column = Math.max(...all.map(({ name }) => name.length)) + 4;
  let group = '';
  for (const [at, fault] of all.entries()) {
    if (fault.group !== group) await out.line(`${at === 0 ? '' : '\n'}${toned(look, 'strong', fault.group)}`);
    group = fault.group;
    await out.line(faultLines(fault, column, look).join('\n'));
  }
  return 0;
}

/** Nothing is cut. @param column Where what it does begins. */
function faultLines({ name, what }: ListedFault, column: number, look: Look): readonly string[] {
  const head = `  ${toned(look, 'name', name)}`;
  if (look.width - column < minRoom) return [head, ...wrapped(what, look.width, 4)];
  const [first = '', ...others] = wrapped(what, look.width, column);
  return [head + first.slice(columnsOf(head)), ...others];
}
