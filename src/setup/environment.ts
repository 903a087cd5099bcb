import { usageWrong } from '../core/failures.js';
import type { LoginRecord } from '../core/records.js';
import { authorityVariables, proxyVariables } from '../http/proxy-settings.js';
import type { Machine } from './machine/external-programs.js';
import type { SetupRequest } from './plan-entry.js';
import { dropsEnvironment, type Program } from './programs/program.js';

/**
 * The machine as an entry is made for it. A program that leaves this shell's environment out is told of the authorities
 * that are trusted here; of the proxy only with `--with-proxy`, since a file outlasts the network it was written in.
 * @throws Failure `usage_wrong`
 */
export function machineFor(machine: Machine, program: Program, wantsProxy: boolean): Machine {
  const trusted = dropsEnvironment(program) ? authorityVariables(machine.env) : {};
  const proxy = wantsProxy ? wantedProxy(machine, program) : {};
  return { ...machine, variables: { ...machine.variables, ...trusted, ...proxy } };
}

const proxyProblems = {
  none: 'HTTPS_PROXY is not set',
  secret: 'HTTPS_PROXY holds a user name or password, which is for no file',
  odd: 'HTTPS_PROXY or NO_PROXY holds a character that is none of a proxy’s address',
} as const;

function wantedProxy(machine: Machine, program: Program): Readonly<Record<string, string>> {
  const refused = (why: string) => usageWrong(`--with-proxy cannot be used: ${why}.`, 'postern setup --help');
  if (!dropsEnvironment(program)) throw refused(`${program.title} passes its environment on`);
  if (machine.platform === 'win32') {
    throw refused('on Windows, programs take HTTPS_PROXY from the variables of the user (setx)');
  }
  const found = proxyVariables(machine.env);
  if (found.kind !== 'plain') throw refused(proxyProblems[found.kind]);
  return found.variables;
}

/** What a person has to know where the entry leaves the proxy of this shell out; undefined: nothing. */
export function proxyNote(machine: Machine, { program, url }: SetupRequest): string | undefined {
  const isLeftOut = dropsEnvironment(program) && machine.variables['HTTPS_PROXY'] === undefined;
  const { kind } = proxyVariables(machine.env);
  if (!isLeftOut || machine.platform === 'win32' || kind === 'none' || !url.startsWith('https:')) return undefined;
  const without = `HTTPS_PROXY is set in this shell, and ${program.title} starts postern without it`;
  if (kind === 'plain') return `${without}. Where that proxy is the only way out, add --with-proxy.`;
  const why = kind === 'secret' ? 'it holds a password, which is for no file' : 'it holds an odd character';
  return `${without}. The entry cannot name it: ${why}. Where it is the only way out, name one that asks for no password, and add --with-proxy.`;
}

/**
 * What a person has to know where the keychain is on a session bus that the program hides from postern, and no other way
 * leads to; undefined: nothing. Such a bus is that of a shell of its own (`dbus-run-session`).
 */
export function keychainNote(
  machine: Pick<Machine, 'platform' | 'env'> | undefined,
  { program, url }: Pick<SetupRequest, 'program' | 'url'>,
  logins: readonly Pick<LoginRecord, 'server' | 'store'>[],
): string | undefined {
  if (machine?.platform !== 'linux' || program.isBare !== true) return undefined;
  const bus = machine.env['DBUS_SESSION_BUS_ADDRESS'] ?? '';
  const isUsual = /^unix:(?:path=\/run\/user\/\d+\/bus|runtime=yes)/.test(bus);
  const isInKeychain = logins.some(({ server, store }) => server === url && store === 'keychain');
  if (bus === '' || isUsual || !isInKeychain) return undefined;
  return `${program.title} starts postern without this shell’s session bus (dbus-run-session), on which the keychain is, and would never find it. Keep the logins in sealed files (--store file) instead: name a key file in POSTERN_STORE_KEY_FILE (see postern help login), run postern move file, and then postern setup ${program.name} again with --write.`;
}
