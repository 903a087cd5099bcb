import type { ArgumentsOf, Command, CommandOutput } from '../../core/command.js';
import { loginArgument } from '../../core/login-command.js';
import type { LoginRecord } from '../../core/records.js';
import { inColumnsOrStacked, readerLook } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { printable } from '../../core/text/printable.js';
import { loginsCalled } from '../../tokens/find-login.js';
import type { LoginPorts } from '../ports.js';
import { type CheckedLogin, type CheckWorld, checkedJson } from './check-logins.js';
import { fullName, labelledLines } from './login-status.js';
import { whoamiTable } from './logins.options.js';

type World = CommandOutput & CheckWorld & Pick<LoginPorts, 'index'>;

interface Known {
  readonly login: LoginRecord;
  readonly checked: CheckedLogin | undefined;
}

export const command: Command<typeof whoamiTable, World> = {
  table: whoamiTable,
  async run(world, { server, check }: ArgumentsOf<typeof whoamiTable>) {
    const { out, json, tell } = world;
    const { logins } = await world.index.read();
    const meant = server === undefined ? logins : loginsCalled(logins, server);
    const { checkLogins, exitAfter } = await import('./check-logins.js');
    const checked = check ? await checkLogins(world, meant, () => true) : undefined;
    const known = meant.map((login) => ({ login, checked: checked?.get(login.key) }));
    if (json) await out.json({ logins: known.map(whoamiJson) });
    else if (meant.length === 0) tell('No logins yet. Make one with: postern login URL');
    else
      await out.line(
        (server === undefined ? listLines(world, known) : known.flatMap((one) => whoLines(world, one))).join('\n'),
      );
    for (const { login, checked: one } of known) {
      const { failure } = one ?? {};
      if (failure !== undefined && !json)
        tell(printable(`${fullName(login)}: ${failure.message} ${failure.remedy}`, 2000));
    }
    const isAllKnown = meant.every((login) => login.identity !== undefined || login.grant !== undefined);
    if (checked === undefined && !isAllKnown) {
      tell(
        `${server === undefined ? 'Some logins have' : 'This login has'} no ID token to say whose it is. To ask the server: postern whoami${server === undefined ? '' : ` ${loginArgument({ server })}`} --check`,
      );
    }
    return checked === undefined ? 0 : exitAfter(checked.values());
  },
};

function listLines(world: World, known: readonly Known[]): readonly string[] {
  const rows = known.map((one) => [
    toned(world.look, 'name', printable(fullName(one.login), 200)),
    printable(whoIs(one), 400),
  ]);
  return inColumnsOrStacked(readerLook(world), rows);
}

function whoIs({ login, checked }: Known): string {
  const said = checked?.says === undefined ? [] : [`the server says ${checked.says}`];
  const own = login.grant === undefined ? login.identity : `the client ${login.clientId} itself`;
  const parts = [...(own === undefined ? [] : [own]), ...said];
  return parts.length === 0 ? 'unknown' : parts.join(', ');
}

function whoLines({ look }: World, one: Known): readonly string[] {
  const { login, checked } = one;
  const { person, issuer } = login;
  const rows = [
    ['e-mail', person?.email],
    ['name', person?.name],
    ['subject', person?.sub],
    ['account', login.account === 'default' ? undefined : login.account],
    ['told by', login.identity === undefined ? undefined : `the ID token of ${issuer}, when it logged in`],
    ['server says', login.identity === undefined ? undefined : checked?.says],
  ] as const;
  const heading = printable(login.identity ?? whoIs(one), 400);
  return [toned(look, 'strong', heading), ...labelledLines(look, [['login', fullName(login)], ...rows])];
}

function whoamiJson({ login, checked }: Known): Readonly<Record<string, unknown>> {
  const { name = null, server, account, identity = null, person } = login;
  const { sub: subject = null, name: personName = null, email = null } = person ?? {};
  return { name, server, account, identity, subject, personName, email, check: checkedJson(checked) };
}
