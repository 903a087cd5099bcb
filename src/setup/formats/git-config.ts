import { spawnSync } from 'node:child_process';
import { parse } from 'node:path';
import { ifEditable, isBlank, lineEnding, missingEnding, NotEditable, type OpenedText, splice } from './text.js';

/** The section `[section "subsection"]` of a git configuration file. */
export interface GitSection {
  /** In lower case. */
  readonly section: string;
  readonly subsection: string;
}

/** Variables of a section, in order; an empty value is a value. Others of it stay as they are. */
export type GitVariables = readonly (readonly [name: string, value: string])[];

/** As git lists it: the name in lower case. */
export interface GitVariable extends GitSection {
  readonly name: string;
  readonly value: string;
}

/** A section in a text: from its header to behind its last variable. */
interface Block {
  readonly start: number;
  end: number;
  readonly variables: { readonly name: string; readonly start: number; readonly end: number }[];
}

/** The section as git reads it. Git tells no positions: they are found here, and git reads every edit again. */
export function openGit(text: string, key: GitSection): OpenedText<GitVariables> {
  const all = listGit(text);
  const [block, another] = blocksOf(text, key);
  const own = all.filter((one) => isSame(one, key)).map(({ name, value }) => [name, value] as const);
  const names = block?.variables.map(({ name }) => name) ?? [];
  if (another !== undefined || own.map(([name]) => name).join() !== names.join()) throw new NotEditable('form');
  return {
    raw: block && text.slice(block.start, block.end),
    value: block && own,
    rest: all.filter((one) => !isSame(one, key)),
    put: (variables) => (block === undefined ? appended(text, key, variables) : changed(text, block, own, variables)),
    restore: (former) => {
      if (block === undefined) throw new NotEditable('shape');
      return splice(text, [block.start, block.end, former ?? '']);
    },
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
    return [{ section, subsection, name, value: value.join('\n') }];
  });
}

function isSame(one: GitSection, other: GitSection): boolean {
  return one.section === other.section && one.subsection === other.subsection;
}

function appended(text: string, { section, subsection }: GitSection, variables: GitVariables): string {
  const eol = lineEnding(text);
  const header = `[${section} "${subsection.replace(/["\\]/g, '\\$&')}"]`;
  return `${text}${missingEnding(text)}${header}${eol}${rendered(variables, eol)}`;
}

/** Puts the variables behind the last one, in place of all of the same names. */
function changed(text: string, block: Block, own: GitVariables, variables: GitVariables): string {
  const wanted = variables.map(([name, value]) => [name.toLowerCase(), value] as const);
  const isNamed = (name: string) => wanted.some(([one]) => one === name);
  if (JSON.stringify(own.filter(([name]) => isNamed(name))) === JSON.stringify(wanted)) return text;
  const former = block.variables.filter(({ name }) => isNamed(name));
  const lines = `${missingEnding(text.slice(0, block.end))}${rendered(variables, lineEnding(text))}`;
  return splice(text, ...former.map(({ start, end }) => [start, end, ''] as const), [block.end, block.end, lines]);
}

function rendered(variables: GitVariables, eol: string): string {
  return variables
    .map(([name, value]) => {
      const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
      const quoted = /[#;]|^\s|\s$/.test(value) ? `"${escaped}"` : escaped;
      return `\t${name} =${value === '' ? '' : ` ${quoted}`}${eol}`;
    })
    .join('');
}

/** A line and those that it goes on in: behind a backslash at its end that is in no comment. */
const logicalLine = /(?:\\(?:\r?\n|[^\n]|$)|"(?:\\(?:\r?\n|[^\n]|$)|[^"\\\n]+)*"?|[#;][^\n]*|[^\\"#;\n]+)*\n?/g;

/** The blocks of a section, in their order. */
function blocksOf(text: string, key: GitSection): readonly Block[] {
  const blocks: Block[] = [];
  let block: Block | undefined;
  const first = text.startsWith('\ufeff') ? 1 : 0;
  for (const { 0: line, index } of text.slice(first).matchAll(logicalLine)) {
    const [start, end] = [first + index, first + index + line.length];
    const header = /^[ \t]*\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\]/.exec(line);
    const variable = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)/.exec(line)?.[1]?.toLowerCase();
    if (header !== null) {
      const [section = '', ...dotted] = (header[1] ?? '').split('.');
      const subsection = header[2]?.replace(/\\(.)/g, '$1') ?? dotted.join('.').toLowerCase();
      const isOurs = isSame(key, { section: section.toLowerCase(), subsection });
      block = isOurs ? { start, end, variables: [] } : undefined;
      if (block !== undefined) blocks.push(block);
    } else if (block !== undefined && variable !== undefined) {
      block.variables.push({ name: variable, start, end });
      block.end = end;
    }
  }
  return blocks;
}
