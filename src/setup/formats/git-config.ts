import { spawnSync } from 'node:child_process';
import { parse } from 'node:path';
import { edited, lineEnding, missingEnding, notEdited, type Opened, type Splice, splice } from './text.js';

/** The section `[section "subsection"]` of a git configuration file. */
export interface GitSection {
  /** In lower case. */
  readonly section: string;
  readonly subsection: string;
}

/** Variables of a section, in order; an empty value is a value. Others of it stay as they are. */
export type GitVariables = readonly (readonly [name: string, value: string])[];

interface Block {
  readonly start: number;
  end: number;
  readonly variables: { readonly name: string; readonly start: number; readonly end: number }[];
}

/** The section as git reads it. Git tells no positions: they are found here, and what is made by them is read by git again. */
export function openGit(text: string, key: GitSection): Opened<GitVariables> {
  const all = listGit(text);
  const blocks = blocksOf(text, key);
  if (all === undefined) return notEdited('unreadable');
  const [block, another] = blocks;
  const own = gitValues(all, key);
  const isPlain = own.every(([name], index) => block?.variables[index]?.name === name);
  if (another !== undefined || !isPlain || own.length !== (block?.variables.length ?? 0)) return notEdited('form');
  return {
    ok: true,
    raw: block && text.slice(block.start, block.end),
    value: block && own,
    rest: all.filter(([at]) => !isSame(at, key)),
    put: (variables) =>
      edited(block === undefined ? appended(text, key, variables) : changed(text, block, own, variables)),
    restore: (former) => {
      if (block === undefined) return notEdited('shape');
      return edited(splice(text, [{ start: block.start, end: block.end, text: former ?? '' }]));
    },
  };
}

/** Every variable of a git configuration file: section, name in lower case, value. None where git cannot read it. */
export function gitVariables(text: string): readonly (readonly [GitSection, string, string])[] {
  return listGit(text) ?? [];
}

/** The text goes through a pipe, never through a file; git is found on the PATH, but never in the working folder. */
function listGit(text: string): ReturnType<typeof gitVariables> | undefined {
  if (text.replace(/^\ufeff/, '').trim() === '') return [];
  const { status, stdout } = spawnSync('git', ['config', '--file', '-', '--list', '-z'], {
    input: text,
    encoding: 'utf8',
    cwd: parse(process.execPath).root,
    env: { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] },
    timeout: 10_000,
    maxBuffer: 64 * 1024 * 1024,
    windowsHide: true,
  });
  if (status !== 0) return undefined;
  const ends = /^([^.]*)\.(?:(.*)\.)?([^.]*)$/s;
  return stdout.split('\0').flatMap((one) => {
    const [full = '', ...value] = one.split('\n');
    const [, section, subsection = '', name] = ends.exec(full) ?? [];
    return section === undefined || name === undefined
      ? []
      : [[{ section, subsection }, name, value.join('\n')] as const];
  });
}

function gitValues(all: ReturnType<typeof gitVariables>, key: GitSection): GitVariables {
  return all.flatMap(([at, name, value]) => (isSame(at, key) ? [[name, value] as const] : []));
}

function isSame(one: GitSection, other: GitSection): boolean {
  return one.section === other.section && one.subsection === other.subsection;
}

function appended(text: string, { section, subsection }: GitSection, variables: GitVariables): string {
  const eol = lineEnding(text);
  const header = `[${section} "${subsection.replace(/["\\]/g, '\\$&')}"]`;
  return `${text}${missingEnding(text)}${header}${eol}${linesWritten(variables, eol)}`;
}

/** Puts the variables behind the last one, in the place of all of the same names. */
function changed(text: string, block: Block, own: GitVariables, variables: GitVariables): string {
  const names = variables.map(([name]) => name.toLowerCase());
  const wanted = variables.map(([name, value]) => [name.toLowerCase(), value]);
  const isThere = JSON.stringify(own.filter(([name]) => names.includes(name))) === JSON.stringify(wanted);
  if (isThere) return text;
  const changes: Splice[] = block.variables
    .filter(({ name }) => names.includes(name))
    .map(({ start, end }) => ({ start, end, text: '' }));
  const lines = `${missingEnding(text.slice(0, block.end))}${linesWritten(variables, lineEnding(text))}`;
  return splice(text, [...changes, { start: block.end, end: block.end, text: lines }]);
}

function linesWritten(variables: GitVariables, eol: string): string {
  return variables.map(([name, value]) => `\t${name} =${value === '' ? '' : ` ${valueWritten(value)}`}${eol}`).join('');
}

function valueWritten(value: string): string {
  const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return /[#;]|^\s|\s$/.test(value) ? `"${escaped}"` : escaped;
}

/** Where the section stands: each time from its header to behind its last variable. */
function blocksOf(text: string, key: GitSection): readonly Block[] {
  const blocks: Block[] = [];
  let inside = false;
  for (const { line, start, end } of linesOf(text)) {
    const header = /^[ \t]*\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\]/.exec(line);
    const variable = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)/.exec(line)?.[1]?.toLowerCase();
    if (header !== null) {
      const [section = '', ...dotted] = (header[1] ?? '').split('.');
      const subsection = header[2]?.replace(/\\(.)/g, '$1') ?? dotted.join('.').toLowerCase();
      inside = isSame(key, { section: section.toLowerCase(), subsection });
      if (inside) blocks.push({ start, end, variables: [] });
    } else if (inside && variable !== undefined) {
      const block = blocks.at(-1);
      block?.variables.push({ name: variable, start, end });
      if (block !== undefined) block.end = end;
    }
  }
  return blocks;
}

/** Lines, each with those that it goes on in. */
function linesOf(text: string): readonly { readonly line: string; readonly start: number; readonly end: number }[] {
  const lines: { line: string; start: number; end: number }[] = [];
  const first = text.startsWith('\ufeff') ? 1 : 0;
  for (const [part] of text.slice(first).matchAll(/[^\n]*\n|[^\n]+$/g)) {
    const last = lines.at(-1);
    if (last !== undefined && goesOn(last.line)) {
      last.line += part;
      last.end += part.length;
    } else {
      const start = last?.end ?? first;
      lines.push({ line: part, start, end: start + part.length });
    }
  }
  return lines;
}

/** Does it end in a backslash that is in no comment, and not itself behind one? */
function goesOn(line: string): boolean {
  let isQuoted = false;
  for (const { 0: part, index } of line.matchAll(/\\(?:\r?\n|[\s\S])|[\s\S]/g)) {
    if (!isQuoted && (part === '#' || part === ';')) return false;
    if (part === '"') isQuoted = !isQuoted;
    else if (/^\\\r?\n$/.test(part) && index + part.length === line.length) return true;
  }
  return false;
}
