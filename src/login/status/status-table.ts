import { loginCommand } from '../../core/login-command.js';
import { namedServer } from '../../core/resource.js';
import { columnsOf, commandLine, cutInside, cutTo, inColumns, withBrokenWords } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { endOfLogin, inWords } from '../render.js';
import type { CheckedLogin } from './check-logins.js';
import { browserInWords, type LoginStatus, okInWords, whoOf } from './login-status.js';

/** How a table is printed. */
export interface TableLook {
  readonly look: Look;
  /** A terminal gets a heading, marks, and lines that fit; a pipe gets all of it in plain text. */
  readonly isTerminal: boolean;
}

/** A cell in words; what its mark and its tone say, the words say, too. */
export interface StateCell {
  readonly mark: '✓' | '-' | '✗';
  readonly tone: 'good' | 'dim' | 'warning' | 'bad';
  readonly text: string;
  /** What mends it; undefined where nothing is to be mended. */
  readonly command?: string | undefined;
}

/** One login of the table. */
export interface TableRow {
  readonly name: string;
  readonly server: string;
  readonly who: string;
  readonly state: StateCell;
}

/** What of a login its row is made of. */
export interface RowParts {
  readonly status: LoginStatus;
  /** Is it taken where its server has several logins, and none is named? */
  readonly isDefault: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What its server said just now; undefined: it was not asked. */
  readonly checked?: CheckedLogin | undefined;
}

/** The row of a login. */
export function rowOf(table: TableLook, { status, isDefault, now, checked }: RowParts): TableRow {
  const { name = '', server } = status.login;
  const says = checked?.says === undefined ? [] : [`server says: ${checked.says}`];
  const browser = browserInWords(status.login);
  // At a terminal it stands below the table.
  const { provider } = status.login;
  const by = provider === undefined || table.isTerminal ? '' : `by ${provider.issuer}`;
  const account = `${isDefault ? '* ' : ''}${whoOf(status.login)}`.trim();
  const who = [account, by, browser === undefined ? '' : `in ${browser}`, ...says]
    .filter((text) => text !== '')
    .join(', ');
  return {
    name: printable(name, 80),
    server: printable(namedServer(server), 600),
    who: printable(who, 200),
    state: checked === undefined ? stateCell(table, status, now) : checkedCell(checked),
  };
}

function stateCell(table: TableLook, { login, state, remedy }: LoginStatus, now: number): StateCell {
  const { expiresAt, refreshable } = login;
  const command = remedy && printable(remedy, 2000);
  if (login.store === 'environment') return { mark: '✓', tone: 'good', text: 'from POSTERN_TOKEN' };
  const soon = state === 'valid' || state === 'refreshable' ? endOfLogin(login, now) : undefined;
  if (soon?.at === 'soon') {
    const what = soon.byUse ? 'use it or log in again' : 'log in again';
    const span = inWords(soon.end - now);
    return { mark: '✓', tone: 'warning', text: `ok, ${what} within ${span}`, command: loginCommand(login) };
  }
  switch (state) {
    case 'valid': {
      const left = expiresAt === null ? '' : leftIn(table, expiresAt, now);
      return refreshable || expiresAt === null
        ? { mark: '✓', tone: 'good', text: `ok${left}` }
        : { mark: '✓', tone: 'good', text: `ok${left}, then log in` };
    }
    case 'refreshable':
      return { mark: '✓', tone: 'good', text: 'refreshes by itself' };
    case 'expired':
      return { mark: '✗', tone: 'bad', text: 'expired', command };
    case 'dead':
      return { mark: '✗', tone: 'bad', text: login.dead === true ? 'refused' : 'ended', command };
  }
}

/** For a person how long it is; for a program when it ends, which is the same whenever it looks. */
function leftIn({ isTerminal }: TableLook, expiresAt: number, now: number): string {
  return isTerminal ? `, ${shortSpan(expiresAt - now)}` : ` until ${new Date(expiresAt).toISOString()}`;
}

function checkedCell(checked: CheckedLogin): StateCell {
  switch (checked.state) {
    case 'ok':
      return { mark: '✓', tone: 'good', text: okInWords(checked) };
    case 'login_needed':
      return { mark: '✗', tone: 'bad', text: 'login needed' };
    case 'refused':
      return { mark: '✗', tone: 'bad', text: 'refused' };
    case 'unreachable':
      return { mark: '✗', tone: 'warning', text: 'not reachable' };
    case 'failed':
      return { mark: '✗', tone: 'warning', text: 'failed' };
  }
}

/** A span of time in few letters, rounded down: `45 s`, `52 min`, `3 h`, `5 days`. */
export function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return counted(Math.floor(seconds / (24 * 3600)), 'day');
}

/** The table's lines, and what stands below it: the commands that its cells have no room for. */
export type Table = readonly [lines: readonly string[], commands: readonly string[]];

