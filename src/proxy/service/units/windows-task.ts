import { serviceUnsayable } from '../failures.js';
import { startWords, type UnitParts, type Units, unitTitle } from './units.js';
import { escapedXml } from './xml.js';

/**
 * A task of the Task Scheduler's, begun at each login of the user, as the keychain opens to a login alone. conhost keeps it
 * without a window.
 * @throws Failure `service_unsayable`
 */
export function windowsTask(parts: UnitParts): Units {
  const { machine, record } = parts;
  const name = `postern proxy ${record.id}`;
  const path = `${machine.stateFolder}\\services\\${record.id}.xml`;
  return {
    manager: 'task',
    files: [{ path, text: taskText(parts) }],
    start: [
      { words: ['schtasks', '/End', '/TN', name], mayFail: true },
      { words: ['schtasks', '/Create', '/F', '/TN', name, '/XML', path] },
      { words: ['schtasks', '/Run', '/TN', name] },
    ],
    stop: [
      { words: ['schtasks', '/End', '/TN', name], mayFail: true },
      { words: ['schtasks', '/Delete', '/F', '/TN', name] },
    ],
    removed: [],
    links: [],
  };
}

function taskText(parts: UnitParts): string {
  const { env } = parts.machine;
  const user = [env['USERDOMAIN'], env['USERNAME']].filter((one) => one !== undefined && one !== '').join('\\');
  const words = startWords(parts);
  // Both are replaced in a task: variables, and arguments that it is run with.
  const odd = words.find((word) => /%|\$\(|["\r\n]/.test(word));
  if (odd !== undefined) throw serviceUnsayable(odd);
  const conhost = `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\conhost.exe`;
  const line = ['--headless', ...words.map(windowsWord)].join(' ');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${parts.mark} -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>${escapedXml(unitTitle(parts))}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${escapedXml(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${escapedXml(user)}</UserId>
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
      <Command>${escapedXml(conhost)}</Command>
      <Arguments>${escapedXml(line)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

/** A word of a Windows command line without quotes in it; backslashes before the closing quote are doubled. */
function windowsWord(word: string): string {
  return /^[A-Za-z0-9:\\/._-]+$/.test(word) ? word : `"${word.replace(/\\+$/, '$&$&')}"`;
}
