import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

interface Ancestor {
  readonly parent: number;
  readonly name: string;
}

/** Between a program and what it runs. */
const goBetweens = /^-?(?:(?:ba|z|da|fi|k|c|tc)?sh|env|sudo|script|timeout|nohup|npx|npm|cmd(?:\.exe)?)$/;

/** Known by what they run. */
const interpreters = /^(?:node|nodejs|bun|deno|python[0-9.]*|ruby|perl|php|java)$/;

const maxAncestors = 8;

const longestPsMs = 1_000;

/**
 * Names the program that started this one, for a person to recognise it: the nearest that is no shell. Its arguments
 * are left out, as they may hold anything; an interpreter goes by its script.
 */
export function callerName(platform: NodeJS.Platform): string {
  const look = platform === 'linux' ? fromProc : platform === 'win32' ? () => undefined : fromPs;
  let nearest: string | undefined;
  let pid = process.ppid;
  for (let count = 0; count < maxAncestors && pid > 1; count += 1) {
    const found = look(pid);
    if (found === undefined) break;
    nearest ??= found.name;
    if (!goBetweens.test(found.name)) return found.name;
    pid = found.parent;
  }
  return nearest ?? `process ${process.ppid}`;
}

function fromProc(pid: number): Ancestor | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return { parent, name: nameOf(words) || stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) };
  } catch {
    return undefined; // it has ended, or is not ours to see
  }
}

function fromPs(pid: number): Ancestor | undefined {
  try {
    const output = execFileSync('/bin/ps', ['-o', 'ppid=,command=', '-p', String(pid)], {
      timeout: longestPsMs,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, parent = '', command = ''] = /^\s*(\d+)\s+(.*?)\s*$/s.exec(output) ?? [];
    return parent === '' ? undefined : { parent: Number(parent), name: nameOf(command.split(' ')) };
  } catch {
    return undefined;
  }
}

function nameOf(words: readonly string[]): string {
  // A program's title is written over its whole command line.
  const [title = '', ...rest] = words;
  const program = basename(title.split(' ', 1)[0] ?? '');
  if (!interpreters.test(program)) return program;
  const script = rest.find((word) => word !== '' && !word.startsWith('-'));
  return script === undefined ? program : `${program} ${script.split('/').slice(-2).join('/')}`;
}
