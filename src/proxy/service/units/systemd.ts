import { join } from 'node:path';
import { startWords, type UnitParts, type Units, unitTitle } from './units.js';

/** What a fault of the command line, of the store or of a login leads to is not mended by another start. */
const lasting = '2 3 4 5 7';

/**
 * A socket unit, which holds the port from the start of the session on, so that no other program can take it, and the
 * service that the first connection starts. What it is kept from is what works in a user's own manager, and leaves it the
 * session bus, the keychain, and programs that keep secrets.
 */
export function systemdUnits(parts: UnitParts): Units {
  const { machine, record } = parts;
  const xdg = machine.env['XDG_CONFIG_HOME'] ?? '';
  const folder = join(xdg.startsWith('/') ? xdg : join(machine.homedir, '.config'), 'systemd', 'user');
  const name = `postern-proxy-${record.id}`;
  const [socket, service] = [`${name}.socket`, `${name}.service`];
  const command = (...words: string[]) => ({ words: ['systemctl', '--user', ...words] });
  return {
    manager: 'systemd',
    files: [
      { path: join(folder, socket), text: socketText(parts) },
      { path: join(folder, service), text: serviceText(parts, socket) },
    ],
    start: [
      command('daemon-reload'),
      command('enable', '--now', socket),
      { ...command('try-restart', service), mayFail: true },
    ],
    stop: [command('disable', '--now', socket), { ...command('stop', service), mayFail: true }],
    removed: [command('daemon-reload'), { ...command('reset-failed', service, socket), mayFail: true }],
    // It knows no unit without a file to be disabled, and goes on to run it.
    orphaned: [command('stop', socket, service), command('daemon-reload')],
    links: [join(folder, 'sockets.target.wants', socket)],
  };
}

function socketText(parts: UnitParts): string {
  return `# ${parts.mark}
[Unit]
Description=${unitTitle(parts).replaceAll('%', '%%')}

[Socket]
ListenStream=127.0.0.1:${parts.record.port}
Accept=no

[Install]
WantedBy=sockets.target
`;
}

function serviceText(parts: UnitParts, socket: string): string {
  const { machine, record } = parts;
  const variables = Object.entries(machine.variables).map(
    ([name, value]) => `Environment=${quotedWord(`${name}=${value}`)}\n`,
  );
  return `# ${parts.mark}
[Unit]
Description=${unitTitle(parts).replaceAll('%', '%%')}
Requires=${socket}
After=${socket}

[Service]
Type=exec
ExecStart=${commandText(startWords(parts))}
${variables.join('')}Restart=on-failure
RestartSec=2
RestartPreventExitStatus=${lasting}
TimeoutStopSec=${record.options.grace + 5}
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
`;
}

/** systemd starts no program whose path has quotes, backslashes or control characters in it; the shell does. */
function commandText([node, ...words]: readonly string[]): string {
  const argument = (word: string) => quotedWord(word).replaceAll('$', '$$$$');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const isPlain = node !== undefined && !/["'\\\x00-\x1f\x7f]/.test(node);
  const start = isPlain ? [quotedWord(node)] : ['/bin/sh', '-c', argument('exec "$0" "$@"'), argument(node ?? '')];
  return [...start, ...words.map(argument)].join(' ');
}

/**
 * A word as systemd.syntax(7) quotes it: C escapes, and `%` twice, which begins a specifier. `$` means something in
 * arguments alone, not in the path of the program and not in `Environment=`.
 */
export function quotedWord(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  return `"${escaped.replace(/[\x00-\x1f\x7f]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}
