import { join } from 'node:path';
import { startWords, type UnitParts, type Units, unitTitle } from './units.js';
import { escapedXml } from './xml.js';

/** An agent of launchd's, begun at each login of the user. launchd hands sockets to native code alone, so it holds none. */
export function launchdUnits(parts: UnitParts): Units {
  const { machine, record, uid = 0 } = parts;
  const label = `postern.proxy.${record.id}`;
  const path = join(machine.homedir, 'Library', 'LaunchAgents', `${label}.plist`);
  const domain = `gui/${uid}`;
  const stop = { words: ['launchctl', 'bootout', `${domain}/${label}`], mayFail: true } as const;
  return {
    manager: 'launchd',
    files: [{ path, text: plistText(parts, label) }],
    start: [stop, { words: ['launchctl', 'bootstrap', domain, path] }],
    stop: [stop],
    removed: [],
    links: [],
  };
}

function plistText(parts: UnitParts, label: string): string {
  const strings = startWords(parts).map((word) => `    <string>${escapedXml(word)}</string>\n`);
  const variables = Object.entries(parts.machine.variables).map(
    ([name, value]) => `    <key>${escapedXml(name)}</key>\n    <string>${escapedXml(value)}</string>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${parts.mark} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ServiceDescription</key>
  <string>${escapedXml(unitTitle(parts))}</string>
  <key>ProgramArguments</key>
  <array>
${strings.join('')}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('')}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>Crashed</key>
    <true/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${parts.record.options.grace + 5}</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`;
}
