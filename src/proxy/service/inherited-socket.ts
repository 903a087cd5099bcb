import { inheritedSocketRefused } from '../failures.js';

/** The first descriptor that a service manager hands over (sd_listen_fds(3)). */
const first = 3;

/**
 * The socket that a service manager holds for this process; undefined where none was handed to it. What says so is taken
 * out of the environment, so that no program that is started from here believes it.
 * @throws Failure `inherited_socket_refused` where there are several
 */
export function inheritedSocket(): number | undefined {
  const { LISTEN_PID: pid, LISTEN_FDS: count } = process.env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete process.env[name];
  if (pid !== String(process.pid) || count === undefined) return undefined;
  if (count !== '1')
    throw inheritedSocketRefused(first, 0, `${/^\d{1,4}$/.test(count) ? count : 'odd'} descriptors came, not one`);
  return first;
}
