import { namedServer } from '../../core/resource.js';
import { columnsOf, cutTo, inColumns } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import type { CheckedLogin } from './check-logins.js';
import { browserInWords, type LoginStatus, whoOf } from './login-status.js';

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

/** How long a command in a cell may be: a longer one stands below the table. */
function maxCommand({ look, isTerminal }: TableLook): number {
  const around = 8 + '  ✗ expired: '.length;
  return isTerminal ? Math.min(32, look.width - around) : Number.POSITIVE_INFINITY;
}

/** The row of a login. */
export function rowOf(table: TableLook, { status, isDefault, now, checked }: RowParts): TableRow {
  const { name = '', server } = status.login;
  const says = checked?.says === undefined ? [] : [`server says: ${checked.says}`];
  const browser = browserInWords(status.login);
  const known = [whoOf(status.login), browser === undefined ? '' : `in ${browser}`, ...says]
    .filter((text) => text !== '')
    .join(', ');
  const who = `${known}${isDefault ? ' (default)' : ''}`.trim();
  return {
    name: printable(name, 80),
    server: printable(namedServer(server), 600),
    who: printable(who, 200),
    state: checked === undefined ? stateCell(status, now, maxCommand(table)) : checkedCell(checked),
  };
}

function stateCell({ login, state, remedy = '' }: LoginStatus, now: number, max: number): StateCell {
  const { expiresAt, refreshable } = login;
  if (login.store === 'environment') return { mark: '✓', tone: 'good', text: 'from POSTERN_TOKEN' };
  switch (state) {
    case 'valid': {
      const left = expiresAt === null ? '' : `, ${shortSpan(expiresAt - now)}`;
      return refreshable || expiresAt === null
        ? { mark: '✓', tone: 'good', text: `ok${left}` }
        : { mark: '✓', tone: 'good', text: `ok${left}, then log in` };
    }
    case 'refreshable':
      return { mark: '✓', tone: 'good', text: 'refreshes by itself' };
    case 'expired':
      return { mark: '✗', tone: 'bad', text: withCommand('expired', remedy, max) };
    case 'dead':
      return { mark: '✗', tone: 'bad', text: withCommand(login.dead === true ? 'refused' : 'ended', remedy, max) };
  }
}

function checkedCell({ state, milliseconds = 0 }: CheckedLogin): StateCell {
  switch (state) {
    case 'ok':
      return { mark: '✓', tone: 'good', text: `ok, ${milliseconds} ms` };
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

function withCommand(what: string, command: string, max: number): string {
  return command.length > max ? `${what}, see below` : `${what}: ${printable(command, 2000)}`;
}

/** Below the table: the commands that are too long for it. */
export function commandLines(table: TableLook, states: readonly LoginStatus[]): readonly string[] {
  const max = maxCommand(table);
  const commands = states.flatMap(({ remedy }) => (remedy === undefined || remedy.length <= max ? [] : remedy));
  return commands.length === 0
    ? []
    : ['To log in again:', ...commands.map((command) => `  ${printable(command, 2000)}`)];
}

/** A span of time in few letters, rounded down: `45 s`, `52 min`, `3 h`, `5 days`. */
export function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return counted(Math.floor(seconds / (24 * 3600)), 'day');
}

type Column = 'name' | 'server' | 'who';

/** What is left out or cut to fit, the first that does; the state is always whole. */
const layouts: readonly { readonly columns: readonly Column[]; readonly flexible?: Column; readonly min?: number }[] = [
  { columns: ['name', 'server', 'who'] },
  { columns: ['name', 'server', 'who'], flexible: 'server', min: 18 },
  { columns: ['name', 'who'] },
  { columns: ['name', 'who'], flexible: 'who', min: 10 },
  { columns: ['name'] },
  { columns: ['name'], flexible: 'name', min: 8 },
];

/** One line for each login: name, server, who, state. */
export function tableLines({ look, isTerminal }: TableLook, rows: readonly TableRow[]): readonly string[] {
  if (!isTerminal) {
    return inColumns(
      { ...look, width: Number.POSITIVE_INFINITY },
      rows.map(({ name, server, who, state }) => [name || '-', server, who || '-', state.text]),
    );
  }
  const shown = rows.map((row) => ({ ...row, server: row.server.replace(/^https:\/\//, '') }));
  const states = rows.map(({ state: { mark, text } }) => `${mark} ${text}`);
  const room = look.width - Math.max(...states.map(columnsOf), 5);
  const layout = layouts.find((one) => minWidth(one, shown) <= room) ?? {
    columns: ['name'] as const,
    flexible: 'name' as const,
  };
  const { columns } = layout;
  const left = columns.filter((column) => shown.some((row) => cellOf(row, column, columns) !== ''));
  const cells = shown.map((row) => left.map((column) => cellOf(row, column, columns)));
  const flexible = left.indexOf(layout.flexible as Column);
  const widths = left.map((column, at) => Math.max(column.length, ...cells.map((row) => columnsOf(row[at] ?? ''))));
  const over = widths.reduce((sum, width) => sum + width + 2, 0) - room;
  const width = flexible === -1 ? 0 : Math.max(8, (widths[flexible] ?? 0) - Math.max(0, over));
  const cut = cells.map((row) => row.map((cell, at) => (at === flexible ? cutTo(width, cell) : cell)));
  const heading = [...left, 'state'].map((title) => toned(look, 'dim', title.toUpperCase()));
  const lines = rows.map(({ state }, at) => [
    ...(cut[at] ?? []).map((cell, column) => (left[column] === 'name' ? toned(look, 'name', cell) : cell)),
    toned(look, state.tone, states[at] ?? ''),
  ]);
  return inColumns({ ...look, width: Number.POSITIVE_INFINITY }, [heading, ...lines]);
}

/** A login without a name is called by its server where that has no column of its own. */
function cellOf(row: TableRow, column: Column, columns: readonly Column[]): string {
  return column === 'name' && !columns.includes('server') ? row.name || row.server : row[column];
}

function minWidth({ columns, flexible, min = 0 }: (typeof layouts)[number], rows: readonly TableRow[]): number {
  return columns.reduce((sum, column) => {
    const widths = rows.map((row) => columnsOf(cellOf(row, column, columns)));
    const natural = Math.max(0, ...widths);
    const taken = column === flexible ? Math.min(natural, min) : natural;
    return natural === 0 ? sum : sum + Math.max(taken, column.length) + 2;
  }, 0);
}
