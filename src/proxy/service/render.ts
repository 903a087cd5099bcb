import { printable, shellWord } from '../../core/text/printable.js';
import { proxyVariables } from '../../http/proxy-settings.js';
import type { ServiceMachine } from './ports.js';
import type { ServiceRecord } from './record.js';
import type { InstalledService } from './services.js';

/** What a person is told of a service that was installed; the address itself goes to stdout. */
export function* installedLines(
  { record, outcome, key, managed, listener }: InstalledService,
  about: {
    readonly named: string;
    readonly host: string;
    readonly machine: ServiceMachine;
    readonly withProxy: boolean;
  },
): Iterable<string> {
  const word = shellWord(printable(about.named, 300));
  const host = printable(about.host, 80);
  yield {
    made: `Installed: a proxy for ${printable(about.named, 300)}, which keeps its address. ${startLine(record)}`,
    'host-added': `The proxy for ${printable(about.named, 300)} has a key for ${host}, too.`,
    rewritten: `The units of the proxy for ${printable(about.named, 300)} were written anew; ${host} has a key already, which is kept with it alone. For another one: postern proxy ${word} --rotate --host ${host}`,
  }[outcome];
  for (const file of outcome === 'host-added' ? [] : record.files) yield `  ${printable(file, 300)}`;
  if (key !== undefined) {
    yield `${onceLine(about.host)} Another program gets a key of its own: postern proxy ${word} --install --host NAME`;
  }
  if (outcome !== 'host-added') yield `To take it back: postern proxy ${word} --uninstall`;
  if (record.manager === 'none')
    yield `This system has no service manager that is known here. Start it yourself: postern proxy ${record.id} --service`;
  if (managed.ok && listener !== undefined && listener !== 'ours') yield listenerLines[listener](record);
  const note = lastingNote(about.machine) ?? proxyNote(about.machine, about.withProxy, record.server);
  if (note !== undefined) yield `Note: ${note}`;
}

const startLines: Readonly<Record<ServiceRecord['manager'], string>> = {
  systemd: 'systemd holds its port, and starts it when a program connects.',
  launchd: 'launchd starts it when you log in.',
  task: 'The Task Scheduler starts it when you log in.',
  none: '',
};

const startLine = ({ manager }: ServiceRecord) => startLines[manager];

/** A key is kept with its host alone. */
export const onceLine = (host: string): string =>
  `The address below is for the host ${printable(host, 80)} alone; whoever has it can use the login. Copy it now: it is not kept here, and not shown again.`;

const listenerLines = {
  other: ({ port }: ServiceRecord) => `But another program answers at port ${port}. See: postern doctor`,
  nobody: ({ port }: ServiceRecord) => `But nobody listens at port ${port} yet. See: postern doctor`,
  silent: ({ port }: ServiceRecord) => `But nobody answers at port ${port} yet. See: postern doctor`,
} as const;

export function removedLine({ server, mount, port }: ServiceRecord): string {
  return `The proxy for ${printable(server, 600)} (127.0.0.1:${port}, /${printable(mount, 80)}) is taken back; its addresses are refused from now on.`;
}

/** An entry whose key does not hold any more. */
export function entryLeftLine({ file, undo }: { readonly file: string; readonly undo: string }): string {
  return `${printable(file, 300)} still holds the address. To take it out: ${undo}`;
}

function lastingNote({ start }: ServiceMachine): string | undefined {
  return {
    upgrades: undefined,
    'this-version-of-node': 'It starts this version of Node.js; when that is removed (nvm, fnm, …), run this again.',
    checkout: `It starts ${printable(start.script ?? start.node, 200)}; when that folder is moved or removed, run this again.`,
    cache:
      'postern was started from a package cache (npx), which is emptied now and then: install it (npm install -g postern) and run this again.',
  }[start.lasts];
}

function proxyNote({ env }: ServiceMachine, withProxy: boolean, server: string): string | undefined {
  const { kind } = proxyVariables(env);
  if (kind === 'none' || !server.startsWith('https:') || (withProxy && kind === 'plain')) return undefined;
  const without = 'HTTPS_PROXY is set in this shell, and a service starts without it';
  if (kind === 'plain') return `${without}. Where that proxy is the only way out, add --with-proxy.`;
  return `${without}: it holds a password, or an odd character, and is for no file.`;
}
