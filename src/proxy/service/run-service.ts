import type { CommandExit } from '../../core/command.js';
import { exitCode, Failure, isFailure } from '../../core/failure.js';
import type { Files, Signals } from '../../core/ports.js';
import { printable } from '../../core/text/printable.js';
import { idleRulePrinter } from '../../mcp/lending/idle-rules.js';
import { hasToolRules, ToolPolicy } from '../../mcp/lending/tool-policy.js';
import { Authorizer } from '../../tokens/authorizer.js';
import { sameLogin } from '../../tokens/find-login.js';
import { type AuthorizerPorts, TokenInUse } from '../../tokens/token-in-use.js';
import { inheritedSocketRefused } from '../failures.js';
import type { OpenProxy, ProxyMount, ProxyOptions } from '../ports.js';
import { logger, printer, type ReportWorld } from '../run/report.js';
import { untilEnd } from '../run/until-end.js';
import { servicePortTaken, serviceUnknown } from './failures.js';
import { portHolder } from './port-holder.js';
import type { ServiceWorld } from './ports.js';
import { hostKeys, readService, type ServiceRecord, servicesFolder } from './record.js';
import { prover } from './who-listens.js';

export interface RunWorld extends AuthorizerPorts, ReportWorld, Pick<ServiceWorld, 'externalPrograms'> {
  readonly files: Files;
  readonly openProxy: OpenProxy;
  readonly signals: Signals;
  readonly signal: AbortSignal;
}

/**
 * Runs a service that was installed: what its units start. It asks nobody to log in; without a login it answers with what
 * is to be typed, and goes on as soon as somebody has logged in.
 * @throws Failure `service_unknown`, `proxy_port_in_use`, `inherited_socket_refused`, of the state folder
 */
export async function runService(world: RunWorld, id: string): Promise<CommandExit> {
  const folder = servicesFolder((await world.externalPrograms()).machine.stateFolder);
  const record = readService(folder, id);
  if (record === undefined) throw serviceUnknown(id);
  const descriptor = inheritedSocket();
  const { port } = record;
  const mounts = [mountOf(world, record)];
  const options: ProxyOptions = {
    mounts,
    listen: descriptor === undefined ? { port } : { descriptor, port },
    key: hostKeys(folder, id),
    prove: prover(record),
    limits: {
      headMs: record.options.timeout * 1000,
      silenceMs: record.options.silence === null ? null : record.options.silence * 1000,
    },
    failed: printer(world, mounts),
    advice,
    log: logger(world),
  };
  await using proxy = await world.openProxy(options).catch((error: unknown) => {
    throw isFailure(error, 'proxy_port_in_use') ? servicePortTaken(port, portHolder(port)) : error;
  });
  const how = descriptor === undefined ? '' : ', which the service manager holds';
  world.tell(printable(`${proxy.origin}${how}, for ${record.server}`, 800));
  return await untilEnd(world, { grace: record.options.grace, untilStdinEnds: false }, proxy);
}

function mountOf(world: RunWorld, { server, account, mount: name, options }: ServiceRecord): ProxyMount {
  const { signal } = world;
  let now: string | undefined;
  const find = async () => {
    const login = sameLogin((await world.index.read()).logins, { server, account });
    now = login?.name;
    return login === undefined ? [] : [login];
  };
  const meant = {
    server,
    account,
    get name() {
      return now;
    },
  };
  const tokens = new TokenInUse(world, { meant, login: undefined, find, person: undefined, signal });
  const policy = hasToolRules(options) ? new ToolPolicy(options, idleRulePrinter(1, world.tell)) : undefined;
  return { name, server, authorizer: new Authorizer(tokens), policy };
}

/** What the host is told, whose person sees no terminal of ours. Of the failure nothing but what is to be typed. */
function advice(error: unknown): string {
  if (!(error instanceof Failure)) return 'See: postern doctor';
  return error.exit === exitCode.loginNeeded || error.exit === exitCode.store ? error.remedy : 'See: postern doctor';
}

/** The first descriptor that a service manager hands over (sd_listen_fds(3)). */
const firstDescriptor = 3;

/**
 * The socket that a service manager holds for this process; undefined where none was handed to it. What says so is taken
 * out of the environment, so that no program that is started from here believes it.
 * @throws Failure `inherited_socket_refused` where there are several
 */
function inheritedSocket(): number | undefined {
  const { LISTEN_PID: pid, LISTEN_FDS: count } = process.env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete process.env[name];
  if (pid !== String(process.pid) || count === undefined) return undefined;
  if (count !== '1')
    throw inheritedSocketRefused(
      firstDescriptor,
      0,
      `${/^\d{1,4}$/.test(count) ? count : 'odd'} descriptors came, not one`,
    );
  return firstDescriptor;
}
