import { loginCommand } from '../../core/login-command.js';
import { namedServer } from '../../core/resource.js';
import { columnsOf, commandLine, inColumns, inColumnsOrStacked } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { type CheckedLogin, okInWords } from './check-logins.js';
import { browserInWords, type LoginStatus, whoOf } from './login-status.js';
import { endOfLogin, inWords } from './render.js';

/** One login of the table. */
export interface ShownLogin {
  readonly status: LoginStatus;
  /** Is it taken where its server has several logins, and none is named? */
  readonly isDefault: boolean;
  /** What its server said just now; undefined: it was not asked. */
  readonly checked: CheckedLogin | undefined;
}

/** Who reads the table: a terminal gets a heading, marks, and lines that fit; a pipe gets all of it in plain text. */
interface Reader {
  readonly out: { readonly isTerminal: boolean };
  readonly look: Look;
}

/** A state in words; what its mark and its tone say, the words say, too. */
interface StateCell {
  readonly mark: '✓' | '✗';
  readonly tone: 'good' | 'warning' | 'bad';
  readonly text: string;
  /** What fixes it; undefined where nothing is broken. */
  readonly command?: string | undefined;
}

const titles = ['NAME', 'SERVER', 'WHO', 'STATE'];

const endless: Look = { width: Number.POSITIVE_INFINITY, color: false };

/**
 * Name, server, who and state of each login, one line each; on a terminal too narrow for that, name and state, and the
 * others behind or below them. Then the commands that mend what has ended: in a terminal they are copied from there.
 */
export function statusBlocks(
  reader: Reader,
  logins: readonly ShownLogin[],
  now: number,
): readonly (readonly string[])[] {
  const { out, look } = reader;
  if (logins.length === 0) return [];
  const rows = logins.map((one) => rowOf(reader, one, now));
  const cells = rows.map((row) => row.cells);
  if (!out.isTerminal) return [inColumns(endless, cells)];
  const used = (_: string, at: number) => cells.some((row) => row[at] !== '');
  const heading = titles.map((title) => toned(look, 'dim', title));
  const table = inColumns(
    endless,
    [heading, ...cells].map((row) => row.filter(used)),
  );
  const stacked = cells.map(([name = '', server = '', who = '', state = '']) =>
    name === '' ? [server, state, who] : [name, state, server, who],
  );
  const fits = table.every((line) => columnsOf(line) <= look.width);
  const commands = rows.flatMap(({ command }) => (command === undefined ? [] : commandLine(command, look.width, 2)));
  return [
    fits ? table : inColumnsOrStacked(look, stacked),
    commands.length === 0 ? [] : ['To log in again:', ...commands],
  ];
}

function rowOf(reader: Reader, shown: ShownLogin, now: number) {
  const { isTerminal } = reader.out;
  const { login } = shown.status;
  const browser = browserInWords(login);
  const says = shown.checked?.says;
  const about = [
    `${shown.isDefault ? '* ' : ''}${whoOf(login)}`.trim(),
    login.provider && !isTerminal && `by ${login.provider.issuer}`, // at a terminal it stands below the table
    browser && `in ${browser}`,
    says && `server says: ${says}`,
  ];
  const who = printable(about.filter(Boolean).join(', '), 200);
  const { mark, tone, text, command } = stateOf(reader, shown, now);
  const [name, server] = [printable(login.name ?? '', 80), printable(namedServer(login.server), 600)];
  if (!isTerminal) {
    return { cells: [name || '-', server, who || '-', command === undefined ? text : `${text}: ${command}`], command };
  }
  const state = toned(reader.look, tone, `${mark} ${text}`);
  return { cells: [toned(reader.look, 'name', name), server.replace(/^https:\/\//, ''), who, state], command };
}

function stateOf({ out }: Reader, { status, checked }: ShownLogin, now: number): StateCell {
  const { login, state, remedy } = status;
  const { expiresAt, refreshable } = login;
  const good = (text: string): StateCell => ({ mark: '✓', tone: 'good', text });
  if (checked?.state === 'ok') return good(okInWords(checked));
  if (checked !== undefined) return checkedCells[checked.state];
  const bad = (text: string): StateCell => ({
    ...{ mark: '✗', tone: 'bad', text },
    command: remedy && printable(remedy, 2000),
  });
  if (login.store === 'environment') return good('from POSTERN_TOKEN');
  if (state === 'expired') return bad('expired');
  if (state === 'dead') return bad(login.dead === true ? 'refused' : 'ended');
  const soon = endOfLogin(login, now);
  if (soon?.at === 'soon') {
    const what = soon.byUse ? 'use it or log in again' : 'log in again';
    const text = `ok, ${what} within ${inWords(soon.end - now)}`;
    return { mark: '✓', tone: 'warning', text, command: loginCommand(login) };
  }
  if (state === 'refreshable') return good('refreshes by itself');
  if (expiresAt === null) return good('ok');
  // For a person how long it is; for a program when it ends, which is the same whenever it looks.
  const left = out.isTerminal ? `, ${shortSpan(expiresAt - now)}` : ` until ${new Date(expiresAt).toISOString()}`;
  return good(refreshable ? `ok${left}` : `ok${left}, then log in`);
}

const checkedCells: Readonly<Record<CheckedLogin['state'], StateCell>> = {
  ok: { mark: '✓', tone: 'good', text: 'ok' },
  login_needed: { mark: '✗', tone: 'bad', text: 'login needed' },
  refused: { mark: '✗', tone: 'bad', text: 'refused' },
  unreachable: { mark: '✗', tone: 'warning', text: 'not reachable' },
  failed: { mark: '✗', tone: 'warning', text: 'failed' },
};

/** A span of time in few letters, rounded down: `45 s`, `52 min`, `3 h`, `5 days`. */
function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return counted(Math.floor(seconds / (24 * 3600)), 'day');
}