/** Name, server, who and state of each login: on one line where all of it fits, else what is not the name stands below it. */
export function tableOf({ look, isTerminal }: TableLook, rows: readonly TableRow[]): Table {
  if (rows.length === 0) return [[], []];
  const withCommands = rows.map(({ state }) => stateText(state, true));
  if (!isTerminal) {
    const cells = rows.map(({ name, server, who }, at) => [name || '-', server, who || '-', withCommands[at] ?? '']);
    return [inColumns(endless, cells), []];
  }
  const shown = rows.map((row) => ({ ...row, server: row.server.replace(/^https:\/\//, '') }));
  const marked = (texts: readonly string[]) => rows.map(({ state: { mark } }, at) => `${mark} ${texts[at] ?? ''}`);
  const whole = fitIn(look, shown, marked(withCommands));
  if (whole !== undefined && !whole.isCut) return [linesOf(look, rows, whole), []];
  const states = marked(rows.map(({ state }) => stateText(state, false)));
  const fitted = fitIn(look, shown, states);
  const lines = fitted === undefined ? stacked(look, shown, states) : linesOf(look, rows, fitted);
  return [lines, commandsBelow(look, rows)];
}

const endless: Look = { width: Number.POSITIVE_INFINITY, color: false };

function stateText({ text, command }: StateCell, withCommand: boolean): string {
  if (command === undefined) return text;
  return withCommand ? `${text}: ${command}` : `${text}, see below`;
}

function commandsBelow({ width }: Look, rows: readonly TableRow[]): readonly string[] {
  const commands = rows.flatMap(({ state: { command } }) => command ?? []);
  return commands.length === 0
    ? []
    : ['To log in again:', ...commands.map((command) => commandLine(command, width, 2))];
}

type Column = 'name' | 'server' | 'who';

/** Columns that are cut to fit, the first one first, and how much is left of each at least; a state is always whole. */
const shrinking: readonly (readonly [column: Column, min: number])[] = [
  ['name', 30],
  ['server', 20],
  ['who', 12],
  ['name', 24],
];

interface FittedTable {
  readonly columns: readonly Column[];
  readonly cells: readonly (readonly string[])[];
  readonly states: readonly string[];
  readonly isCut: boolean;
}

/** One line a login: columns that are not empty, cut where they have to be; undefined where that is not enough. */
function fitIn(look: Look, rows: readonly TableRow[], states: readonly string[]): FittedTable | undefined {
  const columns = (['name', 'server', 'who'] as const).filter((column) => rows.some((row) => row[column] !== ''));
  const widths = new Map(
    columns.map((column) => [column, Math.max(column.length, ...rows.map((row) => columnsOf(row[column])))]),
  );
  const room = look.width - Math.max(...states.map(columnsOf), 5);
  let over = [...widths.values()].reduce((sum, width) => sum + width + 2, 0) - room;
  const isCut = over > 0;
  for (const [column, min] of shrinking) {
    const width = widths.get(column) ?? 0;
    const taken = Math.min(Math.max(0, over), Math.max(0, width - min));
    widths.set(column, width - taken);
    over -= taken;
  }
  const cells = rows.map((row) => columns.map((column) => cutCell(column, widths.get(column) ?? 0, row[column])));
  return over > 0 ? undefined : { columns, cells, states, isCut };
}

/** Addresses often differ at their ends alone: two projects at one server. */
function cutCell(column: Column, width: number, text: string): string {
  return column === 'server' ? cutInside(width, text) : cutTo(width, text);
}

function headingOf(look: Look, columns: readonly string[]): readonly string[] {
  return columns.map((title) => toned(look, 'dim', title.toUpperCase()));
}

function linesOf(look: Look, rows: readonly TableRow[], { columns, cells, states }: FittedTable): readonly string[] {
  const lines = rows.map(({ state }, at) => [
    ...(cells[at] ?? []).map((cell, column) => (columns[column] === 'name' ? toned(look, 'name', cell) : cell)),
    toned(look, state.tone, states[at] ?? ''),
  ]);
  return inColumns(endless, [headingOf(look, [...columns, 'state']), ...lines]);
}

/**
 * Name and state on a line, server and who below; a login without a name is called by its server. A name is what is typed:
 * it is whole, and where one has no room beside its state, each stands on a line of its own.
 */
function stacked(look: Look, rows: readonly TableRow[], states: readonly string[]): readonly string[] {
  const heads = rows.map(({ name, server }) => (name === '' ? server : name));
  const room = look.width - Math.max(...states.map(columnsOf), 5) - 2;
  const hasRoom = heads.every((head) => columnsOf(head) <= room);
  const toneds = rows.map(({ state }, at) => toned(look, state.tone, states[at] ?? ''));
  const [heading = '', ...lines] = hasRoom
    ? inColumns(endless, [
        headingOf(look, ['name', 'state']),
        ...heads.map((head, at) => [toned(look, 'name', head), toneds[at] ?? '']),
      ])
    : headingOf(look, ['name']);
  return [
    heading,
    ...rows.flatMap((row, at) => {
      const head = heads[at] ?? '';
      const below = linesBelow(look, row, head);
      if (hasRoom) return [lines[at] ?? '', ...below];
      const whole = withBrokenWords(head, look.width).split(' ');
      return [
        ...whole.map((part) => toned(look, 'name', part)),
        `${' '.repeat(indentBelow)}${toneds[at] ?? ''}`,
        ...below,
      ];
    }),
  ];
}

const indentBelow = 4;

function linesBelow({ width }: Look, { server, who }: TableRow, head: string): readonly string[] {
  const room = width - indentBelow;
  const both = [head === server ? '' : server, who].filter((text) => text !== '');
  const line = both.join('  ');
  const lines = columnsOf(line) <= room ? [line] : both;
  return lines.filter((text) => text !== '').map((text) => ' '.repeat(indentBelow) + cutInside(room, text));
}
