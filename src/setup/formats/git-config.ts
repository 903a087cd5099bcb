import { spawnSync } from 'node:child_process';
import { parse } from 'node:path';
import { type Commands, ifEditable, isBlank, type Members, NotEditable, type OpenedText } from './text.js';

/** A variable of git's configuration: its name in lower case, but for the one that we write. */
export interface GitVariable {
  readonly section: string;
  readonly subsection: string;
  readonly name: string;
  readonly value: string;
}

/** The variables of `[credential "<address>"]`, each with all its values. */
export function openGit(text: string, [address = '']: readonly string[]): OpenedText {
  const all = listGit(text);
  const isOurs = ({ section, subsection }: GitVariable) => section === 'credential' && subsection === address;
  const own: Record<string, string[]> = {};
  for (const { name, value } of all.filter(isOurs)) own[name] = [...(own[name] ?? []), value];
  const change = (members: Members): Commands => {
    return (file) =>
      ['helper', 'useHttpPath'].flatMap((name) => {
        const [full, values] = [`credential.${address}.${name}`, [members[name] ?? []].flat()];
        const base = ['config', '--file', file];
        if (values.length === 0) return name in own ? [[...base, '--unset-all', full]] : [];
        return values.map((value, at) => [...base, at === 0 ? '--replace-all' : '--add', full, String(value)]);
      });
  };
  const isThere = Object.keys(own).length > 0;
  return {
    raw: isThere ? JSON.stringify(own) : undefined,
    value: isThere ? own : undefined,
    rest: all.filter((one) => !isOurs(one)),
    set: (entry) => change((entry?.value ?? {}) as Members),
  };
}

/** Every variable of a git configuration file; none where git cannot read it. */
export function gitVariables(text: string): readonly GitVariable[] {
  return ifEditable(() => listGit(text)) ?? [];
}

/** The text goes through a pipe, never through a file; git is found on the PATH, but never in the working folder. */
function listGit(text: string): readonly GitVariable[] {
  if (isBlank(text)) return [];
  const { status, stdout } = spawnSync('git', ['config', '--file', '-', '--list', '-z'], {
    input: text,
    encoding: 'utf8',
    cwd: parse(process.execPath).root,
    env: { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] },
    timeout: 10_000,
    maxBuffer: 64 * 1024 * 1024,
    windowsHide: true,
  });
  if (status !== 0) throw new NotEditable('unreadable');
  return stdout.split('\0').flatMap((one) => {
    const [full = '', ...value] = one.split('\n');
    const [, section, subsection = '', name] = /^([^.]*)\.(?:(.*)\.)?([^.]*)$/s.exec(full) ?? [];
    if (section === undefined || name === undefined) return [];
    const shown = name === 'usehttppath' ? 'useHttpPath' : name;
    return [{ section, subsection, name: shown, value: value.join('\n') }];
  });
}
