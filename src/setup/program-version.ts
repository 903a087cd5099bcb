import type { HttpPorts } from '../http/request.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import type { Program, Since } from './programs/program.js';

/** A program on this machine that is older than the first that uses the entry. */
export interface OldProgram {
  readonly since: Since;
  /** As it says it. */
  readonly version: string;
  /** Does it get nowhere at all at this server? False: the server also takes what it can send, or nobody knows. */
  readonly isBlocked: boolean;
}

/** For the program, and for the server. */
const limitMs = 5000;

/**
 * Asks the program on the PATH for its version; where an older one would do at some servers, the server for what it takes.
 * @param ports Undefined: the server is not asked.
 * @throws the signal's reason
 */
export async function oldProgram(
  world: ExternalPrograms,
  ports: Pick<HttpPorts, 'http'> | undefined,
  { program, url }: { readonly program: Program; readonly url: string },
  signal: AbortSignal,
): Promise<OldProgram | undefined> {
  const { since } = program;
  const path = since === undefined ? undefined : world.find(since.command[0]);
  if (since === undefined || path === undefined) return undefined;
  const { env, homedir: folder } = world.machine;
  const command = [path, ...since.command.slice(1)];
  const end = await world.run({ command, env, folder, input: 'closed', limitMs, signal });
  const [, major = '', minor = ''] = (end.kind === 'ended' && /\b(?:go)?(\d{1,4})\.(\d{1,4})/.exec(end.stdout)) || [];
  if (major === '' || Number(major) > since.major) return undefined;
  if (Number(major) === since.major && Number(minor) >= since.minor) return undefined;
  const isBlocked = since.unlessBasic !== true || (ports !== undefined && (await takesBearerAlone(ports, url, signal)));
  return { since, version: `${major}.${minor}`, isBlocked };
}

/** Does a repository below the address ask for a Bearer token, and for no password? False where nobody can tell. */
async function takesBearerAlone(ports: Pick<HttpPorts, 'http'>, url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const base = url.replace(/\?.*$/s, '').replace(/\/$/, '');
    const asked = `${base}/postern-check.git/info/refs?service=git-upload-pack`;
    await using response = await ports.http.send({
      url: asked,
      method: 'GET',
      namedBy: 'person',
      redirects: 'report',
      limits: { totalMs: limitMs, headersMs: limitMs, maxBytes: 65_536 },
      signal,
    });
    const challenges = response.headers
      .flatMap(([name, value]) => (name === 'www-authenticate' ? [value] : []))
      .join(', ');
    return response.status === 401 && /\bbearer\b/i.test(challenges) && !/\bbasic\b/i.test(challenges);
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
