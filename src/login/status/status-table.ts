import { loginCommand } from '../../core/login-command.js';
import type { LoginRecord } from '../../core/records.js';
import { namedServer } from '../../core/resource.js';
import { commandLine, inColumnsOrStacked, readerLook } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { type CheckedLogin, okInWords } from './check-logins.js';
import { browserInWords, fullName, type LoginStatus, whoOf } from './login-status.js';
import { endOfLogin, inWords } from './render.js';

export interface ShownLogin {
  readonly status: LoginStatus;
  /** Is it taken where its server has several logins, and none is named? */
  readonly isDefault: boolean;
  /** What its server said just now; undefined: it was not asked. */
  readonly checked: CheckedLogin | undefined;
  /** The redirect URI that was chosen at its authorization server. */
  readonly redirectUri?: string | undefined;
  /** Of a login at a company's provider: the logins that get their tokens by it. */
  readonly hanging?: readonly LoginRecord[];
}

/** A state in words, which say what the mark and the tone say. */
interface StateCell {
  readonly mark: '✓' | '✗';
  readonly tone: 'good' | 'warning' | 'bad';
  readonly text: string;
  /** What fixes it; undefined where nothing is broken. */
  readonly command?: string | undefined;
}

/**
 * Name, state, server and user of each login, one line each; on a terminal too narrow for that, what has no room stands
 * below. Then the commands that log in again, ready to copy.
 */
export function statusBlocks(
  reader: Parameters<typeof readerLook>[0],
  logins: readonly ShownLogin[],
  now: number,
): readonly (readonly string[])[] {
  if (logins.length === 0) return [];
  const { look } = reader;
  const states = logins.map((one) => stateOf(one, now));
  const cells = logins.map((one, at) => cellsOf(one, states[at], look));
  const titles = ['NAME', 'STATE', 'SERVER', 'WHO'].map((title) => toned(look, 'dim', title));
  const used = (_: string, at: number) => cells.some((row) => row[at] !== '');
  const fit = readerLook(reader);
  const commands = new Set(states.flatMap(({ command }) => command ?? []));
  return [
    inColumnsOrStacked(
      fit,
      [...(reader.out.isTerminal ? [titles] : []), ...cells].map((row) => row.filter(used)),
    ),
    commands.size === 0 ? [] : ['To log in again:', ...[...commands].map((one) => commandLine(one, fit.width, 2))],
  ];
}

function cellsOf(
  { status: { login }, isDefault, checked, hanging }: ShownLogin,
  state: StateCell | undefined,
  look: Look,
) {
  const browser = browserInWords(login);
  const says = checked?.says;
  const about = [
    `${isDefault ? '* ' : ''}${whoOf(login)}`.trim(),
    hanging && `company’s provider for ${hanging.map(fullName).join(', ') || 'no login'}`,
    browser && `in ${browser}`,
    says && `server says: ${says}`,
  ];
  const server = printable(namedServer(login.server), 600).replace(/^https:\/\//, '');
  const { tone = 'good', mark, text } = state ?? {};
  return [
    toned(look, 'name', printable(login.name ?? '', 80) || server),
    toned(look, tone, `${mark} ${text}`),
    login.name === undefined ? '' : server,
    printable(about.filter(Boolean).join(', '), 200),
  ];
}

function stateOf({ status, checked }: ShownLogin, now: number): StateCell {
  const { login, state, remedy } = status;
  const { expiresAt, refreshable } = login;
  const good = (text: string): StateCell => ({ mark: '✓', tone: 'good', text });
  const bad = (text: string, command?: string): StateCell => ({ mark: '✗', tone: 'bad', text, command });
  if (checked?.state === 'ok') return good(okInWords(checked));
  if (checked !== undefined) return bad(checked.state.replace('_', ' '));
  if (login.store === 'environment') return good('from POSTERN_TOKEN');
  const command = remedy && printable(remedy, 2000);
  if (state === 'expired') return bad('expired', command);
  if (state === 'dead') return bad(login.dead === true ? 'refused' : 'ended', command);
  const soon = endOfLogin(login, now);
  if (soon?.at === 'soon') {
    const what = soon.byUse ? 'use it or log in again' : 'log in again';
    const text = `ok, ${what} within ${inWords(soon.end - now)}`;
    return { mark: '✓', tone: 'warning', text, command: loginCommand(login) };
  }
  if (state === 'refreshable') return good('refreshes by itself');
  if (expiresAt === null) return good('ok');
  return good(`ok, ${shortSpan(expiresAt - now)}${refreshable ? '' : ', then log in'}`);
}

/** A span of time in few letters, rounded down: `45 s`, `52 min`, `3 h`, `5 days`. */
function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return counted(Math.floor(seconds / (24 * 3600)), 'day');
}
