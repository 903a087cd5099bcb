import { usageWrong } from '../../core/failures.js';

/** What a service manager is to start, and as what. */
export interface Service {
  /** Names the login in titles and labels. */
  readonly name: string;
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Seconds that it is given to end. */
  readonly stopWithin: number;
}

/** The text of a unit for each service manager. @throws Failure `usage_wrong` where it has no form for a word */
export const unitTexts: Readonly<Record<'systemd' | 'launchd' | 'windows', (service: Service) => string>> = {
  systemd: ({ name, words, variables, stopWithin }) => {
    const [program = '', ...others] = words;
    // Its path is taken as it is, without escapes.
    refuse(program, /["'\\\p{Cc}]/u, 'systemd');
    // `$` means something in arguments alone.
    const command = [quotedWord(program), ...others.map((word) => quotedWord(word).replaceAll('$', '$$$$'))];
    const set = Object.entries(variables).map(([key, value]) => `Environment=${quotedWord(`${key}=${value}`)}\n`);
    return `[Unit]
Description=postern proxy for ${name}

[Service]
Type=exec
ExecStart=${command.join(' ')}
${set.join('')}StandardOutput=null
Restart=on-failure
RestartSec=30
RestartPreventExitStatus=2
TimeoutStopSec=${stopWithin}
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`;
  },
  launchd: ({ name, words, variables, stopWithin }) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>postern.proxy.${xmlText(name)}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xmlText(word)}</string>\n`).join('')}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(variables)
  .map(([key, value]) => `    <key>${xmlText(key)}</key>\n    <string>${xmlText(value)}</string>\n`)
  .join('')}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ExitTimeOut</key>
  <integer>${stopWithin}</integer>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`,
  windows: ({ name, words, env }) => {
    // The Task Scheduler replaces these: variables, and arguments that a task is run with.
    for (const word of words) refuse(word, /%|\$\(|["\p{Cc}]/u, 'The Task Scheduler');
    const user = [env['USERDOMAIN'], env['USERNAME']].filter((part) => part !== undefined && part !== '').join('\\');
    // It keeps the program without a window.
    const console = `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\conhost.exe`;
    // No encoding is declared: a shell may write UTF-16.
    return `<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>postern proxy for ${xmlText(name)}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>${xmlText(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${xmlText(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xmlText(console)}</Command>
      <Arguments>${xmlText(['--headless', ...words.map(windowsWord)].join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
  },
};

function refuse(word: string, unsayable: RegExp, manager: string): void {
  if (!unsayable.test(word)) return;
  const where = 'Install Node.js and postern in a folder with a plain path, and name the key file by one.';
  throw usageWrong(`${manager} has no way to say ${JSON.stringify(word)}. ${where}`, 'postern help proxies');
}

/** A word as systemd.syntax(7) quotes it: C escapes, and `%` twice, which begins a specifier. */
function quotedWord(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%');
  return `"${escaped.replace(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}

/** Text between tags of XML 1.0, in ASCII; characters that XML has no place for become U+FFFD. */
function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"'\t\n\r]|[^\u{20}-\u{7e}]/gu, (one) => `&#${one.codePointAt(0)};`);
}

/** A word of a Windows command line without quotes in it; backslashes before the closing quote are doubled. */
function windowsWord(word: string): string {
  return /^[A-Za-z0-9:\\/._=-]+$/.test(word) ? word : `"${word.replace(/\\+$/, '$&$&')}"`;
}
