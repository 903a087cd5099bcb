import {
  type Edited,
  edited,
  type FoundEntry,
  lineEnding,
  notEdited,
  type Splice,
  splice,
} from './edited.js';

/** The section `[section "subsection"]` of a git configuration file. */
export interface GitSection {
  /** In lower case. */
  readonly section: string;
  readonly subsection: string;
}

/** Variables of a section, in order; an empty value is a value. Others of it stay as they are. */
export type GitVariables = readonly (readonly [name: string, value: string])[];

interface Line {
  readonly start: number;
  readonly end: number;
  readonly kind: 'blank' | 'header' | 'variable';
  /** Of a variable, in lower case. */
  readonly name?: string;
  readonly header?: GitSection;
  readonly value?: string;
  /** A variable in the line of its header. */
  readonly crowded?: boolean;
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly variables: readonly Line[];
}

type FoundBlock = { readonly block: Block | undefined } | { readonly problem: 'unreadable' | 'form' };

export function findGit(text: string, key: GitSection): FoundEntry {
  const found = blockOf(text, key);
  if ('problem' in found) return notEdited(found.problem);
  return { ok: true, raw: found.block && text.slice(found.block.start, found.block.end) };
}

/** Puts the variables there, in the place of all of the same names. */
export function putGit(text: string, key: GitSection, variables: GitVariables): Edited {
  const found = blockOf(text, key);
  if ('problem' in found) return notEdited(found.problem);
  const eol = lineEnding(text);
  const lines = variables.map(
    ([name, value]) => `\t${name} =${value === '' ? '' : ` ${valueWritten(value)}`}${eol}`,
  );
  const { block } = found;
  if (block === undefined) {
    const header = `[${key.section} "${key.subsection.replace(/["\\]/g, '\\$&')}"]${eol}`;
    const gap = text === '' || text === '\ufeff' || text.endsWith('\n') ? '' : eol;
    return edited(`${text}${gap}${header}${lines.join('')}`);
  }
  const names = new Set(variables.map(([name]) => name.toLowerCase()));
  const ours = block.variables.filter(({ name }) => names.has(name ?? ''));
  const wanted = variables.map(([name, value]) => [name.toLowerCase(), value]);
  if (JSON.stringify(ours.map(({ name, value }) => [name, value])) === JSON.stringify(wanted))
    return edited(text);
  const changes: Splice[] = ours.map(({ start, end }) => ({ start, end, text: '' }));
  const broken = text.slice(0, block.end).endsWith('\n') ? '' : eol;
  changes.push({ start: block.end, end: block.end, text: `${broken}${lines.join('')}` });
  return edited(splice(text, changes));
}

export function restoreGit(text: string, key: GitSection, former: string | undefined): Edited {
  const found = blockOf(text, key);
  if ('problem' in found || found.block === undefined) return notEdited('shape');
  const { start, end } = found.block;
  return edited(splice(text, [{ start, end, text: former ?? '' }]));
}

/** Every variable of a git configuration file as `[section, subsection, name, value]`; names in lower case. */
export function gitVariables(text: string): readonly (readonly [GitSection, string, string])[] {
  let header: GitSection = { section: '', subsection: '' };
  return (linesOf(text) ?? []).flatMap((line) => {
    header = line.header ?? header;
    return line.name === undefined ? [] : [[header, line.name, line.value ?? ''] as const];
  });
}

/** Names and values of a section, in their order; names in lower case. */
export function gitValues(text: string, key: GitSection): GitVariables {
  return gitVariables(text).flatMap(([{ section, subsection }, name, value]) =>
    section === key.section && subsection === key.subsection ? [[name, value] as const] : [],
  );
}

function blockOf(text: string, key: GitSection): FoundBlock {
  const lines = linesOf(text);
  if (lines === undefined) return { problem: 'unreadable' };
  let block: { start: number; end: number; variables: Line[] } | undefined;
  let inside = false;
  for (const line of lines) {
    if (line.kind === 'header') {
      inside = line.header?.section === key.section && line.header.subsection === key.subsection;
      if (inside && (block !== undefined || line.crowded === true)) return { problem: 'form' };
      if (inside) block = { start: line.start, end: line.end, variables: [] };
    } else if (inside && block !== undefined && line.kind === 'variable') {
      block.variables.push(line);
      block.end = line.end;
    }
  }
  return { block };
}

const headerPattern = /^[ \t]*\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\][ \t]*/;

function linesOf(text: string): readonly Line[] | undefined {
  const lines: Line[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const start = at;
    // A backslash at the end goes on in the next line, not in a comment.
    const first = /[^\n]*(?:\n|$)/y;
    first.lastIndex = at;
    let whole = first.exec(text)?.[0] ?? '';
    at += whole.length;
    while (!/^\s*[#;]/.test(whole) && continues(whole) && at < text.length) {
      first.lastIndex = at;
      const more = first.exec(text)?.[0] ?? '';
      whole += more;
      at += more.length;
    }
    const line = lineOf(whole, start, at);
    // What is cut off in the middle of a line would swallow whatever is put behind it.
    const isCutOff = continues(whole.endsWith('\n') ? whole : `${whole}\n`);
    if (line === undefined || (line.kind !== 'blank' && isCutOff)) {
      return undefined;
    }
    lines.push(line);
  }
  return lines;
}

/** Does the line end in a backslash that counts: in no comment, and not itself behind one? */
function continues(line: string): boolean {
  const end = line.endsWith('\r\n') ? line.length - 2 : line.length - 1;
  let isQuoted = false;
  for (let at = 0; at < end; at += 1) {
    const mark = line[at];
    if (mark === '\\') {
      if (at === end - 1) return line.endsWith('\n');
      at += 1;
    } else if (mark === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (mark === '#' || mark === ';')) return false;
  }
  return false;
}

function lineOf(whole: string, start: number, end: number): Line | undefined {
  if (/^\s*(?:[#;].*)?\s*$/.test(whole)) return { kind: 'blank', start, end };
  const header = headerPattern.exec(whole);
  if (header !== null) {
    const rest = whole.slice(header[0].length).trim();
    const [section = '', ...dotted] = (header[1] ?? '').split('.');
    const subsection = header[2]?.replace(/\\(.)/g, '$1') ?? dotted.join('.').toLowerCase();
    const crowded = rest !== '' && !/^[#;]/.test(rest);
    return { kind: 'header', start, end, header: { section: section.toLowerCase(), subsection }, crowded };
  }
  const variable = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=([\s\S]*))?$/.exec(whole.trimEnd());
  if (variable === null) return undefined;
  const [, name = '', value = ''] = variable;
  return { kind: 'variable', start, end, name: name.toLowerCase(), value: valueRead(value) };
}

/** A value as git reads it: quotes taken away, escapes undone, comments and white space around it dropped. */
function valueRead(text: string): string {
  let value = '';
  let quoted = false;
  let kept = 0;
  for (const [part] of text.trimStart().matchAll(/\\\r?\n|\\[\s\S]|[\s\S]/g)) {
    if (part === '"') quoted = !quoted;
    else if (!quoted && (part === '#' || part === ';')) break;
    else if (!/^\\\r?\n$/.test(part)) value += part.startsWith('\\') ? unescaped(part) : part;
    if (quoted || part.startsWith('\\') || !/^\s$/.test(part)) kept = value.length;
  }
  return value.slice(0, kept);
}

function unescaped(part: string): string {
  return { n: '\n', t: '\t', b: '\b' }[part.charAt(1)] ?? part.charAt(1);
}

function valueWritten(value: string): string {
  const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return /[#;]|^\s|\s$/.test(value) ? `"${escaped}"` : escaped;
}
