import type { LoginRecord } from '../../core/records.js';
import { columnsOf, cutInside, cutTo, inColumns, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable, shellWord } from '../../core/text/printable.js';
import { type LoginStatus, needsPerson } from '../../login/status/login-status.js';
import { type Row, section } from './blocks.js';
import { product } from './overview.js';
import { linesOf } from './screen.js';

/** As many logins as fit into a small terminal with the rest. */
const shownLogins = 10;

/** The least of an address that tells servers apart. */
const minAddress = 20;

interface LoginRow {
  readonly name: string;
  readonly address: string;
  /** What is to be done about it. */
  readonly state: string;
}

/**
 * What `postern` alone prints: what there is, and what to type next.
 * @param logins Undefined where the list of them cannot be read.
 */
export function welcome(look: Look, logins: readonly LoginStatus[] | undefined): readonly string[] {
  return [
    ...wrapped(product, look.width),
    '',
    ...(logins === undefined || logins.length === 0 ? beginning(look, logins) : going(look, logins)),
    '',
    ...wrapped(`All commands: ${toned(look, 'name', 'postern --help')}`, look.width),
  ];
}

function beginning(look: Look, logins: readonly LoginStatus[] | undefined): readonly string[] {
  if (logins === undefined) {
    return linesOf(
      look,
      section('The list of your logins cannot be read', 'examples', [['postern status', 'say why']]),
    );
  }
  return linesOf(
    look,
    section('No logins yet', 'examples', [
      ['postern login https://example.com/mcp', 'log in to a server, in the browser'],
      ['postern setup --list', 'your programs that can use a login'],
      ['postern sandbox', 'a server to try it with, here'],
    ]),
  );
}

function going(look: Look, statuses: readonly LoginStatus[]): readonly string[] {
  const rows = statuses.slice(0, shownLogins).map((status): LoginRow => {
    const { name, server } = status.login;
    const address = printable(server.replace(/^https:\/\//, ''), 200);
    return {
      name: toned(
        look,
        'name',
        name === undefined ? cutInside(36, address) : cutTo(look.width - 2, printable(name, 200)),
      ),
      address: name === undefined ? '' : address,
      state: needsPerson(status) ? toned(look, 'warning', 'needs a new login') : '',
    };
  });
  const more = statuses.length - shownLogins;
  const ended = statuses.filter(needsPerson);
  const [first] = statuses.filter((one) => !needsPerson(one));
  const again = (count: number, remedy = ''): Row =>
    count === 1
      ? [printable(remedy, 2000), 'log in again']
      : ['postern login --expired', `log in again to the ${count} that need it`];
  return [
    ...linesOf(look, [{ kind: 'heading', text: 'Your logins' }]),
    ...loginLines(look, rows),
    ...(more > 0 ? [`  and ${more} more: postern status`] : []),
    '',
    ...linesOf(
      look,
      section('Next', 'examples', [
        ...ended.slice(0, 1).map(({ remedy }) => again(ended.length, remedy)),
        ...(first === undefined ? [] : [[`postern call ${nameOf(first.login)}`, 'its tools'] as const]),
        ['postern setup --list', 'programs that can use a login'],
        ['postern status', 'until when each login is valid'],
        ['postern login https://example.com/mcp', 'log in to another server'],
      ]),
    ),
  ];
}

/** Name, address and what is to be done: in columns, the address cut inside, or below the name where that leaves too little. */
function loginLines(look: Look, rows: readonly LoginRow[]): readonly string[] {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(columnsOf));
  const room = look.width - widest(rows.map(({ name }) => name)) - widest(rows.map(({ state }) => state)) - 6;
  const isWide = room >= Math.min(minAddress, widest(rows.map(({ address }) => address)));
  const lines = isWide
    ? inColumns(
        look,
        rows.map(({ name, address, state }) => [name, cutInside(room, address), state]),
      )
    : rows.flatMap(({ name, address, state }) => [
        ...nameAndState(look.width - 2, name, state),
        ...(address === '' ? [] : [`    ${cutInside(look.width - 6, address)}`]),
      ]);
  return lines.map((line) => `  ${line}`);
}

function nameAndState(width: number, name: string, state: string): readonly string[] {
  if (state === '') return [name];
  const line = `${name}  ${state}`;
  return columnsOf(line) <= width ? [line] : [name, `    ${state}`];
}

/** What every command takes for this login. */
function nameOf({ name, server }: LoginRecord): string {
  return shellWord(printable(name ?? server, 200));
}
