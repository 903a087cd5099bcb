import { usageWrong } from '../errors/usage.js';
import type { SetupRequest } from '../flows/setup/plan-entry.js';
import type { Machine } from '../ports/neighbours.js';
import { authorityVariables, proxyVariables } from '../primitives/network-variables.js';

type Program = SetupRequest['program'];

/**
 * The machine as an entry is made for it. A program that leaves this shell's environment out is told of the authorities
 * that are trusted here; of the proxy only with `--with-proxy`, since a file outlasts the network it was written in.
 * @throws Failure `usage_wrong`
 */
export function machineFor(machine: Machine, program: Program, wantsProxy: boolean): Machine {
  const trusted = program.isApart === true ? authorityVariables(machine.env) : {};
  const proxy = wantsProxy ? wantedProxy(machine, program) : {};
  return { ...machine, variables: { ...machine.variables, ...trusted, ...proxy } };
}

function wantedProxy(machine: Machine, program: Program): Readonly<Record<string, string>> {
  const refused = (why: string) => usageWrong(`--with-proxy cannot be used: ${why}.`, 'postern setup --help');
  if (program.isApart !== true) throw refused(`${program.title} passes its environment on`);
  if (machine.platform === 'win32') {
    throw refused('on Windows, programs take HTTPS_PROXY from the variables of the user (setx)');
  }
  const found = proxyVariables(machine.env);
  switch (found.kind) {
    case 'none':
      throw refused('HTTPS_PROXY is not set');
    case 'secret':
      throw refused('HTTPS_PROXY holds a user name or password, which is for no file');
    case 'odd':
      throw refused('HTTPS_PROXY or NO_PROXY holds a character that is none of a proxy’s address');
    default:
      return found.variables;
  }
}

/** What a person has to know where the entry leaves the proxy of this shell out; undefined: nothing. */
export function proxyNote(machine: Machine, { program, url }: SetupRequest): string | undefined {
  const isLeftOut = program.isApart === true && machine.variables['HTTPS_PROXY'] === undefined;
  const { kind } = proxyVariables(machine.env);
  if (!isLeftOut || machine.platform === 'win32' || kind === 'none' || !url.startsWith('https:')) {
    return undefined;
  }
  const without = `HTTPS_PROXY is set in this shell, and ${program.title} starts postern without it`;
  if (kind === 'plain') return `${without}. Where that proxy is the only way out, add --with-proxy.`;
  const why = kind === 'secret' ? 'it holds a password, which is for no file' : 'it holds an odd character';
  return `${without}. The entry cannot name it: ${why}. Where it is the only way out, name one that asks for no password, and add --with-proxy.`;
}
