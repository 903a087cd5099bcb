import type { LoginRecord } from '../../core/records.js';
import { cutTo, inColumns, inColumnsOrBelow, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable, shellWord } from '../../core/text/printable.js';
import { product } from './overview.js';
import { exampleLines, section } from './parts.js';

/** As many logins as fit into a small terminal with the rest. */
const shownLogins = 10;

/**
 * What `postern` alone prints: what there is, and what to type next.
 * @param logins Undefined where the list of them cannot be read.
 */
export function welcome(look: Look, logins: readonly LoginRecord[] | undefined): readonly string[] {
  const [first] = logins ?? [];
  return [
    ...wrapped(product, look.width),
    ...(first === undefined ? beginning(look, logins) : going(look, logins ?? [], nameOf(first))),
    '',
    ...wrapped(`All commands: ${toned(look, 'name', 'postern --help')}`, look.width),
  ];
}

function beginning(look: Look, logins: readonly LoginRecord[] | undefined): readonly string[] {
  if (logins === undefined) {
    const why = { command: 'postern status', describe: 'say why' };
    return section(look, 'The list of your logins cannot be read', exampleLines(look, [why]));
  }
  return section(
    look,
    'No logins yet',
    exampleLines(look, [
      { command: 'postern login https://example.com/mcp', describe: 'log in to a server, in the browser' },
      { command: 'postern setup --list', describe: 'your programs that can use a login' },
      { command: 'postern sandbox', describe: 'a server to try it with, here' },
    ]),
  );
}

function going(look: Look, logins: readonly LoginRecord[], name: string): readonly string[] {
  const rows = logins
    .slice(0, shownLogins)
    .map((login) => [
      `  ${toned(look, 'name', cutTo(30, nameOf(login)))}`,
      printable(login.server, 200),
      ...(needsLogin(login) ? [toned(look, 'warning', 'needs a new login')] : []),
    ]);
  const more = logins.length - shownLogins;
  return [
    ...section(look, 'Your logins', look.width < 60 ? inColumnsOrBelow(look, rows).flat() : inColumns(look, rows, 1)),
    ...(more > 0 ? [`  and ${more} more: postern status`] : []),
    ...section(
      look,
      'Next',
      exampleLines(look, [
        { command: `postern call ${name}`, describe: 'its tools' },
        { command: `postern setup --list`, describe: 'programs that can use a login' },
        { command: 'postern status', describe: 'until when each login is valid' },
        { command: 'postern login https://example.com/mcp', describe: 'log in to another server' },
      ]),
    ),
  ];
}

/** What every command takes for this login. */
function nameOf({ name, server }: LoginRecord): string {
  return shellWord(printable(name ?? server, 200));
}

function needsLogin({ dead, gone, shared }: LoginRecord): boolean {
  return dead === true || gone === true || shared === true;
}
