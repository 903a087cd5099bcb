import type { LoginRecord } from '../../core/records.js';
import { namedServer } from '../../core/resource.js';
import type { ProxyService } from '../../core/services/proxy-services.js';
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
  /** The proxy that is installed for it. */
  readonly proxy?: Pick<ProxyService, 'port'> | undefined;
}

/** Columns that names and servers keep where a command stands in a cell. */
const roomForNames = 50;

/** How long a command in a cell may be: a longer one stands below the table. */
function maxCommand({ look, isTerminal }: TableLook): number {
  return isTerminal ? Math.min(32, look.width - roomForNames) : Number.POSITIVE_INFINITY;
}

/** The row of a login. */
export function rowOf(table: TableLook, { status, isDefault, now, checked, proxy }: RowParts): TableRow {
  const { name = '', server } = status.login;
  const says = checked?.says === undefined ? [] : [`server says: ${checked.says}`];
  const browser = browserInWords(status.login);
  // At a terminal these two stand below the table.
  const { provider } = status.login;
  const by = provider === undefined || table.isTerminal ? '' : `by ${provider.issuer}`;
  const through = proxy === undefined || table.isTerminal ? '' : `proxy at ${addressOf(proxy)}`;
  const account = `${whoOf(status.login)}${isDefault ? ' (default)' : ''}`.trim();
  const who = [account, by, through, browser === undefined ? '' : `in ${browser}`, ...says]
    .filter((text) => text !== '')
    .join(', ');
  return {
    name: printable(name, 80),
    server: printable(namedServer(server), 600),
    who: printable(who, 200),
    state: checked === undefined ? stateCell(table, status, now) : checkedCell(checked),
  };
}

function stateCell(table: TableLook, { login, state, remedy = '' }: LoginStatus, now: number): StateCell {
  const { expiresAt, refreshable } = login;
  const max = maxCommand(table);
  if (login.store === 'environment') return { mark: '✓', tone: 'good', text: 'from POSTERN_TOKEN' };
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
      return { mark: '✗', tone: 'bad', text: withCommand('expired', remedy, max) };
    case 'dead':
      return { mark: '✗', tone: 'bad', text: withCommand(login.dead === true ? 'refused' : 'ended', remedy, max) };
  }
}

/** For a person how long it is; for a program when it ends, which is the same whenever it looks. */
function leftIn({ isTerminal }: TableLook, expiresAt: number, now: number): string {
  return isTerminal ? `, ${shortSpan(expiresAt - now)}` : ` until ${new Date(expiresAt).toISOString()}`;
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

/** Below the table of a terminal: where a proxy is installed for a login, and for which hosts. */
export function proxyLine({ name, server }: LoginRecord, proxy: ProxyService): string {
  const hosts = proxy.hosts.length === 0 ? '' : ` (${proxy.hosts.join(', ')})`;
  return printable(`Proxy for ${name ?? namedServer(server)}: ${addressOf(proxy)}${hosts}`, 600);
}

const addressOf = ({ port }: Pick<ProxyService, 'port'>) => `127.0.0.1:${port}`;

/** A span of time in few letters, rounded down: `45 s`, `52 min`, `3 h`, `5 days`. */
export function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return counted(Math.floor(seconds / (24 * 3600)), 'day');
}

type Column = 'name' | 'server' | 'who';

/** Columns that are cut to fit, the first one first, and how much is left of each at least. */
const shrinking: readonly (readonly [column: Column, min: number])[] = [
  ['server', 18],
  ['who', 10],
  ['name', 14],
];

const minAlone = 8;

/** What is left out where that does not help, the first layout that fits; the state is always whole. */
const layouts: readonly (readonly Column[])[] = [['name', 'server', 'who'], ['name', 'server'], ['name']];

/** One line for each login: name, server, who, state. */
export function tableLines({ look, isTerminal }: TableLook, rows: readonly TableRow[]): readonly string[] {
  if (rows.length === 0) return [];
  if (!isTerminal) {
    return inColumns(
      { ...look, width: Number.POSITIVE_INFINITY },
      rows.map(({ name, server, who, state }) => [name || '-', server, who || '-', state.text]),
    );
  }
  const shown = rows.map((row) => ({ ...row, server: row.server.replace(/^https:\/\//, '') }));
  const states = rows.map(({ state: { mark, text } }) => `${mark} ${text}`);
  const room = look.width - Math.max(...states.map(columnsOf), 5);
  const fitting = layouts.map((columns) => fitIn(room, columns, shown));
  const { left, cells: cut } = fitting.find(({ over }) => over <= 0) ?? (fitting.at(-1) as (typeof fitting)[number]);
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

/** These columns in so much room: what is not empty, cut where it has to be; `over` is what is too wide all the same. */
function fitIn(room: number, columns: readonly Column[], rows: readonly TableRow[]) {
  const left = columns.filter((column) => rows.some((row) => cellOf(row, column, columns) !== ''));
  const natural = left.map((column) =>
    Math.max(column.length, ...rows.map((row) => columnsOf(cellOf(row, column, columns)))),
  );
  let over = natural.reduce((sum, width) => sum + width + 2, 0) - room;
  const widths = new Map(left.map((column, at) => [column, natural[at] ?? 0]));
  for (const [column, min] of shrinking) {
    const width = widths.get(column) ?? 0;
    const kept = columns.length === 1 ? minAlone : min;
    const taken = Math.min(Math.max(0, over), Math.max(0, width - kept));
    widths.set(column, width - taken);
    over -= taken;
  }
  const cells = rows.map((row) => left.map((column) => cutTo(widths.get(column) ?? 0, cellOf(row, column, columns))));
  return { left, cells, over };
}
